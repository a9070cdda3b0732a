// The functions of EmbeddedAdmin for regions.
#include <utility>

#include "engine/store/regions.h"
#include "engine/store/storage.h"
#include "engine/store/views.h"
#include "klip/bytes.h"
#include "table/admin/embedded_admin.h"

namespace klip::table {

Expected<CacheEviction> EmbeddedAdmin::ClearBlockCache(std::string_view table) {
  KLIP_RETURN_IF_ERROR(store_->views().GetTable(table).status());
  return store_->storage().ClearBlockCache();
}

Expected<std::vector<RegionInfo>> EmbeddedAdmin::GetRegions(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, ViewOf(table));
  std::vector<RegionInfo> regions = store_->regions().List(*view);
  for (RegionInfo& region : regions) {
    region.server = served_.server();
  }
  return regions;
}

Expected<RegionInfo> EmbeddedAdmin::LocateRegion(std::string_view table, std::string_view row) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, ViewOf(table));
  return served_.InfoOf(*view, view->RegionOf(row));
}

Expected<RegionInfo> EmbeddedAdmin::GetRegion(std::string_view region) {
  for (const TableDescriptor& table : store_->views().ListTables()) {
    const Expected<engine::TablePtr> view = store_->views().GetTable(table.name);
    if (!view.ok()) {
      continue;  // dropped meanwhile
    }
    if (const engine::Region* found = (*view)->RegionNamed(region); found != nullptr) {
      return served_.InfoOf(**view, *found);
    }
  }
  return Status(Code::kDoNotRetry, "Unknown region " + ToStringBinary(region));
}

Expected<std::vector<RegionMetrics>> EmbeddedAdmin::GetRegionMetrics(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->views().GetTable(table));
  std::vector<RegionMetrics> metrics;
  served_.AddMetrics(*view, store_->storage().Metrics().running_compactions > 0, &metrics);
  return metrics;
}

Status EmbeddedAdmin::FlushRegion(std::string_view region, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  return store_->storage().Flush(found.table, family);
}

Status EmbeddedAdmin::CompactRegion(std::string_view region, bool major, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  return store_->storage().Compact(found.table, major, family);
}

Status EmbeddedAdmin::SplitRegion(std::string_view region, std::string_view split_key) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  if (split_key.empty()) {
    KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->views().GetTable(found.table));
    std::vector<std::string> middle = store_->storage().SplitPoints(*view, found.start_key, found.end_key, 2);
    if (middle.empty()) {
      return {Code::kDoNotRetry,
              "Region " + ToStringBinary(found.Name()) + " is not splittable because bestSplitPoint = null"};
    }
    return Split(found.table, middle[0]);
  }
  if (split_key < found.start_key || (!found.end_key.empty() && split_key >= found.end_key)) {
    return {Code::kDoNotRetry, "Split row is not inside region key range splitKey:" + ToStringBinary(split_key) +
                                   " region: " + ToStringBinary(found.Name())};
  }
  return Split(found.table, split_key);
}

Status EmbeddedAdmin::MoveRegion(std::string_view region, const std::optional<ServerName>& to) {
  KLIP_RETURN_IF_ERROR(GetRegion(region).status());
  return to.has_value() ? served_.CheckServers({&*to, 1}) : Status::Ok();
}

Status EmbeddedAdmin::AssignRegion(std::string_view region) { return GetRegion(region).status(); }

Status EmbeddedAdmin::UnassignRegion(std::string_view region) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  return {Code::kUnsupported, "a single region cannot be taken off line; disable table " + found.table};
}

}  // namespace klip::table
