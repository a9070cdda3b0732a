// Row-key schemas and plans on a cluster: the wanted rows become bounds and stock filters, and the client checks the
// returned rows against the row set.
#include <utility>

#include "filter/proto/filter_proto.h"
#include "hbase/admin/remote_admin.h"
#include "hbase/plan/index_scan.h"
#include "hbase/plan/pushdown.h"
#include "hbase/table/remote_table.h"
#include "hbase/table/scanner.h"
#include "rowkey/column_filter.h"
#include "rowkey/query_names.h"
#include "rowkey/scan_planner.h"

namespace klip::client {
namespace {

// TUNING: HBase's filters jump by hints, and its region servers step to near rows. So a jump costs as much as the one row
// that it reaches, and never more than reading the rows in between.
constexpr rowkey::CostModel kRemoteCosts = {.seek_us = 0, .far_seek_us = 0, .step_us = 1, .return_us = 2};

constexpr rowkey::Capabilities kRemote = {.jumps = false, .push_down = PushDown};

}  // namespace

Expected<ScanWork> PlanOnCluster(const klip::Scan& asked, const std::string& table, const RowKeySchema* schema,
                                 std::optional<TableStatistics> statistics) {
  rowkey::AccessPath path;
  path.schema = schema;
  ScanWork work;
  KLIP_ASSIGN_OR_RETURN(work.scan, rowkey::WithColumnFilter(asked, schema, /*mixed=*/false));
  KLIP_ASSIGN_OR_RETURN(const rowkey::ScanNeeds needs, rowkey::NeedsOf(work.scan, table, schema, kRemote));
  path.rows = needs.rows;
  if (statistics.has_value()) {
    path.statistics = std::move(statistics);
    path.costs = kRemoteCosts;
  }
  rowkey::ScanPlan planned = rowkey::PlanScan(work.scan, table, needs, {&path, 1}, kRemote);
  work.rows = std::move(planned.plan.rows);
  work.plan = std::move(planned.plan.explain);
  if (asked.where.has_value()) {
    rowkey::DescribeColumns(*asked.where, "check", &work.plan);
  }
  work.scan.filter = std::move(planned.filter);
  rowkey::SetRange(planned.plan.bounds, &work.scan);
  work.scan.where.reset();
  work.scan.rows.reset();
  return work;
}

Expected<std::shared_ptr<const rowkey::QueryNames>> RemoteTable::Names() const {
  const std::lock_guard lock(mutex_);
  if (names_ == nullptr) {
    KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, RemoteAdmin(cluster_).GetDescriptor(name_));
    KLIP_ASSIGN_OR_RETURN(rowkey::QueryNames names, rowkey::QueryNamesOf(descriptor));
    names_ = std::make_shared<const rowkey::QueryNames>(std::move(names));
  }
  return names_;
}

Expected<std::optional<RowKeySchema>> RemoteTable::Schema() const {
  KLIP_ASSIGN_OR_RETURN(const auto names, Names());
  return names->schema;
}

Expected<KeyQuery> RemoteTable::ParseQuery(std::string_view text) const {
  KLIP_ASSIGN_OR_RETURN(const auto names, Names());
  return rowkey::ParseQuery(*names, text);
}

std::optional<RowKeySchema> RemoteTable::row_key_schema() const {
  Expected<std::optional<RowKeySchema>> schema = Schema();
  return schema.ok() ? *std::move(schema) : std::nullopt;
}

// nullopt: reading them failed.
std::optional<TableStatistics> RemoteTable::SampledStatistics() const {
  std::optional<TableStatistics> known = cluster_->samples().Find(name_, Clock::now());
  if (!known.has_value()) {
    if (Expected<TableStatistics> sample = Sample(); sample.ok()) {
      cluster_->samples().Put(name_, *sample, Clock::now());
      known = *std::move(sample);
    }
  }
  return known;
}

Expected<ScanWork> RemoteTable::Prepare(const klip::Scan& asked, bool explain) const {
  if (rowkey::HasWhereAttribute(asked)) [[unlikely]] {
    KLIP_ASSIGN_OR_RETURN(const auto names, Names());
    KLIP_ASSIGN_OR_RETURN(const klip::Scan scan, rowkey::WithWhereOfAttribute(*names, asked));
    return Prepare(scan, explain);
  }
  if (!asked.plan.empty() || !asked.order_by_index.empty()) {
    return Status(Code::kUnsupported, std::string("scans of a cluster do not support ") +
                                          (asked.plan.empty() ? "the order of an index" : "a forced plan"));
  }
  if (!asked.where.has_value() && asked.rows == nullptr && !explain) {
    return ScanWork{.scan = asked};
  }
  KLIP_ASSIGN_OR_RETURN(const std::optional<RowKeySchema> schema, Schema());
  // The request does not depend on statistics, so a plain scan needs none.
  std::optional<TableStatistics> statistics = explain ? SampledStatistics() : std::nullopt;
  return PlanOnCluster(asked, name_, schema.has_value() ? &*schema : nullptr, std::move(statistics));
}

Expected<std::unique_ptr<ResultScanner>> RemoteTable::Scan(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(ScanWork work, Prepare(scan, /*explain=*/false));
  if (work.scan.filter != nullptr) {  // a filter that no server has fails here, not in the first Next
    KLIP_RETURN_IF_ERROR(filter::FilterToProto(*work.scan.filter).status());
  }
  KLIP_ASSIGN_OR_RETURN(const IndexChoice choice, ChooseIndex(indexes_, name_, work));
  if (choice.index != nullptr) {
    KLIP_ASSIGN_OR_RETURN(const bool ready, indexes_->IsReady(*choice.index));
    std::optional<std::vector<std::string>> rows;
    if (ready) {
      KLIP_ASSIGN_OR_RETURN(rows, RowsByIndex(cluster_, choice, work));
    } else {
      indexes_->Forget(name_);
    }
    if (rows.has_value()) {
      work.plan = ExplainIndex(choice, work, name_);
      return OpenRowsScanner(cluster_, name_, std::move(work), *std::move(rows));
    }
  }
  return OpenScanner(cluster_, name_, std::move(work));
}

Expected<klip::Explain> RemoteTable::Explain(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(ScanWork work, Prepare(scan, /*explain=*/true));
  KLIP_ASSIGN_OR_RETURN(const IndexChoice choice, ChooseIndex(indexes_, name_, work));
  return choice.index == nullptr ? std::move(work.plan) : ExplainIndex(choice, work, name_);
}

}  // namespace klip::client
