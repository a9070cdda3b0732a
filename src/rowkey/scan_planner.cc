#include "rowkey/scan_planner.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "rowkey/explain_text.h"

namespace klip::rowkey {
namespace {

using filter::RowSet;
using RowSetPtr = std::shared_ptr<const RowSet>;

// The intersection of two sets, where null is the set of all rows. If it has too many boxes the result is `a` alone, and *whole false.
RowSetPtr IntersectOrFirst(const RowSetPtr& a, const RowSetPtr& b, bool* whole) {
  *whole = true;
  if (a == nullptr || b == nullptr) {
    return a == nullptr ? b : a;
  }
  RowSetPtr both = RowSet::Intersect(*a, *b);
  *whole = both != nullptr;
  return both != nullptr ? both : a;
}

// Filters that remember rows start again in each region, but pieces of a parallel scan are not regions.
int ThreadsOf(const Scan& scan, const FilterPtr& filter) {
  // TUNING: to find a few rows takes less time than to start threads.
  constexpr int64_t kFewRows = 1000;
  if (scan.threads == 1 || scan.threads < 0 || (scan.limit_rows > 0 && scan.limit_rows <= kFewRows) ||
      (filter != nullptr && filter->RemembersRows())) {
    return 1;
  }
  return scan.threads > 0 ? scan.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

bool IsTrivial(const Plan& plan) { return plan.explain.estimated.time_us < kTrivialUs; }

// Whether `plan` is to be taken instead of that of a path before it.
bool IsCheaper(const Plan& plan, const Plan& before) {
  if (plan.counted && before.counted && plan.explain.kind != PlanKind::kEmpty) {
    return !(IsTrivial(plan) && IsTrivial(before)) && plan.explain.estimated.time_us < before.explain.estimated.time_us;
  }
  return plan.explain.kind < before.explain.kind;  // without figures: in the order of PlanKind
}

std::string WhyNotPath(const Plan& loser, const Plan& chosen) {
  if (chosen.explain.kind == PlanKind::kEmpty) {
    return "no row can match";
  }
  if (!loser.counted || !chosen.counted) {
    return "costs cannot be compared without statistics";
  }
  std::string why =
      FormatTime(loser.explain.estimated.time_us) + " instead of " + FormatTime(chosen.explain.estimated.time_us);
  return IsTrivial(loser) && IsTrivial(chosen) ? why + ", too small a difference" : why;
}

}  // namespace

RowRange RangeOf(const Scan& scan) {
  if (scan.reversed) {
    return {scan.stop_row, scan.include_stop, scan.start_row, scan.include_start};
  }
  return {scan.start_row, scan.include_start, scan.stop_row, scan.include_stop};
}

void SetRange(const RowRange& range, Scan* scan) {
  scan->start_row = scan->reversed ? range.stop : range.start;
  scan->include_start = scan->reversed ? range.include_stop : range.include_start;
  scan->stop_row = scan->reversed ? range.start : range.stop;
  scan->include_stop = scan->reversed ? range.include_start : range.include_stop;
  // An empty row is an end of the table, whether it is included or not.
  scan->include_start = scan->include_start || scan->start_row.empty();
  scan->include_stop = scan->include_stop && !scan->stop_row.empty();
}

Expected<ScanNeeds> NeedsOf(const Scan& scan, std::string_view table, const RowKeySchema* schema,
                            const Capabilities& can) {
  ScanNeeds needs;
  if (scan.where.has_value()) {
    if (schema == nullptr) {
      return Status(Code::kInvalidArgument, "table '" + std::string(table) + "' has no row-key schema (attribute " +
                                                std::string(RowKeySchema::kTableAttribute) +
                                                "), so a query cannot name key fields");
    }
    KLIP_ASSIGN_OR_RETURN(needs.rows, schema->Compile(*scan.where));
  }
  needs.filter = scan.filter;
  bool whole = true;
  needs.rows = IntersectOrFirst(needs.rows, scan.rows, &whole);
  if (!whole) {
    return Status(Code::kInvalidArgument,
                  "the rows wanted are too many combinations with the conditions on key fields");
  }
  if (can.jumps && scan.filter != nullptr) {
    bool exact = false;
    const RowSetPtr passing = scan.filter->Rows(scan.reversed, &exact);
    needs.rows = IntersectOrFirst(needs.rows, passing, &whole);
    // A raw scan counts versions differently if it has a filter, whichever one: there it stays.
    if (passing != nullptr && exact && whole && !scan.raw) {
      needs.filter = nullptr;
    }
  }
  if (const RowRange range = RangeOf(scan);
      can.jumps && needs.rows != nullptr && !(range.start.empty() && range.stop.empty())) {
    needs.rows = IntersectOrFirst(needs.rows, RowSet::FromRanges({range}), &whole);
  }
  needs.threads = can.parallel ? ThreadsOf(scan, needs.filter) : 1;
  return needs;
}

ScanPlan PlanScan(const Scan& scan, std::string_view table, const ScanNeeds& needs, std::span<const AccessPath> paths,
                  const Capabilities& can) {
  PlanInput input;
  input.table = std::string(table);
  input.scan = &scan;
  input.residual_filter = needs.filter == nullptr ? std::string() : ToStringBinary(needs.filter->ToString());
  input.threads = needs.threads;
  std::vector<Plan> plans;
  ScanPlan chosen = {.filter = needs.filter};
  for (const AccessPath& path : paths) {
    input.path = &path;
    plans.push_back(MakePlan(input));
    if (IsCheaper(plans.back(), plans[chosen.path])) {
      chosen.path = plans.size() - 1;
    }
  }
  chosen.plan = std::move(plans[chosen.path]);
  Explain& explain = chosen.plan.explain;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (i != chosen.path) {
      explain.candidates.push_back({.kind = plans[i].explain.kind,
                                    .cost = plans[i].explain.estimated,
                                    .why_not = WhyNotPath(plans[i], chosen.plan),
                                    .path = paths[i].name.empty() ? input.table : paths[i].name});
    }
  }
  if (can.push_down != nullptr && chosen.plan.rows != nullptr) {
    bool exact = false;
    FilterPtr jumps = can.push_down(*chosen.plan.rows, scan.reversed, &exact);
    if (jumps != nullptr) {
      chosen.filter = needs.filter == nullptr
                          ? std::move(jumps)
                          : FilterList(ListOperator::kMustPassAll, {std::move(jumps), needs.filter});
      explain.filter = ToStringBinary(chosen.filter->ToString());
    }
    if (exact) {
      chosen.plan.rows = nullptr;
    }
  }
  return chosen;
}

}  // namespace klip::rowkey
