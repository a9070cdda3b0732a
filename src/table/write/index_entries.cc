#include "table/write/index_entries.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <optional>
#include <utility>

#include "engine/read/stored_cells.h"
#include "klip/bytes.h"
#include "klip/cell.h"
#include "model/tags.h"

namespace klip::table {
namespace {

using model::ShownVersion;

// Builds the entries of one row: one for each combination of versions that can be shown together.
class EntryBuilder {
 public:
  EntryBuilder(const TableIndex& index, std::string_view row, const IndexVersions& versions)
      : definition_(index.definition), row_(row), versions_(versions) {}

  Expected<EntryCells> Build();

 private:
  static constexpr int64_t kAlways = std::numeric_limits<int64_t>::min();
  // A version of a column, or that it is missing.
  struct Choice {
    ShownVersion version;
    int64_t after_ms = kAlways;  // it is shown only later

    bool missing() const { return version.cell == nullptr; }
  };
  // The versions chosen so far.
  struct State {
    bool certain = true;
    int64_t until_ms = model::kNoEnd;
    int64_t after_ms = kAlways;

    void Add(const ShownVersion& version) {
      certain = certain && version.certain;
      until_ms = std::min(until_ms, version.until_ms);
    }
    // False: never shown together with those before.
    bool Add(const Choice& choice) {
      Add(choice.version);
      after_ms = std::max(after_ms, choice.after_ms);
      return after_ms < until_ms;
    }
  };

  // The versions of a column of the index.
  const std::vector<ShownVersion>& VersionsOf(size_t column) const {
    const size_t stored = versions_.columns.size();
    return column < stored ? versions_.columns[column] : computed_[column - stored];
  }
  struct Combinations {
    size_t number = 0;  // of the computed column
    std::vector<std::vector<Choice>> inputs;
    std::vector<std::optional<std::string_view>> cells;  // chosen
    int count = 0;
  };
  static constexpr int kMostComputed = 4096;  // TUNING: some ms of a write

  Status Compute(size_t number);
  static std::optional<Choice> MissingOf(const std::vector<ShownVersion>& versions);
  Status Combine(size_t input, const State& state, Combinations* all);
  Status AddValue(const State& state, Combinations* all);
  Status CheckFits(size_t column, std::string_view value) const;
  bool AddConditions(State* state) const;
  bool AddPresence(State* state) const;
  Status AddParts(size_t part, const std::string& prefix, State state, bool has_column);
  Status AddEntry(const std::string& prefix, State state);
  void AddSkipped(const State& state);
  bool skips() const { return definition_.descriptor.skip_invalid; }
  std::string ValueOf(const State& state) const;

