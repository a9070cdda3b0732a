#include "advise/lab.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "rowkey/scan_planner.h"

namespace klip::advise {
namespace {

// TUNING: salts and hashes are tried on the best orders; each takes as long as trying an order.
constexpr size_t kOrdersToVary = 3;
// TUNING: smaller differences are noise of the sample.
constexpr double kSame = 1.02;

Expected<QueryOutcome> Ask(const LabQuery& query, const rowkey::AccessPath& table) {
  klip::Scan scan;
  scan.where = query.where;
  scan.limit_rows = query.limit_rows;
  const rowkey::Capabilities embedded = {};
  KLIP_ASSIGN_OR_RETURN(const rowkey::ScanNeeds needs, rowkey::NeedsOf(scan, "", table.schema, embedded));
  rowkey::AccessPath path = table;
  path.rows = needs.rows;
  const rowkey::ScanPlan plan = rowkey::PlanScan(scan, "", needs, {&path, 1}, embedded);
  return QueryOutcome{.query = query.index, .kind = plan.plan.explain.kind, .predicted = plan.plan.explain.estimated};
}

bool Betters(const KeyDesign& a, const KeyDesign& b) {
  const double hot_a = a.hot_share.value_or(0);
  const double hot_b = b.hot_share.value_or(0);
  const bool as_good = a.time_us <= b.time_us * kSame && hot_a <= hot_b * kSame && a.key_bytes <= b.key_bytes * kSame;
  const bool better = a.time_us * kSame < b.time_us || hot_a * kSame < hot_b || a.key_bytes * kSame < b.key_bytes;
  return as_good && better;
}

void AddTried(const std::vector<KeyChoice>& choices, const Sample& sample, const LabQueries& queries,
              std::set<std::string>* tried, std::vector<std::pair<KeyChoice, KeyDesign>>* designs) {
  for (const KeyChoice& choice : choices) {
    if (!tried->insert(choice.schema.ToString()).second) {
      continue;
    }
    if (Expected<KeyDesign> design = Try(choice, sample, queries); design.ok()) {
      designs->emplace_back(choice, *std::move(design));
    }
  }
}

}  // namespace

Expected<KeyDesign> Try(const KeyChoice& choice, const Sample& sample, const LabQueries& queries) {
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(sample, choice.schema));
  if (!layout.AllDiffer()) {
    return Status(Code::kInvalidArgument, "two rows would have the same key");
  }
  const LayoutFigures figures = FiguresOf(sample, layout);
  KeyDesign design{.schema = choice.schema.ToString(),
                   .what = choice.what,
                   .hot_share = figures.hot_share,
                   .key_bytes = figures.key_bytes};
  double weights = 0;
  for (const LabQuery& query : queries.queries) {
    KLIP_ASSIGN_OR_RETURN(const QueryOutcome outcome, Ask(query, figures.path));
    design.time_us += query.weight * outcome.predicted.time_us;
    weights += query.weight;
    design.queries.push_back(outcome);
  }
  design.time_us /= weights > 0 ? weights : 1;
  return design;
}

void MarkPareto(std::vector<KeyDesign>* designs) {
  for (KeyDesign& design : *designs) {
    design.pareto =
        std::none_of(designs->begin(), designs->end(), [&](const KeyDesign& other) { return Betters(other, design); });
  }
}

Expected<std::vector<KeyDesign>> RunLab(const Sample& sample, const LabQueries& queries) {
  const KeyChoice present = {.schema = sample.schema, .what = "the present keys"};
  KLIP_ASSIGN_OR_RETURN(KeyDesign now, Try(present, sample, queries));
  now.present = true;
  std::vector<std::pair<KeyChoice, KeyDesign>> tried = {{present, now}};
  std::set<std::string> schemas = {now.schema};
  const std::vector<KeyChoice> orders = OrdersOf(sample, queries.queries);
  AddTried(orders, sample, queries, &schemas, &tried);
  std::stable_sort(tried.begin() + 1, tried.end(),
                   [](const auto& a, const auto& b) { return a.second.time_us < b.second.time_us; });
  std::vector<KeyChoice> varied;
  for (size_t i = 1; i < tried.size() && varied.size() < kOrdersToVary; ++i) {
    varied.push_back(tried[i].first);
  }
  // Includes the present order: putting a salt before it is the smallest change. Computed fields and literals are not
  // part of an order.
  if (std::none_of(sample.schema.fields().begin(), sample.schema.fields().end(),
                   [](const KeyField& field) { return field.derived(); })) {
    varied.push_back({.schema = sample.schema, .what = "the present order"});
  } else if (!orders.empty()) {
    varied.push_back(orders.front());
  }
  for (const KeyChoice& order : varied) {
    AddTried(VariantsOf(order, sample, queries.queries), sample, queries, &schemas, &tried);
  }
  std::vector<KeyDesign> designs;
  for (auto& [choice, design] : tried) {
    designs.push_back(std::move(design));
  }
  MarkPareto(&designs);
  std::stable_sort(designs.begin(), designs.end(), [](const KeyDesign& a, const KeyDesign& b) {
    return std::tuple(!a.present, !a.pareto, a.time_us) < std::tuple(!b.present, !b.pareto, b.time_us);
  });
  return designs;
}

}  // namespace klip::advise
