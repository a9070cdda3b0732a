#include "rowkey/scan_planner.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "rowkey/explain_text.h"
#include "rowkey/sample_estimate.h"

namespace klip::rowkey {
namespace {

using filter::RowSet;
using RowSetPtr = std::shared_ptr<const RowSet>;

// The intersection of two sets, where null is the set of all rows. If it needs too many boxes, returns `a` and sets
// *whole to false.
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
  // TUNING: finding a few rows takes less time than starting threads.
  constexpr int64_t kFewRows = 1000;
  if (scan.threads == 1 || scan.threads < 0 || (scan.limit_rows > 0 && scan.limit_rows <= kFewRows) ||
      (filter != nullptr && filter->RemembersRows())) {
    return 1;
  }
  return scan.threads > 0 ? scan.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

bool IsTrivial(const Plan& plan) { return plan.explain.estimated.time_us < kTrivialUs; }

// Whether `plan` replaces that of an earlier path.
bool IsCheaper(const Plan& plan, const Plan& before) {
  if (plan.counted && before.counted && plan.explain.kind != PlanKind::kEmpty) {
    return !(IsTrivial(plan) && IsTrivial(before)) && plan.explain.estimated.time_us < before.explain.estimated.time_us;
  }
  return plan.explain.kind < before.explain.kind;  // without statistics: in the order of PlanKind
}

// `why_forced`: of the chosen plan; empty: it is the cheapest.
std::string WhyNotPath(const Plan& loser, const Plan& chosen, std::string_view why_forced) {
  if (chosen.explain.kind == PlanKind::kEmpty) {
    return "no row can match";
  }
  if (!loser.counted || !chosen.counted) {
    return "costs cannot be compared without statistics";
  }
  const PlanCost& cost = loser.explain.estimated;
  const double chosen_us = chosen.explain.estimated.time_us;
  std::string why = cost.entries_read > 0 ? "reads " + FormatCount(std::ceil(cost.entries_read)) + " entries and " +
                                                FormatCount(std::ceil(cost.rows_read)) + " rows: "
                                          : "reads " + FormatCount(std::ceil(cost.rows_read)) + " rows: ";
  why += FormatTime(cost.time_us) + " instead of " + FormatTime(chosen_us);
  if (!why_forced.empty() && cost.time_us < chosen_us) {
    return why.append(why_forced);
  }
  return IsTrivial(loser) && IsTrivial(chosen) ? why + ", too small a difference" : why;
}

std::string NameOf(const AccessPath& path) { return "index " + path.name; }

// Of the table's own plans.
std::optional<PlanKind> KindNamed(std::string_view name) {
  for (const PlanKind kind : {PlanKind::kPointGets, PlanKind::kRange, PlanKind::kSkipScan, PlanKind::kFullWalk}) {
    if (name == PlanKindName(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

// For the paths not taken: each index once, and the table with its cheapest plan.
void ExplainOtherPaths(std::span<const AccessPath> paths, const std::vector<Plan>& plans, std::string_view why_forced,
                       ScanPlan* chosen) {
  std::vector<Explain::Candidate>& all = chosen->plan.explain.candidates;
  if (chosen->path > 0) {
    all.resize(1);  // the ways to read its entries do not matter
    all[0].index = paths[chosen->path].name;
  }
  for (size_t i = 0; i < plans.size(); ++i) {
    const std::vector<Explain::Candidate>& candidates = plans[i].explain.candidates;
    for (size_t j = 0; i != chosen->path && j < (i == 0 ? plans[i].possible : 1); ++j) {
      Plan one = {.explain = {.kind = candidates[j].kind, .estimated = candidates[j].cost},
                  .counted = plans[i].counted};
      all.push_back({.kind = candidates[j].kind,
                     .cost = candidates[j].cost,
                     .why_not = WhyNotPath(one, chosen->plan, why_forced),
                     .index = paths[i].name});
    }
  }
}

// `before`: those of the same paths; empty: none yet.
std::vector<Plan> PlansOf(std::span<const AccessPath> paths, std::optional<PlanKind> forced, PlanInput input,
                          const std::vector<Plan>& before = {}) {
  std::vector<Plan> plans;
  for (const AccessPath& path : paths) {
    input.path = &path;
    input.before = before.empty() ? nullptr : &before[plans.size()];
    input.forced = plans.empty() ? forced : std::nullopt;
    plans.push_back(MakePlan(input));
  }
  return plans;
}

// The share of the wanted rows that pass, as far as indexes show; conditions on different columns are assumed to be independent.
std::optional<double> ShareByIndexes(std::span<const AccessPath> paths, const std::vector<Plan>& plans) {
  std::vector<size_t> order;
  for (size_t i = 1; i < paths.size(); ++i) {
    if (plans[i].counted) {
      order.push_back(i);
    }
  }
  if (order.empty()) {
    return std::nullopt;
  }
  std::ranges::sort(order, {}, [&](size_t i) { return plans[i].matching; });
  const double all = std::max(1.0, plans[0].matching);
  double share = 1;
  std::set<std::string> seen;
  for (const size_t i : order) {
    const auto is_new = [&](const std::string& column) { return !seen.contains(column); };
    if (std::ranges::all_of(paths[i].columns, is_new)) {
      share *= std::min(1.0, plans[i].matching / all);
      seen.insert(paths[i].columns.begin(), paths[i].columns.end());
    }
  }
  return share;
}

// `known`: the share by indexes; without them, all tested rows count a little.
//
// Example: 40 wanted rows are in the sample, and 4 pass; of 256 others 64 do. Then (4 + 3) / (40 + 3 * 296 / 68) = 13 % pass.
// If no tested row passed, all that is known is that fewer than `wanted` / tested rows pass, or few more; perhaps none.
double ShareByTest(const TestedRows& tested, double wanted, std::optional<double> known) {
  constexpr double kKnownHits = 3;
  constexpr double kNone = 0.1;  // rows that pass, if none of those tested did
  if (tested.all_wanted) {
    return tested.wanted_passed / std::max(1.0, tested.wanted);
  }
  const double count = std::max(1.0, tested.wanted + tested.others);
  const double passed = tested.wanted_passed + tested.others_passed;
  const double all = (passed > 0 ? passed : std::min(kNone, std::sqrt(count / std::max(1.0, wanted)))) / count;
  return BlendedShare(tested.wanted_passed, tested.wanted, known.value_or(all), kKnownHits);
}

// The number of rows that pass the filter; nullopt: unknown.
std::optional<double> MatchingOf(std::span<const AccessPath> paths, const std::vector<Plan>& plans,
                                 const std::optional<TestedRows>& tested) {
  if (!plans[0].counted) {
    return std::nullopt;
  }
  std::optional<double> share = ShareByIndexes(paths, plans);
  share = tested.has_value() ? ShareByTest(*tested, plans[0].matching, share) : share;
  return share.has_value() ? std::optional(*share * plans[0].matching) : std::nullopt;
}

// The table's plans, then the indexes.
std::string NamesOf(std::span<const AccessPath> paths, const Plan& of_table) {
  std::string names;
  for (size_t i = 0; i < of_table.possible; ++i) {
    names += (names.empty() ? "" : ", ") + of_table.explain.candidates[i].Name();
  }
  for (const AccessPath& path : paths.subspan(1)) {
    names += ", " + NameOf(path);
  }
  return names;
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
  // An empty row is an end of the table, included or not.
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
    // In a raw scan, any filter changes how versions are counted: then it stays.
    if (passing != nullptr && exact && whole && !scan.raw) {
      needs.filter = nullptr;
    }
  }
  if (const RowRange range = RangeOf(scan); can.jumps && needs.rows != nullptr && !IsOpen(range)) {
    needs.rows = IntersectOrFirst(needs.rows, RowSet::FromRanges({range}), &whole);
  }
  needs.threads = can.parallel ? ThreadsOf(scan, needs.filter) : 1;
  return needs;
}

ScanPlan PlanScan(const Scan& scan, std::string_view table, const ScanNeeds& needs, std::span<const AccessPath> paths,
                  const Capabilities& can, std::string_view taken) {
  PlanInput input;
  input.table = std::string(table);
  input.scan = &scan;
  input.residual_filter = needs.filter == nullptr ? std::string() : ToStringBinary(needs.filter->ToString());
  input.threads = needs.threads;
  const std::string_view forced = taken.empty() ? std::string_view(scan.plan) : taken;
  std::vector<Plan> plans = PlansOf(paths, KindNamed(forced), input);
  if (scan.limit_rows > 0 || needs.tested.has_value()) {
    input.matching = MatchingOf(paths, plans, needs.tested);
    plans = input.matching.has_value() ? PlansOf(paths, KindNamed(forced), input, plans) : std::move(plans);
  }
  ScanPlan chosen = {.filter = needs.filter};
  for (size_t i = 1; i < paths.size(); ++i) {
    const bool allowed = !paths[i].only_by_cost || plans[i].counted;
    if (!forced.empty() ? NameOf(paths[i]) == forced : allowed && IsCheaper(plans[i], plans[chosen.path])) {
      chosen.path = i;
    }
  }
  chosen.names = NamesOf(paths, plans.front());
  std::ranges::transform(plans, std::back_inserter(chosen.sampled), &Plan::sampled);
  chosen.plan = plans[chosen.path];
  ExplainOtherPaths(paths, plans, forced.empty() ? std::string_view() : WhyForced(scan), &chosen);
  if (can.push_down != nullptr && chosen.plan.rows != nullptr) {
    bool exact = false;
    FilterPtr jumps = can.push_down(*chosen.plan.rows, scan.reversed, &exact);
    if (jumps != nullptr) {
      chosen.filter = needs.filter == nullptr
                          ? std::move(jumps)
                          : FilterList(ListOperator::kMustPassAll, {std::move(jumps), needs.filter});
      chosen.plan.explain.filter = ToStringBinary(chosen.filter->ToString());
    }
    if (exact) {
      chosen.plan.rows = nullptr;
    }
  }
  return chosen;
}

}  // namespace klip::rowkey