  const rowkey::IndexDefinition& definition_;
  const std::string_view row_;
  const IndexVersions& versions_;
  std::list<model::StoredCell> values_;              // of computed columns
  std::vector<std::vector<ShownVersion>> computed_;  // of the same; they point into values_
  std::vector<std::string> key_parts_;
  EntryCells cells_;
};

Expected<EntryCells> EntryBuilder::Build() {
  State state;
  if (versions_.too_many) {
    cells_[RecordOf(kTooMany, row_)] = {.value = std::string(kCheck)};
  }
  for (size_t i = 0; i < definition_.computed.size(); ++i) {
    if (Status status = Compute(i); !status.ok()) {
      if (!skips()) {
        return Status(Code::kInvalidArgument, "index '" + definition_.descriptor.name + "': row '" +
                                                  ToStringBinary(row_) + "': " + status.message());
      }
      AddSkipped(state);
      return std::move(cells_);
    }
  }
  const bool has_all = std::ranges::all_of(definition_.parts, [&](const rowkey::IndexPart& part) {
    return !part.column.has_value() || part.presence.has_value() || !VersionsOf(*part.column).empty();
  });
  if (!has_all || !AddConditions(&state)) {
    return std::move(cells_);
  }
  Expected<std::vector<std::string>> key_parts = rowkey::KeyPartsOf(definition_, row_);
  if (!key_parts.ok() && skips()) {
    AddSkipped(state);
    return std::move(cells_);
  }
  KLIP_ASSIGN_OR_RETURN(key_parts_, std::move(key_parts));
  KLIP_RETURN_IF_ERROR(AddParts(0, "", state, /*has_column=*/!definition_.where.empty()));
  return std::move(cells_);
}

// That the column with these versions is missing: always, if there is none; perhaps, if they are uncertain; or after the end of a certain
// one. nullopt: never.
std::optional<EntryBuilder::Choice> EntryBuilder::MissingOf(const std::vector<ShownVersion>& versions) {
  const bool certain = !versions.empty() && versions.front().certain;
  if (certain && versions.front().until_ms == model::kNoEnd) {
    return std::nullopt;
  }
  return Choice{.version = {.certain = versions.empty()}, .after_ms = certain ? versions.front().until_ms : kAlways};
}

// A version for each value that the expression has for versions that can be shown together. Example: a + b, where `a` is 1 until 50, and
// `b` is 2 until 70: 3, certain until 50, and NULL, which is no version. `b` alone cannot be missing: nothing shows that. Errors: SQL
// cannot compute what a Get shows; a value does not have the field's type; too many combinations.
Status EntryBuilder::Compute(size_t number) {
  const rowkey::IndexDefinition::Computed& column = definition_.computed[number];
  if (column.expression == nullptr) {
    return {Code::kUnsupported, "the index has SQL expressions, and this program is not linked with SQL"};
  }
  Combinations all = {.number = number};
  for (const size_t input : column.inputs) {
    const std::vector<ShownVersion>& versions = versions_.columns[input];
    std::vector<Choice>& choices = all.inputs.emplace_back();
    std::ranges::transform(versions, std::back_inserter(choices), [](const ShownVersion& one) { return Choice{one}; });
    if (const std::optional<Choice> missing = MissingOf(versions); missing.has_value()) {
      choices.push_back(*missing);
    }
  }
  all.cells.resize(all.inputs.size());
  computed_.emplace_back();
  return Combine(0, State(), &all);
}

// Chooses a version of the input, and of those after it.
Status EntryBuilder::Combine(size_t input, const State& state, Combinations* all) {
  if (input == all->inputs.size()) {
    return AddValue(state, all);
  }
  for (const Choice& choice : all->inputs[input]) {
    State with = state;
    if (!with.Add(choice)) {
      continue;
    }
    all->cells[input] = choice.missing() ? std::nullopt : std::optional<std::string_view>(choice.version.cell->value);
    KLIP_RETURN_IF_ERROR(Combine(input + 1, with, all));
  }
  return Status::Ok();
}

// The first one is what a Get shows.
Status EntryBuilder::AddValue(const State& state, Combinations* all) {
  const bool first = all->count == 0;
  if (++all->count > kMostComputed) {
    return {Code::kInvalidArgument, "the expression's columns have more than " + std::to_string(kMostComputed) +
                                        " combinations of versions that reads may see"};
  }
  Expected<std::optional<std::string>> value = definition_.computed[all->number].expression->ValueOf(row_, all->cells);
  if (!value.ok()) {
    return first ? value.status() : Status::Ok();
  }
  if (!value->has_value()) {
    return Status::Ok();
  }
  std::vector<ShownVersion>& versions = computed_.back();
  const auto same = std::ranges::find(versions, **value, [](const ShownVersion& one) { return one.cell->value; });
  if (same == versions.end()) {
    KLIP_RETURN_IF_ERROR(CheckFits(versions_.columns.size() + all->number, **value));
    values_.push_back({.value = **std::move(value)});
    versions.push_back({.cell = &values_.back(), .until_ms = state.until_ms, .certain = state.certain});
  } else if (state.until_ms > same->until_ms) {  // there may be another value between the two
    same->until_ms = state.until_ms;
    same->certain = false;
  }
  return Status::Ok();
}

// Values of stored columns are checked when they are written.
Status EntryBuilder::CheckFits(size_t column, std::string_view value) const {
  for (const rowkey::IndexPart& part : definition_.parts) {
    std::string bytes;
    if (part.column == column) {
      KLIP_RETURN_IF_ERROR(rowkey::AppendStoredValue(part, value, &bytes));
    }
  }
  return Status::Ok();
}

// False: the conditions cannot hold.
bool EntryBuilder::AddConditions(State* state) const {
  for (const rowkey::IndexDefinition::Equal& equal : definition_.where) {
    std::optional<ShownVersion> holds;
    for (const ShownVersion& version : VersionsOf(equal.column)) {
      if (version.cell->value == equal.value) {
        const int64_t until_ms = version.until_ms;
        holds = holds.value_or(version);  // a certain one comes first
        holds->until_ms = std::max(holds->until_ms, until_ms);
      }
    }
    if (!holds.has_value()) {
      return false;
    }
    state->Add(*holds);
  }
  return true;
}

// A row that lacks all fields has an entry while it has another column of the index. False: it has none.
bool EntryBuilder::AddPresence(State* state) const {
  ShownVersion last = {.until_ms = kAlways, .certain = false};
  for (size_t column = 0; column < versions_.columns.size(); ++column) {
    const bool is_field =
        std::ranges::any_of(definition_.parts, [&](const rowkey::IndexPart& part) { return part.column == column; });
    for (const ShownVersion& version : is_field ? std::vector<ShownVersion>() : versions_.columns[column]) {
      const bool longer = version.until_ms > last.until_ms;
      last.certain = (last.certain && !longer) || (version.certain && version.until_ms >= last.until_ms);
      last.until_ms = std::max(last.until_ms, version.until_ms);
    }
  }
  state->Add(last);
  return last.until_ms != kAlways;
}

Status EntryBuilder::AddParts(size_t part, const std::string& prefix, State state, bool has_column) {
  if (part == definition_.parts.size()) {
    return has_column || AddPresence(&state) ? AddEntry(prefix, state) : Status::Ok();
  }
  const rowkey::IndexPart& at = definition_.parts[part];
  if (!at.column.has_value()) {
    const std::string end = at.field.delimiter.has_value() ? std::string(1, *at.field.delimiter) : "";
    return AddParts(part + 1, prefix + key_parts_[part] + end, state, has_column);
  }
  const std::vector<ShownVersion>& versions = VersionsOf(*at.column);
  const std::optional<Choice> missing = at.presence.has_value() ? MissingOf(versions) : std::nullopt;
  for (size_t i = 0; i < versions.size() + (missing.has_value() ? 1 : 0); ++i) {
    const Choice choice = i < versions.size() ? Choice{versions[i]} : *missing;
    State with = state;
    if (!with.Add(choice)) {
      continue;
    }
    std::string longer = prefix;
    if (choice.missing()) {
      rowkey::AppendAbsent(at, &longer);
    } else if (!rowkey::AppendPart(at, choice.version.cell->value, &longer).ok()) {
      if (skips()) {
        AddSkipped(with);
      }
      continue;
    }
    KLIP_RETURN_IF_ERROR(AddParts(part + 1, longer, with, has_column || !choice.missing()));
  }
  return Status::Ok();
}

Status EntryBuilder::AddEntry(const std::string& prefix, State state) {
  EntryKey key = {.row = prefix};
  key.row.append(row_);
  if (key.row.size() > kMaxRowBytes) {
    return {Code::kInvalidArgument, "index '" + definition_.descriptor.name + "': the entry of row '" +
                                        ToStringBinary(row_) + "' has " + std::to_string(key.row.size()) +
                                        " bytes, at most " + std::to_string(kMaxRowBytes) + " are allowed"};
  }
  const auto [at, added] = cells_.try_emplace(std::move(key), EntryCell{ValueOf(state), state.until_ms});
  if (!added) {  // by other versions with the same value: a certain one comes first, and ends last
    at->second.until_ms = std::max(at->second.until_ms, state.until_ms);
  }
  return Status::Ok();
}

// Readers read the row, so it does not matter if another column expires first.
void EntryBuilder::AddSkipped(const State& state) {
  const auto [at, added] = cells_.try_emplace(RecordOf(kSkipped, row_), EntryCell{std::string(kCheck), state.until_ms});
  if (!added) {
    at->second.until_ms = std::max(at->second.until_ms, state.until_ms);
  }
}

// If a covered column is uncertain or has tags, so is the entry: readers must read the row.
std::string EntryBuilder::ValueOf(const State& state) const {
  if (!state.certain) {
    return std::string(kCheck);
  }
  std::string value(definition_.include.empty() ? kCertain : kCovering);
  for (const size_t column : definition_.include) {
    const std::vector<ShownVersion>& shown = versions_.columns[column];
    if (shown.empty()) {
      continue;
    }
    const ShownVersion& version = shown.front();
    const bool plain = version.cell->tags.empty() || model::WithoutTtl(version.cell->tags).empty();
    if (!version.certain || !plain) {
      return std::string(kCheck);
    }
    AppendCovered({.column = column,
                   .timestamp_ms = version.cell->timestamp_ms,
                   .until_ms = version.until_ms < state.until_ms ? version.until_ms : model::kNoEnd,
                   .value = version.cell->value},
                  &value);
  }
  return value;
}

}  // namespace

EntryKey RecordOf(std::string_view kind, std::string_view row) {
  return {.row = kNoEntryRow, .qualifier = std::string(kind).append(row)};
}

Expected<IndexedCells> ReadIndexedCells(const RowSource& source, const TableIndexes& indexes, std::string_view row) {
  IndexedCells cells(indexes.families.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    const IndexedFamily& family = indexes.families[i];
    KLIP_RETURN_IF_ERROR(source.Stored(*family.family, row, family.qualifiers, &cells[i]));
  }
  return cells;
}

namespace {

std::vector<std::vector<ShownVersion>> OfColumns(const TableIndexes& indexes, const TableIndex& index,
                                                 const IndexedCells& cells, int64_t now_ms, bool history) {
  const auto versions_of = history ? model::ReadableVersions : model::ShownVersions;
  std::vector<std::vector<ShownVersion>> versions;
  for (const rowkey::IndexColumn& column : index.definition.stored_columns()) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const FamilyDescriptor& family = indexes.families[i].family->descriptor;
      if (family.name == column.family) {
        versions.push_back(versions_of(model::FamilyPolicy::From(family), cells[i], column.qualifier, now_ms));
      }
    }
  }
  return versions;
}

