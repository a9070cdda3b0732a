#include "advise/lab.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "advise/index_choices.h"
#include "rowkey/column_filter.h"
#include "rowkey/index_conditions.h"
#include "rowkey/scan_planner.h"

namespace klip::advise {
namespace {

// TUNING: salts and hashes are tried on the best orders; each takes as long as trying an order.
constexpr size_t kOrdersToVary = 3;
// TUNING: smaller differences are noise of the sample.
constexpr double kSame = 1.02;
// TUNING: smaller shares of the newest rows in one key range count as even.
constexpr double kEvenShare = 2.0 / kKeyRanges;

// TUNING: tries index choices on the present keys and on this many others; each one lays out all entries.
constexpr size_t kDesignsToIndex = 2;
constexpr size_t kMostIndexes = 3;
constexpr double kIndexPays = 0.95;  // of the time without it

using Indexes = std::vector<const LabIndex*>;

Expected<QueryOutcome> Ask(const LabQuery& query, const rowkey::AccessPath& table, const Indexes& indexes) {
  klip::Scan asked;
  asked.where = query.where;
  asked.limit_rows = query.limit_rows;
  const rowkey::Capabilities embedded = {};
  KLIP_ASSIGN_OR_RETURN(const klip::Scan scan, rowkey::WithColumnFilter(asked, table.schema, /*mixed=*/true));
  KLIP_ASSIGN_OR_RETURN(const rowkey::ScanNeeds needs, rowkey::NeedsOf(scan, "", table.schema, embedded));
  std::vector<rowkey::AccessPath> paths = {table};
  paths.front().rows = needs.rows;
  const std::vector<rowkey::ColumnCondition> conditions = rowkey::ColumnConditionsOf(scan);
  for (const LabIndex* const index : indexes) {
    const rowkey::EntrySet set = rowkey::EntriesFor(index->definition, conditions, scan, needs.rows.get());
    if (set.entries != nullptr) {
      rowkey::AccessPath& path = paths.emplace_back(index->path);
      path.costs = table.costs;
      path.rows = set.entries;
      path.columns = set.columns;
      path.only_by_cost = set.fields == 0;
      path.runs = static_cast<double>(set.runs.size());
    }
  }
  const klip::Explain explain = rowkey::PlanScan(scan, "", needs, paths, embedded).plan.explain;
  return QueryOutcome{
      .query = query.index, .kind = explain.kind, .index = explain.index, .predicted = explain.estimated};
}

Status AskAll(const LabQueries& queries, const rowkey::AccessPath& table, const Indexes& indexes, KeyDesign* design) {
  double weights = 0;
  for (const LabQuery& query : queries.queries) {
    KLIP_ASSIGN_OR_RETURN(const QueryOutcome outcome, Ask(query, table, indexes));
    design->time_us += query.weight * outcome.predicted.time_us;
    weights += query.weight;
    design->queries.push_back(outcome);
  }
  design->time_us /= weights > 0 ? weights : 1;
  return {};
}

std::vector<std::unique_ptr<const LabIndex>> LayOutAll(const std::vector<IndexDescriptor>& indexes,
                                                       const Sample& sample, const KeyLayout& layout,
                                                       std::vector<std::string>* left_out = nullptr) {
  std::vector<std::unique_ptr<const LabIndex>> out;
  for (const IndexDescriptor& index : indexes) {
    auto made = LayOutIndex(index, sample, layout);
    if (made.ok()) {
      out.push_back(*std::move(made));
    } else if (left_out != nullptr) {
      left_out->push_back("index " + index.name + " (" + index.ToString() + "): " + made.status().message());
    }
  }
  return out;
}

Indexes PointersTo(const std::vector<std::unique_ptr<const LabIndex>>& indexes) {
  Indexes out;
  for (const auto& index : indexes) {
    out.push_back(index.get());
  }
  return out;
}

constexpr double kCellBytes = 9;  // of a stored cell, besides its row, name and value: timestamp and type

// What a row with keys of this length writes to the table: each of its cells repeats the key.
double RowBytes(const Sample& sample, double key_bytes) {
  const CellSums& sums = sample.cells;
  if (sums.cells == 0) {
    return key_bytes + kCellBytes;  // records: as if each were one cell
  }
  const auto rows = std::max<double>(1, static_cast<double>(sample.sampled));
  return (static_cast<double>(sums.cells) * (key_bytes + kCellBytes) + static_cast<double>(sums.value_bytes) +
          static_cast<double>(sums.name_bytes)) /
         rows;
}

// Adds what a row writes to these indexes.
void AddEntries(const Indexes& indexes, const LabInput& input, KeyDesign* design) {
  for (const LabIndex* const index : indexes) {
    const double entries = static_cast<double>(index->entries.order.size()) /
                           std::max<double>(1, static_cast<double>(input.sample.size()));
    design->entries += entries;
    design->write_bytes += index->bytes_per_row + entries * kCellBytes;
    design->write_us += entries * input.costs.entry_us;
  }
}

// Example: a row of 3 cells, present keys of 20 bytes, others of 25: 15 more bytes at 0.002 us, beside the 4 us of a row as it is.
void PriceWrites(const Indexes& present, const LabInput& input, KeyDesign* design) {
  const double present_key_bytes =
      static_cast<double>(input.sample.key_bytes) / std::max<double>(1, static_cast<double>(input.sample.rows));
  design->write_bytes = RowBytes(input.sample, design->key_bytes);
  const double more = design->write_bytes - RowBytes(input.sample, present_key_bytes);
  design->write_us = std::max(0.1 * input.costs.put_us, input.costs.put_us + more * input.costs.byte_us);
  AddEntries(present, input, design);
}

// The same keys with one index, with two, and so on. `left_out`: gets the indexes that the rows do not fit.
Expected<std::vector<KeyDesign>> WithIndexes(const KeyChoice& choice, const KeyDesign& plain, const LabInput& input,
                                             std::vector<std::string>* left_out) {
  std::vector<KeyDesign> designs;
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(input.sample, choice.schema));
  rowkey::AccessPath table = FiguresOf(input.sample, layout).path;
  table.costs = input.costs.read;
  const auto present = LayOutAll(input.indexes, input.sample, layout);
  const auto candidates = LayOutAll(IndexesFor(input.queries.queries, input.indexes), input.sample, layout, left_out);
  Indexes chosen = PointersTo(present);
  KeyDesign last = plain;
  last.present = false;
  while (designs.size() < kMostIndexes) {
    std::optional<KeyDesign> best;
    const LabIndex* added = nullptr;
    double time_to_beat_us = kIndexPays * last.time_us;
    for (const auto& candidate : candidates) {
      Indexes with = chosen;
      with.push_back(candidate.get());
      KeyDesign design = last;
      design.time_us = 0;
      design.queries.clear();
      KLIP_RETURN_IF_ERROR(AskAll(input.queries, table, with, &design));
      if (design.time_us < time_to_beat_us) {
        time_to_beat_us = design.time_us;
        best = std::move(design);
        added = candidate.get();
      }
    }
    if (!best) {
      return designs;
    }
    chosen.push_back(added);
    best->indexes.push_back(added->definition.descriptor);
    best->what += (best->indexes.size() == 1 ? "; index " : ", ") + added->definition.descriptor.name;
    best->key_bytes += added->bytes_per_row;
    AddEntries({added}, input, &*best);
    last = designs.emplace_back(*std::move(best));
  }
  return designs;
}

// Shares of a few hundred rows differ by chance: a slow design is not one of the best because it has 7 % where another has 8 %.
double HotOf(const KeyDesign& design) { return std::max(design.hot_share.value_or(0), kEvenShare); }

bool Betters(const KeyDesign& a, const KeyDesign& b) {
  const double hot_a = HotOf(a);
  const double hot_b = HotOf(b);
  const bool as_good = a.time_us <= b.time_us * kSame && hot_a <= hot_b * kSame && a.key_bytes <= b.key_bytes * kSame &&
                       a.write_us <= b.write_us * kSame;
  const bool better = a.time_us * kSame < b.time_us || hot_a * kSame < hot_b || a.key_bytes * kSame < b.key_bytes ||
                      a.write_us * kSame < b.write_us;
  return as_good && better;
}

void AddTried(const std::vector<KeyChoice>& choices, const LabInput& input, std::set<std::string>* tried,
              std::vector<std::pair<KeyChoice, KeyDesign>>* designs) {
  for (const KeyChoice& choice : choices) {
    if (!tried->insert(choice.schema.ToString()).second) {
      continue;
    }
    if (Expected<KeyDesign> design = Try(choice, input); design.ok()) {
      designs->emplace_back(choice, *std::move(design));
    }
  }
}

}  // namespace

