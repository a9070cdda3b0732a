#include "table/admin/served_store.h"

#include <algorithm>
#include <utility>

#include "base/process.h"
#include "engine/store/regions.h"
#include "engine/store/storage.h"

namespace klip::table {

ServedStore::ServedStore(engine::Store* store) : store_(store), server_({base::HostName(), 0, store->NowMs()}) {}

void ServedStore::Serve(ServerName server, std::string cluster_id, SlowCallSource slow_calls) {
  server_ = std::move(server);
  cluster_id_ = std::move(cluster_id);
  slow_calls_ = std::move(slow_calls);
}

bool ServedStore::SetSwitch(MasterSwitch which, bool on) {
  switch (which) {
    case MasterSwitch::kSplit:
      return store_->regions().SetSplitEnabled(on);
    case MasterSwitch::kMerge:
      return store_->regions().SetMergeEnabled(on);
    default:
      return switches_[static_cast<size_t>(which)].exchange(on);
  }
}

bool ServedStore::IsOn(MasterSwitch which) const {
  switch (which) {
    case MasterSwitch::kSplit:
      return store_->regions().IsSplitEnabled();
    case MasterSwitch::kMerge:
      return store_->regions().IsMergeEnabled();
    default:
      return switches_[static_cast<size_t>(which)].load();
  }
}

Status ServedStore::CheckServers(std::span<const ServerName> servers) const {
  for (const ServerName& server : servers) {
    if (server.host != server_.host || server.port != server_.port) {
      return {Code::kDoNotRetry, "no server " + server.ToString() + ": the only server is " + server_.ToString()};
    }
  }
  return Status::Ok();
}

RegionInfo ServedStore::InfoOf(const engine::TableView& table, const engine::Region& region) const {
  RegionInfo info = store_->regions().InfoOf(table, region);
  info.server = server_;
  return info;
}

void ServedStore::AddMetrics(const engine::TableView& table, bool compacts, std::vector<RegionMetrics>* metrics) const {
  if (!table.enabled) {
    return;
  }
  const std::vector<RegionInfo> regions = store_->regions().List(table);
  const std::vector<int32_t> files = store_->storage().FileCounts(table);
  for (size_t i = 0; i < regions.size(); ++i) {
    const RegionInfo& region = regions[i];
    RegionMetrics one;
    one.compaction = compacts ? CompactionState::kMinor : CompactionState::kNone;
    one.name = region.Name();
    one.stores = static_cast<int32_t>(table.families.size());
    one.file_bytes = store_->storage().ApproximateBytes(table, region.start_key, region.end_key, /*memory=*/false);
    one.uncompressed_file_bytes = one.file_bytes;
    one.memstore_bytes = std::max<int64_t>(0, region.size_bytes - one.file_bytes);
    one.store_files = files[i];
    one.data_locality = 1;
    metrics->push_back(std::move(one));
  }
}

}  // namespace klip::table