bool HasTooMany(const rowkey::IndexDefinition& definition, const std::vector<std::vector<ShownVersion>>& columns) {
  size_t combinations = 1;
  for (const rowkey::IndexPart& part : definition.parts) {
    combinations *= part.column.has_value() ? std::max<size_t>(1, columns[*part.column].size()) : 1;
    if (combinations > kMostCombinations) {
      return true;
    }
  }
  return false;
}

}  // namespace

// A row with too many versions has the entries of an index without HISTORY, and a record. Compactions take versions away
// without a write. So a row may have a record, and lack entries of older versions, although it no longer has too many.
IndexVersions VersionsOf(const TableIndexes& indexes, const TableIndex& index, const IndexedCells& cells,
                         int64_t now_ms) {
  const bool history = index.definition.descriptor.history;
  IndexVersions versions = {.columns = OfColumns(indexes, index, cells, now_ms, history)};
  if (history && HasTooMany(index.definition, versions.columns)) {
    versions = NewestVersionsOf(indexes, index, cells, now_ms);
    versions.too_many = true;
  }
  return versions;
}

IndexVersions NewestVersionsOf(const TableIndexes& indexes, const TableIndex& index, const IndexedCells& cells,
                               int64_t now_ms) {
  return {.columns = OfColumns(indexes, index, cells, now_ms, /*history=*/false)};
}