Expected<KeyDesign> Try(const KeyChoice& choice, const LabInput& input) {
  KLIP_ASSIGN_OR_RETURN(const KeyLayout layout, LayOut(input.sample, choice.schema));
  if (!layout.AllDiffer()) {
    return Status(Code::kInvalidArgument, "two rows would have the same key");
  }
  LayoutFigures figures = FiguresOf(input.sample, layout);
  figures.path.costs = input.costs.read;
  KeyDesign design{.schema = choice.schema.ToString(),
                   .what = choice.what,
                   .hot_share = figures.hot_share,
                   .key_bytes = figures.key_bytes};
  const auto present = LayOutAll(input.indexes, input.sample, layout);
  KLIP_RETURN_IF_ERROR(AskAll(input.queries, figures.path, PointersTo(present), &design));
  PriceWrites(PointersTo(present), input, &design);
  return design;
}

void MarkPareto(std::vector<KeyDesign>* designs) {
  for (KeyDesign& design : *designs) {
    design.pareto =
        std::none_of(designs->begin(), designs->end(), [&](const KeyDesign& other) { return Betters(other, design); });
  }
}

Expected<LabResult> RunLab(const LabInput& input) {
  const Sample& sample = input.sample;
  const LabQueries& queries = input.queries;
  const KeyChoice present = {.schema = sample.schema, .what = "the present keys"};
  KLIP_ASSIGN_OR_RETURN(KeyDesign now, Try(present, input));
  now.present = true;
  std::vector<std::pair<KeyChoice, KeyDesign>> tried = {{present, now}};
  std::set<std::string> schemas = {now.schema};
  const std::vector<KeyChoice> orders = OrdersOf(sample, queries.queries);
  AddTried(orders, input, &schemas, &tried);
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
    AddTried(VariantsOf(order, sample, queries.queries), input, &schemas, &tried);
  }
  std::stable_sort(tried.begin() + 1, tried.end(),
                   [](const auto& a, const auto& b) { return a.second.time_us < b.second.time_us; });
  LabResult result;
  std::vector<KeyDesign>& designs = result.designs;
  for (size_t i = 0; i < tried.size(); ++i) {
    const auto& [choice, design] = tried[i];
    if (i <= kDesignsToIndex && !sample.columns.empty()) {
      KLIP_ASSIGN_OR_RETURN(std::vector<KeyDesign> indexed,
                            WithIndexes(choice, design, input, i == 0 ? &result.left_out : nullptr));
      std::ranges::move(indexed, std::back_inserter(designs));
    }
    designs.push_back(design);
  }
  MarkPareto(&designs);
  std::stable_sort(designs.begin(), designs.end(), [](const KeyDesign& a, const KeyDesign& b) {
    return std::tuple(!a.present, !a.pareto, a.time_us) < std::tuple(!b.present, !b.pareto, b.time_us);
  });
  return result;
}

}  // namespace klip::advise
