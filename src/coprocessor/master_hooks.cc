#include "coprocessor/master_hooks.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coprocessor/hook_arguments.h"
#include "engine/store/table_catalog.h"
#include "klip/admin.h"
#include "klip/caller.h"
#include "proto/HBase.pb.h"
#include "proto/Snapshot.pb.h"
#include "rpc/names.h"
#include "rpc/schema_messages.h"
#include "table/embedded_connection.h"

namespace klip::coprocessor {
namespace {

using table::AdminKind;
using table::AdminOperation;

// A method of HBase's MasterCoprocessorHost, and its arguments, a letter each:
//
//   T  the table's name      D  its new descriptor, or the current one            B  the one before the change
//   N  the namespace         O  the namespace before the change                   n  its name
//   R  the table's regions   M  the regions to be merged      K  the split key    S  the snapshot
//   U  the user
struct Hook {
  std::string_view name;
  std::string_view arguments;
};

struct HooksOfKind {
  std::vector<Hook> before;
  std::vector<Hook> after;
};

// In HBase's order: the call's hooks, then those of the procedure that it starts.
const std::map<AdminKind, HooksOfKind>& AllHooks() {
  static const std::map<AdminKind, HooksOfKind> kHooks = {
      {AdminKind::kCreateNamespace, {{{"preCreateNamespace", "N"}}, {{"postCreateNamespace", "N"}}}},
      {AdminKind::kModifyNamespace, {{{"preModifyNamespace", "ON"}}, {{"postModifyNamespace", "ON"}}}},
      {AdminKind::kDeleteNamespace, {{{"preDeleteNamespace", "n"}}, {{"postDeleteNamespace", "n"}}}},
      {AdminKind::kGetNamespace, {{{"preGetNamespaceDescriptor", "n"}}, {{"postGetNamespaceDescriptor", "N"}}}},
      {AdminKind::kCreateTable,
       {{{"preCreateTableRegionsInfos", "D"}, {"preCreateTable", "DR"}, {"preCreateTableAction", "DRU"}},
        {{"postCompletedCreateTableAction", "DRU"}, {"postCreateTable", "DR"}}}},
      {AdminKind::kModifyTable,
       {{{"preModifyTable", "TBD"}, {"preModifyTableAction", "TBDU"}},
        {{"postCompletedModifyTableAction", "TBDU"}, {"postModifyTable", "TBD"}}}},
      {AdminKind::kDeleteTable,
       {{{"preDeleteTable", "T"}, {"preDeleteTableAction", "TU"}},
        {{"postCompletedDeleteTableAction", "TU"}, {"postDeleteTable", "T"}}}},
      {AdminKind::kTruncateTable,
       {{{"preTruncateTable", "T"}, {"preTruncateTableAction", "TU"}},
        {{"postCompletedTruncateTableAction", "TU"}, {"postTruncateTable", "T"}}}},
      {AdminKind::kEnableTable,
       {{{"preEnableTable", "T"}, {"preEnableTableAction", "TU"}},
        {{"postCompletedEnableTableAction", "TU"}, {"postEnableTable", "T"}}}},
      {AdminKind::kDisableTable,
       {{{"preDisableTable", "T"}, {"preDisableTableAction", "TU"}},
        {{"postCompletedDisableTableAction", "TU"}, {"postDisableTable", "T"}}}},
      {AdminKind::kFlushTable, {{{"preTableFlush", "T"}}, {{"postTableFlush", "T"}}}},
      {AdminKind::kSplit, {{{"preSplitRegion", "TK"}, {"preSplitRegionAction", "TKU"}}, {}}},
      {AdminKind::kMerge, {{{"preMergeRegions", "M"}, {"preMergeRegionsAction", "MU"}}, {{"postMergeRegions", "M"}}}},
      {AdminKind::kTakeSnapshot,
       {{{"preSnapshot", "SDU"}}, {{"postCompletedSnapshotAction", "SD"}, {"postSnapshot", "SDU"}}}},
      {AdminKind::kCloneSnapshot, {{{"preCloneSnapshot", "SD"}}, {{"postCloneSnapshot", "SD"}}}},
      {AdminKind::kRestoreSnapshot, {{{"preRestoreSnapshot", "SD"}}, {{"postRestoreSnapshot", "SD"}}}},
      {AdminKind::kDeleteSnapshot, {{{"preDeleteSnapshot", "S"}}, {{"postDeleteSnapshot", "S"}}}},
  };
  return kHooks;
}

constexpr uint8_t kReplacedDescriptor = 1;

}  // namespace

// The source of the arguments of one operation's hooks.
class MasterHooks::Arguments {
 public:
  Arguments(const AdminOperation& operation, table::EmbeddedConnection* connection)
      : operation_(operation), connection_(connection), admin_(&connection->admin()) {
    if (operation.kind == AdminKind::kDeleteSnapshot) {
      snapshot_ = Snapshot();  // it does not exist afterwards
    }
  }

  HookArguments Of(std::string_view letters) {
    HookArguments arguments;
    for (const char letter : letters) {
      Write(letter, &arguments);
    }
    return arguments;
  }

 private:
  void Write(char letter, HookArguments* out) {
    switch (letter) {
      case 'T':
        out->Table(operation_.table);
        return;
      case 'D':
        WriteDescriptor(out);
        return;
      case 'B':
        WriteSchema(*operation_.before, out);
        return;
      case 'N':
        WriteNamespace(*operation_.name_space, out);
        return;
      case 'O':
        WriteNamespaceBefore(out);
        return;
      case 'n':
        out->Text(operation_.name);
        return;
      case 'R':
        WriteRegions(RegionsToBe(), out);
        return;
      case 'M':
        WriteRegions(RegionsNamed(), out);
        return;
      case 'K':
        out->Bytes(operation_.split_keys.front());
        return;
      case 'S':
        WriteSnapshot(out);
        return;
      default:
        out->Text(Caller::Current().user);
    }
  }