Expected<EntryCells> EntriesOf(const TableIndex& index, std::string_view row, const IndexVersions& versions) {
  return EntryBuilder(index, row, versions).Build();
}

std::optional<std::string> ShownEntry(const TableIndexes& indexes, const TableIndex& index, std::string_view row,
                                      const IndexedCells& cells, int64_t now_ms) {
  const rowkey::IndexDefinition& definition = index.definition;
  std::list<Cell> shown;
  std::vector<const Cell*> of_columns;
  for (const rowkey::IndexColumn& column : definition.stored_columns()) {
    const model::StoredCell* found = nullptr;
    for (size_t i = 0; i < cells.size(); ++i) {
      const FamilyDescriptor& family = indexes.families[i].family->descriptor;
      if (family.name == column.family) {
        found = model::NewestShown(model::FamilyPolicy::From(family), cells[i], column.qualifier, now_ms);
      }
    }
    of_columns.push_back(found == nullptr ? nullptr
                                          : &shown.emplace_back(Cell{.row = row,
                                                                     .family = column.family,
                                                                     .qualifier = column.qualifier,
                                                                     .timestamp_ms = found->timestamp_ms,
                                                                     .value = found->value,
                                                                     .tags = found->tags}));
  }
  rowkey::ComputedCells computed;
  rowkey::AddComputedCells(definition, row, &of_columns, &computed);
  std::string key;
  return rowkey::AppendEntryKey(definition, row, of_columns, &key) ? std::optional(std::move(key)) : std::nullopt;
}

