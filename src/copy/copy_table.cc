// CopyTable: copies a table to a table.
#include <memory>
#include <string>
#include <utility>

#include "copy/copier.h"
#include "copy/new_keys.h"
#include "copy/table_source.h"
#include "copy/table_target.h"
#include "copy/tables.h"
#include "copy/write_order.h"
#include "klip/copy.h"

namespace klip {
namespace {

struct Source {
  std::unique_ptr<Table> table;
  TableDescriptor descriptor;
  std::vector<RegionInfo> regions;
};

Expected<Source> OpenSource(Connection& connection, std::string_view name, const CopyOptions& options) {
  Source source;
  KLIP_ASSIGN_OR_RETURN(source.table, connection.GetTable(name));
  KLIP_ASSIGN_OR_RETURN(source.descriptor, connection.admin().GetDescriptor(name));
  KLIP_RETURN_IF_ERROR(copy::FitDescriptor(options, &source.descriptor));
  KLIP_ASSIGN_OR_RETURN(source.regions, connection.admin().GetRegions(name));
  return source;
}

Expected<CopyPlan> PlanFor(const Source& source, Connection& target, std::string_view target_table,
                           const CopyOptions& options) {
  CopyPlan plan = {.descriptor = source.descriptor, .split_keys = copy::SplitKeysOf(source.regions)};
  plan.descriptor.name = target_table;
  if (!options.row_key.empty()) {
    KLIP_ASSIGN_OR_RETURN(const copy::NewKeys keys,
                          copy::NewKeys::Make(source.table->row_key_schema(), options.row_key));
    plan.descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = keys.schema().ToString();
    plan.split_keys.clear();  // they belong to the old keys
  }
  for (const RegionInfo& region : source.regions) {
    plan.size_bytes += region.size_bytes;
  }
  KLIP_ASSIGN_OR_RETURN(plan.creates_table, copy::NeedsTable(target, target_table, plan.descriptor));
  return plan;
}

}  // namespace

Expected<CopyPlan> PlanCopy(Connection& source, std::string_view source_table, Connection& target,
                            std::string_view target_table, const CopyOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const Source opened, OpenSource(source, source_table, options));
  return PlanFor(opened, target, target_table, options);
}

Expected<CopyCounts> CopyTable(Connection& source, std::string_view source_table, Connection& target,
                               std::string_view target_table, const CopyOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const Source opened, OpenSource(source, source_table, options));
  KLIP_ASSIGN_OR_RETURN(const CopyPlan plan, PlanFor(opened, target, target_table, options));
  KLIP_ASSIGN_OR_RETURN(copy::CopyState state, copy::OpenState(target, plan, options));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> target_handle, target.GetTable(target_table));
  copy::TableSource from(opened.table.get(), options, opened.regions, copy::NewVersionFamiliesIn(plan.descriptor));
  copy::TableTarget to(&target, target_handle.get(), copy::NeedsWriteOrder(plan.descriptor));
  std::unique_ptr<copy::CopyTarget> rekeyed;
  if (!options.row_key.empty()) {
    KLIP_ASSIGN_OR_RETURN(copy::NewKeys keys, copy::NewKeys::Make(opened.table->row_key_schema(), options.row_key));
    rekeyed = std::make_unique<copy::RekeyedTarget>(&to, std::move(keys));
  }
  copy::CopyTarget* const cells = rekeyed == nullptr ? &to : rekeyed.get();
  KLIP_ASSIGN_OR_RETURN(const CopyCounts counts, copy::RunCopy(&from, cells, options, &state));
  KLIP_RETURN_IF_ERROR(state.Remove());
  return counts;
}

}  // namespace klip
