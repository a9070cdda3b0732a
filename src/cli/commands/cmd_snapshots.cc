// klip snapshot, snapshots, restore: copies of a table at one moment.
#include <algorithm>

#include <fmt/chrono.h>

#include "base/while_disabled.h"
#include "cli/command.h"

namespace klip::cli {

Run AddSnapshotCommand(Arguments* args) {
  struct Take {
    TableArguments arguments;
    std::string name;
    int64_t ttl_s = 0;
  };
  auto take = std::make_shared<Take>();
  take->arguments.AddTo(args);
  args->Add("NAME", &take->name, "name of the snapshot").Required();
  args->Add("--ttl", &take->ttl_s, "seconds after which it is deleted; default never");
  return [take](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(take->arguments.store));
    KLIP_RETURN_IF_ERROR(connection->admin().Snapshot(take->name, take->arguments.table, {.ttl_s = take->ttl_s}));
    console.Print("took snapshot {} of {}\n", take->name, take->arguments.table);
    return kExitOk;
  };
}

Run AddSnapshotsCommand(Arguments* args) {
  struct Snapshots {
    std::string store;
    std::vector<std::string> dropped;
  };
  auto snapshots = std::make_shared<Snapshots>();
  args->Add("STORE", &snapshots->store, "directory of the store, or URI of a cluster").Required();
  args->Add("--drop", &snapshots->dropped, "delete this snapshot; repeatable");
  return [snapshots](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(snapshots->store));
    for (const std::string& name : snapshots->dropped) {
      KLIP_RETURN_IF_ERROR(connection->admin().DeleteSnapshot(name));
      console.Print("dropped snapshot {}\n", name);
    }
    if (snapshots->dropped.empty()) {
      KLIP_ASSIGN_OR_RETURN(const std::vector<SnapshotInfo> all, connection->admin().ListSnapshots());
      for (const SnapshotInfo& one : all) {
        console.Print("{}  of {}, {:%Y-%m-%dT%H:%M:%SZ}\n", one.name, one.table, fmt::gmtime(one.created_ms / 1000));
      }
    }
    return kExitOk;
  };
}

Run AddRestoreCommand(Arguments* args) {
  struct Restore {
    std::string store;
    std::string name;
    std::string table;
  };
  auto restore = std::make_shared<Restore>();
  args->Add("STORE", &restore->store, "directory of the store, or URI of a cluster").Required();
  args->Add("SNAPSHOT", &restore->name, "see klip snapshots").Required();
  args->Add("--as", &restore->table, "restore into a new table of this name; default: replace the original table");
  return [restore](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(restore->store));
    Admin& admin = connection->admin();
    std::string table = restore->table;
    if (!table.empty()) {
      KLIP_RETURN_IF_ERROR(admin.CloneSnapshot(restore->name, table));
    } else {
      KLIP_ASSIGN_OR_RETURN(const std::vector<SnapshotInfo> all, admin.ListSnapshots());
      const auto one =
          std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == restore->name; });
      if (one == all.end()) {
        return UsageError("no snapshot '" + restore->name + "'; klip snapshots lists them");
      }
      table = one->table;
      const auto replace = [&] { return admin.RestoreSnapshot(restore->name); };
      const bool dropped = !admin.IsTableEnabled(table).ok();
      KLIP_RETURN_IF_ERROR(dropped ? replace() : base::WhileDisabled(&admin, table, replace));
      KLIP_ASSIGN_OR_RETURN(const bool now, admin.IsTableEnabled(table));
      KLIP_RETURN_IF_ERROR(now ? Status::Ok() : admin.EnableTable(table));
    }
    console.Print("restored {} from snapshot {}\n", table, restore->name);
    return kExitOk;
  };
}

}  // namespace klip::cli