void AddEntryCells(const engine::Family& family, const EntryCells& cells, engine::WriteSet* writes) {
  for (const auto& [key, cell] : cells) {
    const std::string tags = cell.until_ms == model::kNoEnd ? "" : model::TtlTag(cell.until_ms);
    writes->Add(family, key.row, key.qualifier, kEntryMs, CellType::kPut, cell.value, tags);
  }
}

Status CheckValue(const TableIndex& index, std::string_view row, std::string_view family, std::string_view qualifier,
                  std::string_view value) {
  const std::optional<size_t> column = index.definition.ColumnIndex(family, qualifier);
  if (!column.has_value() || index.definition.descriptor.skip_invalid) {
    return Status::Ok();
  }
  for (const rowkey::IndexPart& part : index.definition.parts) {
    if (part.column == column) {
      std::string bytes;
      if (const Status status = rowkey::AppendStoredValue(part, value, &bytes); !status.ok()) {
        return {Code::kInvalidArgument, "index '" + index.name() + "': column " +
                                            index.definition.columns[*column].Name() + " of row '" +
                                            ToStringBinary(row) + "': " + status.message()};
      }
    }
  }
  return Status::Ok();
}

Status CheckNewValue(const TableIndex& index, std::string_view row, std::string_view family, std::string_view qualifier,
                     std::string_view value) {
  Status status = CheckValue(index, row, family, qualifier, value);
  if (!status.ok()) {
    IndexCounters::Add(&index.counters->refused, 1);
  }
  return status;
}

Status CheckValues(const TableIndexes& indexes, std::string_view row, const IndexedCells& cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    for (const model::StoredCell& cell : cells[i]) {
      for (const TableIndex& index : indexes.all) {
        if (cell.fresh && cell.type == CellType::kPut) {
          KLIP_RETURN_IF_ERROR(
              CheckNewValue(index, row, indexes.families[i].family->descriptor.name, cell.qualifier, cell.value));
        }
      }
    }
  }
  return Status::Ok();
}

}  // namespace klip::table
