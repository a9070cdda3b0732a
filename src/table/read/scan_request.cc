#include "table/read/scan_request.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "rowkey/column_filter.h"
#include "rowkey/key_parts.h"
#include "rowkey/query_names.h"

namespace klip::table {
namespace {

constexpr rowkey::Capabilities kEmbedded = {.jumps = true, .parallel = true};

std::vector<std::string> RowsOf(const CoveredRows& covered) {
  std::vector<std::string> rows;
  for (const CoveredRows::Row& row : covered.rows) {
    rows.push_back(row.row);
  }
  return rows;
}

}  // namespace

Expected<TableStatistics> StatisticsOf(engine::Storage* storage, const TableInfo& info) {
  KLIP_ASSIGN_OR_RETURN(TableStatistics statistics, storage->Statistics(*info.view));
  if (info.schema.has_value()) {
    const std::vector<rowkey::KeyPart> parts = rowkey::KeyParts(*info.schema);
    // Files written under another schema may count other parts.
    statistics.fields.resize(std::min(statistics.fields.size(), parts.size()));
    for (size_t i = 0; i < statistics.fields.size(); ++i) {
      statistics.fields[i].name = parts[i].name;
    }
  } else {
    statistics.fields.clear();
  }
  return statistics;
}

rowkey::Plan ScanRequest::MakePlan(bool by_sample) const {
  rowkey::AccessPath path;
  path.schema = info->schema.has_value() ? &*info->schema : nullptr;
  path.rows = by_index.covered == nullptr ? needs.rows : SetOfRows(RowsOf(*by_index.covered));
  if (Expected<TableStatistics> statistics = StatisticsOf(&shared->store->storage(), *info); statistics.ok()) {
    path.statistics = *std::move(statistics);
    if (by_sample) {
      path.keys = shared->store->storage().SampleOf(*info->view);
    }
  }
  rowkey::Plan made = rowkey::PlanScan(scan, info->name(), needs, {&path, 1}, kEmbedded).plan;
  made.explain.index = by_index.index;
  made.explain.index_only = by_index.covered != nullptr;
  if (columns.has_value()) {
    rowkey::DescribeColumns(*columns, by_index.index.empty() ? "check" : "index", &made.explain);
  }
  made.explain.candidates.insert(made.explain.candidates.end(), by_index.not_taken.begin(), by_index.not_taken.end());
  return made;
}

const rowkey::Plan& ScanRequest::Plan() {
  if (!plan.has_value()) {
    plan = MakePlan(/*by_sample=*/false);
  }
  return *plan;
}

// Of a set of rows, whatever the plan is called, a scan steps to near ones and seeks far ones. Only point gets are another
// way, and that choice was made without the sample, as planning by it takes longer than many a scan.
klip::Explain ScanRequest::Explain() const {
  klip::Explain sampled = MakePlan(/*by_sample=*/true).explain;
  const auto gets = [](const klip::Explain& explain) { return explain.kind == PlanKind::kPointGets; };
  return plan.has_value() && gets(plan->explain) != gets(sampled) ? plan->explain : sampled;
}

engine::RowScanSpec ScanRequest::Spec() const {
  engine::RowScanSpec spec;
  spec.scan = scan;
  spec.filter = needs.filter;
  spec.watch = watch;
  if (!watch && cancel.armed()) {
    spec.watch = [token = cancel](std::string_view) {
      return token.cancelled() ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
    };
  }
  if (plan.has_value()) {
    rowkey::SetRange(plan->bounds, &spec.scan);
    spec.rows = plan->rows;
    spec.expected_gap_rows = plan->expected_gap_rows;
  } else {
    spec.rows = needs.rows;
  }
  return spec;
}

Expected<ScanRequest> PrepareScan(Shared* shared, InfoPtr info, engine::ReadViewPtr view, const klip::Scan& asked,
                                  size_t first_entries) {
  if (rowkey::HasWhereAttribute(asked)) [[unlikely]] {
    KLIP_ASSIGN_OR_RETURN(const rowkey::QueryNames names, rowkey::QueryNamesOf(info->view->descriptor));
    KLIP_ASSIGN_OR_RETURN(const klip::Scan scan, rowkey::WithWhereOfAttribute(names, asked));
    return PrepareScan(shared, std::move(info), std::move(view), scan, first_entries);
  }
  const RowKeySchema* schema = info->schema.has_value() ? &*info->schema : nullptr;
  ScanRequest request = {.shared = shared, .info = std::move(info), .view = std::move(view), .scan = asked};
  if (asked.where.has_value() && rowkey::AsksColumns(*asked.where)) {
    KLIP_ASSIGN_OR_RETURN(request.scan, rowkey::WithColumnFilter(asked, schema, /*mixed=*/true));
    request.columns = asked.where;
  }
  request.has_filter = request.scan.filter != nullptr;
  request.cancel = CancelToken::Current();
  KLIP_ASSIGN_OR_RETURN(request.needs, rowkey::NeedsOf(request.scan, request.info->name(), schema, kEmbedded));
  if (request.view != nullptr) {
    request.needs.threads = 1;  // what the transaction writes meanwhile would be read by other threads
  }
  if (request.info->indexes != nullptr) [[unlikely]] {
    KLIP_ASSIGN_OR_RETURN(request.by_index, RowsByIndex(request.source(), &shared->store->storage(), *request.info,
                                                        request.scan, first_entries));
    if (request.by_index.rows != nullptr) {
      auto both = request.needs.rows == nullptr
                      ? request.by_index.rows
                      : filter::RowSet::Intersect(*request.needs.rows, *request.by_index.rows);
      request.needs.rows = both != nullptr ? std::move(both) : std::move(request.needs.rows);
    }
  }
  request.scan.filter = nullptr;  // `where` stays: the plan names the conditions by field
  if (request.needs.rows != nullptr && request.by_index.covered == nullptr) {
    request.Plan();
  }
  return request;
}

}  // namespace klip::table
