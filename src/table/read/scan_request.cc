#include "table/read/scan_request.h"

#include <algorithm>
#include <string_view>
#include <thread>
#include <utility>

#include "klip/bytes.h"
#include "rowkey/key_parts.h"

namespace klip::table {
namespace {

using filter::RowSet;
using RowSetPtr = std::shared_ptr<const RowSet>;

// Both sets; either may be null. Null when that would be too large a set: then *whole is false and `a` alone is kept.
RowSetPtr Both(RowSetPtr a, RowSetPtr b, bool* whole) {
  *whole = true;
  if (a == nullptr || b == nullptr) {
    return a == nullptr ? b : a;
  }
  RowSetPtr both = RowSet::Intersect(*a, *b);
  *whole = both != nullptr;
  return both != nullptr ? both : a;
}

// Filters that remember rows begin anew in each region; pieces of a parallel scan are not regions.
int ThreadsOf(const klip::Scan& scan, const FilterPtr& filter) {
  // A few rows are found faster than threads are told of them.
  constexpr int64_t kFewRows = 1000;
  if (scan.threads == 1 || scan.threads < 0 || (scan.limit_rows > 0 && scan.limit_rows <= kFewRows) ||
      (filter != nullptr && filter->RemembersRows())) {
    return 1;
  }
  return scan.threads > 0 ? scan.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

RowRange RangeOf(const klip::Scan& scan) {
  if (scan.reversed) {
    return {scan.stop_row, scan.include_stop, scan.start_row, scan.include_start};
  }
  return {scan.start_row, scan.include_start, scan.stop_row, scan.include_stop};
}

void SetRange(const RowRange& range, klip::Scan* scan) {
  const bool up = !scan->reversed;
  scan->start_row = up ? range.start : range.stop;
  scan->include_start = up ? range.include_start : range.include_stop;
  scan->stop_row = up ? range.stop : range.start;
  scan->include_stop = up ? range.include_stop : range.include_start;
}

Expected<TableStatistics> StatisticsOf(engine::Store* store, const TableInfo& info) {
  KLIP_ASSIGN_OR_RETURN(TableStatistics statistics, store->Statistics(*info.view));
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

const rowkey::Plan& ScanRequest::Plan() {
  if (!plan.has_value()) {
    rowkey::PlanInput input;
    input.table = info->name();
    input.scan = &scan;
    input.schema = info->schema.has_value() ? &*info->schema : nullptr;
    input.rows = rows;
    input.residual_filter = filter == nullptr ? std::string() : ToStringBinary(filter->ToString());
    input.threads = threads;
    if (Expected<TableStatistics> statistics = StatisticsOf(shared->store.get(), *info); statistics.ok()) {
      input.statistics = *std::move(statistics);
      input.has_statistics = true;
    }
    plan = rowkey::MakePlan(input);
  }
  return *plan;
}

engine::RowScanSpec ScanRequest::Spec() const {
  engine::RowScanSpec spec;
  spec.scan = scan;
  spec.filter = filter;
  spec.watch = watch;
  if (!watch && cancel.armed()) {
    spec.watch = [token = cancel](std::string_view) {
      return token.cancelled() ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
    };
  }
  if (plan.has_value()) {
    SetRange(plan->bounds, &spec.scan);
    spec.rows = plan->rows;
    spec.expected_gap_rows = plan->expected_gap_rows;
  } else {
    spec.rows = rows;
  }
  return spec;
}

Expected<ScanRequest> PrepareScan(Shared* shared, InfoPtr info, const klip::Scan& scan) {
  ScanRequest request = {.shared = shared, .info = std::move(info), .scan = scan, .cancel = CancelToken::Current()};
  request.has_filter = scan.filter != nullptr;
  bool whole = true;
  if (scan.where.has_value()) {
    if (!request.info->schema.has_value()) {
      return Status(Code::kInvalidArgument, "table '" + request.info->name() + "' has no row-key schema (attribute " +
                                                std::string(RowKeySchema::kTableAttribute) +
                                                "), so key fields cannot be asked for");
    }
    KLIP_ASSIGN_OR_RETURN(request.rows, request.info->schema->Compile(*scan.where));
    // `where` is kept: the plan names the conditions by field.
  }
  if (scan.filter != nullptr) {
    bool exact = false;
    const RowSetPtr passing = scan.filter->Rows(scan.reversed, &exact);
    request.rows = Both(std::move(request.rows), passing, &whole);
    // A raw scan counts versions otherwise when it has a filter, whichever one.
    if (!(passing != nullptr && exact && whole) || scan.raw) {
      request.filter = scan.filter;
    }
    request.scan.filter = nullptr;
  }
  request.threads = ThreadsOf(scan, request.filter);
  if (request.rows != nullptr) {
    const RowRange range = RangeOf(scan);
    if (!range.start.empty() || !range.stop.empty()) {
      request.rows = Both(std::move(request.rows), RowSet::FromRanges({range}), &whole);
    }
    request.Plan();
  }
  return request;
}

}  // namespace klip::table