  static void WriteSchema(const TableDescriptor& descriptor, HookArguments* out) {
    hbase::pb::TableSchema schema;
    rpc::FillTableSchema(descriptor, &schema);
    out->Message('D', schema);
  }

  static void WriteNamespace(const NamespaceDescriptor& name_space, HookArguments* out) {
    hbase::pb::NamespaceDescriptor message;
    rpc::FillNamespace(name_space, &message);
    out->Message('N', message);
  }

  // Read where no hooks see it.
  void WriteNamespaceBefore(HookArguments* out) {
    const Expected<NamespaceDescriptor> before = connection_->store().catalog().GetNamespace(operation_.name);
    WriteNamespace(before.ok() ? *before : NamespaceDescriptor{.name = std::string(operation_.name)}, out);
  }

  // The operation's own, else that of its table, which does not exist yet if a snapshot is cloned.
  void WriteDescriptor(HookArguments* out) {
    if (operation_.descriptor != nullptr) {
      WriteSchema(*operation_.descriptor, out);
      return;
    }
    const std::string source =
        operation_.kind == AdminKind::kTakeSnapshot ? std::string(operation_.table) : Snapshot().table;
    const Expected<TableDescriptor> found = admin_->GetDescriptor(source);
    TableDescriptor descriptor = found.ok() ? *found : TableDescriptor{.name = source};
    if (!operation_.table.empty()) {
      descriptor.name = operation_.table;
    }
    WriteSchema(descriptor, out);
  }

  SnapshotInfo Snapshot() {
    SnapshotInfo wanted = {.name = std::string(operation_.name), .table = std::string(operation_.table)};
    if (const Expected<std::vector<SnapshotInfo>> all = admin_->ListSnapshots(); all.ok()) {
      for (const SnapshotInfo& one : *all) {
        if (one.name == operation_.name) {
          return one;
        }
      }
    }
    return wanted;
  }

  void WriteSnapshot(HookArguments* out) {
    const SnapshotInfo info = snapshot_.has_value() ? *snapshot_ : Snapshot();
    hbase::pb::SnapshotDescription message;
    message.set_name(info.name);
    message.set_table(info.table);
    message.set_creation_time(info.created_ms);
    message.set_ttl(info.ttl_s);
    out->Message('S', message);
  }

  std::vector<RegionInfo> RegionsToBe() const {
    std::vector<RegionInfo> regions;
    std::string start;
    const auto add = [&](const std::string& end) {
      RegionInfo& region = regions.emplace_back();
      region.table = operation_.descriptor->name;
      region.start_key = std::exchange(start, end);
      region.end_key = end;
    };
    for (const std::string& key : operation_.split_keys) {
      add(key);
    }
    add("");
    return regions;
  }

  std::vector<RegionInfo> RegionsNamed() const {
    std::vector<RegionInfo> regions;
    for (const std::string& name : operation_.regions) {
      if (Expected<RegionInfo> region = admin_->GetRegion(name); region.ok()) {
        regions.push_back(*std::move(region));
      }
    }
    return regions;
  }

  static void WriteRegions(const std::vector<RegionInfo>& regions, HookArguments* out) {
    out->List(regions.size());
    for (const RegionInfo& region : regions) {
      hbase::pb::RegionInfo message;
      message.set_region_id(static_cast<uint64_t>(region.region_id));
      rpc::FillTableName(region.table, message.mutable_table_name());
      message.set_start_key(region.start_key);
      message.set_end_key(region.end_key);
      message.set_offline(false);
      message.set_split(false);
      message.set_replica_id(0);
      out->Message('R', message);
    }
  }

  const AdminOperation& operation_;
  table::EmbeddedConnection* const connection_;
  Admin* const admin_;
  std::optional<SnapshotInfo> snapshot_;
};

Status MasterHooks::Around(AdminOperation& operation, const std::function<Status()>& run) {
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<const HostServices> services, host_->Services());
  const HooksOfKind& hooks = AllHooks().at(operation.kind);
  Arguments arguments(operation, host_->connection());
  const auto call_all = [&](const std::vector<Hook>& all) -> Status {
    for (const Hook& hook : all) {
      if (services->master_hooks.contains(hook.name)) {
        KLIP_RETURN_IF_ERROR(Call(hook.name, hook.arguments, &arguments, operation));
      }
    }
    return Status::Ok();
  };
  KLIP_RETURN_IF_ERROR(call_all(hooks.before));
  KLIP_RETURN_IF_ERROR(run());
  return call_all(hooks.after);
}

Status MasterHooks::Call(std::string_view hook, std::string_view letters, Arguments* arguments,
                         AdminOperation& operation) {
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  const HookArguments passed = arguments->Of(letters);
  FrameWriter call;
  call.Text(hook);
  WriteCaller(&call);
  call.U32(passed.count()).Raw(passed.bytes());
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease.Call(Method::kMaster, call));
  if (answer.U8() == kReplacedDescriptor && operation.descriptor != nullptr) {
    hbase::pb::TableSchema schema;
    answer.U8();  // its tag
    answer.Message(&schema);
    KLIP_RETURN_IF_ERROR(answer.status());
    KLIP_ASSIGN_OR_RETURN(*operation.descriptor, rpc::ToTableDescriptor(schema));
  }
  return answer.status();
}

}  // namespace klip::coprocessor
