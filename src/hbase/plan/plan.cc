// Row-key schemas and plans on a cluster: the rows wanted become bounds and stock filters, and what those let pass is looked up
// in the set of rows here.
#include <algorithm>
#include <utility>

#include "hbase/admin/remote_admin.h"
#include "hbase/plan/pushdown.h"
#include "hbase/table/remote_table.h"
#include "hbase/table/scanner.h"
#include "klip/bytes.h"
#include "rowkey/planner.h"

namespace klip::client {
namespace {

// TUNING: HBase's filters jump by hints, and its region servers read on to what is near. So a jump counts as the one row that it
// lands on, and never as dearer than reading what lies between.
constexpr rowkey::CostModel kRemoteCosts = {.seek_us = 0, .step_us = 1, .return_us = 2};

void SetRange(const RowRange& range, klip::Scan* scan) {
  scan->start_row = scan->reversed ? range.stop : range.start;
  scan->include_start = scan->reversed ? range.include_stop : range.include_start;
  scan->stop_row = scan->reversed ? range.start : range.stop;
  scan->include_stop = scan->reversed ? range.include_start : range.include_stop;
  // An empty row is an end of the table whether it is included or not.
  scan->include_start = scan->include_start || scan->start_row.empty();
  scan->include_stop = scan->include_stop && !scan->stop_row.empty();
}

}  // namespace

Expected<std::optional<RowKeySchema>> RemoteTable::Schema() const {
  const std::lock_guard lock(mutex_);
  if (!schema_known_) {
    KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, RemoteAdmin(cluster_).GetDescriptor(name_));
    const auto text = descriptor.attributes.find(std::string(RowKeySchema::kTableAttribute));
    if (text != descriptor.attributes.end()) {
      KLIP_ASSIGN_OR_RETURN(schema_, RowKeySchema::Parse(text->second));
    }
    schema_known_ = true;
  }
  return schema_;
}

std::optional<RowKeySchema> RemoteTable::row_key_schema() const {
  Expected<std::optional<RowKeySchema>> schema = Schema();
  return schema.ok() ? *std::move(schema) : std::nullopt;
}

Expected<ScanWork> RemoteTable::Prepare(const klip::Scan& scan, bool explain) const {
  ScanWork work = {.scan = scan};
  if (!scan.where.has_value() && !explain) {
    return work;
  }
  KLIP_ASSIGN_OR_RETURN(const std::optional<RowKeySchema> schema, Schema());
  if (scan.where.has_value()) {
    if (!schema.has_value()) {
      return Status(Code::kInvalidArgument, "table '" + name_ + "' has no row-key schema (attribute " +
                                                std::string(RowKeySchema::kTableAttribute) +
                                                "), so key fields cannot be asked for");
    }
    KLIP_ASSIGN_OR_RETURN(work.rows, schema->Compile(*scan.where));
  }
  rowkey::PlanInput input;
  input.table = name_;
  input.scan = &scan;
  input.schema = schema.has_value() ? &*schema : nullptr;
  input.rows = work.rows;
  if (scan.filter != nullptr) {
    input.residual_filter = ToStringBinary(scan.filter->ToString());
  }
  // What is sent does not depend on them.
  if (Expected<TableStatistics> statistics = explain ? Sample() : TableStatistics(); explain && statistics.ok()) {
    input.statistics = *std::move(statistics);
    input.has_statistics = true;
    input.costs = kRemoteCosts;
  }
  rowkey::Plan plan = rowkey::MakePlan(input);
  work.rows = plan.rows;
  work.plan = std::move(plan.explain);
  SetRange(plan.bounds, &work.scan);
  if (work.rows != nullptr) {
    bool exact = false;
    FilterPtr jumps = PushDown(*work.rows, scan.reversed, &exact);
    if (jumps != nullptr && scan.filter != nullptr) {
      jumps = FilterList(ListOperator::kMustPassAll, {std::move(jumps), scan.filter});
    }
    if (jumps != nullptr) {
      work.scan.filter = std::move(jumps);
      work.plan.filter = ToStringBinary(work.scan.filter->ToString());
    }
    if (exact) {
      work.rows = nullptr;
    }
  }
  work.scan.where.reset();
  return work;
}

Expected<std::unique_ptr<ResultScanner>> RemoteTable::Scan(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(ScanWork work, Prepare(scan, /*explain=*/false));
  return OpenScanner(cluster_, name_, std::move(work));
}

Expected<klip::Explain> RemoteTable::Explain(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(ScanWork work, Prepare(scan, /*explain=*/true));
  return std::move(work.plan);
}

}  // namespace klip::client
