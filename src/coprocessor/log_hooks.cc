#include "coprocessor/log_hooks.h"

#include <map>
#include <memory>
#include <utility>

#include "coprocessor/hook_arguments.h"
#include "coprocessor/region_calls.h"
#include "proto/HBase.pb.h"
#include "rpc/cell_block.h"
#include "table/info/table_info.h"
#include "table/write/write_operation.h"

namespace klip::coprocessor {

std::vector<RegionEdit> EditsOf(const table::WriteContext& write) {
  const engine::TableView& view = *write.table().view;
  std::map<size_t, RegionEdit> by_region;
  write.ForEachCell([&](const Cell& cell) {
    const engine::Region& region = view.RegionOf(cell.row);
    RegionEdit& edit = by_region[static_cast<size_t>(&region - view.regions->data())];
    edit.region = &region;
    ++edit.cells;
    rpc::AppendCell(cell, kCodec, &edit.block);
  });
  std::vector<RegionEdit> edits;
  for (auto& [region, edit] : by_region) {
    edits.push_back(std::move(edit));
  }
  return edits;
}

Status LogHooks::Call(table::WriteContext& write, std::string_view hook) {
  if (!write.logged() || write.kind() == table::WriteKind::kBulkLoad) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<const HostServices> services, host_->Services());
  if (!services->log_hooks.contains(hook)) {
    return Status::Ok();
  }
  const LockedScope locked;
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  for (const RegionEdit& edit : EditsOf(write)) {
    HookArguments arguments;
    arguments.Message('R', InfoOf(write.table().name(), *edit.region)).None().Cells();
    FrameWriter call;
    call.Text(hook);
    WriteCaller(&call);
    call.U32(arguments.count()).Raw(arguments.bytes());
    call.cells()->Append(edit.block.view());
    KLIP_RETURN_IF_ERROR(lease.Call(Method::kServerEvent, call).status());
  }
  return Status::Ok();
}

Status LogHooks::BeforeCommit(table::WriteContext& write) { return Call(write, "preWALWrite"); }

Status LogHooks::Written(table::WriteContext& write) {
  (void)Call(write, "postWALWrite");  // the host logs an exception
  return Status::Ok();
}

}  // namespace klip::coprocessor
