#include "hbase/admin/index_checker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hbase/table/multi.h"
#include "hbase/table/scanner.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "rowkey/key_codec.h"

namespace klip::client {
namespace {

constexpr size_t kGroup = 500;  // TUNING: rows of one Multi

std::vector<ColumnSpec> ColumnsOf(const ClientIndex& index) {
  std::vector<ColumnSpec> columns;
  for (const rowkey::IndexColumn& column : index.definition.columns) {
    columns.push_back({column.family, column.qualifier});
  }
  return columns;
}

// Whether a value of the column can be the one of an entry with these fields.
bool IsValueOf(const rowkey::IndexDefinition& definition, const std::vector<std::string_view>& fields, size_t column,
               std::string_view value) {
  for (const rowkey::IndexDefinition::Equal& equal : definition.where) {
    if (equal.column == column && equal.value != value) {
      return false;
    }
  }
  for (size_t i = 0; i < definition.parts.size(); ++i) {
    std::string bytes;
    if (definition.parts[i].column == column &&
        (!rowkey::AppendStoredValue(definition.parts[i], value, &bytes).ok() || bytes != fields[i])) {
      return false;
    }
  }
  return true;
}

// Whether the row stores a version of each of the entry's values.
Expected<bool> StoresValuesOf(const EntryKind& kind, std::string_view entry, const Result& stored) {
  const rowkey::IndexDefinition& definition = kind.definition;
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string_view> fields,
                        rowkey::SplitRow(definition.schema.fields(), entry));
  std::vector<bool> found(definition.columns.size());
  for (const Cell& cell : stored) {
    const std::optional<size_t> column = definition.ColumnIndex(cell.family, cell.qualifier);
    if (cell.type == CellType::kPut && column.has_value() && IsValueOf(definition, fields, *column, cell.value)) {
      found[*column] = true;
    }
  }
  return std::ranges::find(found, false) == found.end();
}

}  // namespace

Scan StoredVersionsOf(const ClientIndex& index) {
  Scan scan;
  scan.raw = true;
  scan.max_versions = kAllVersions;
  scan.cache_blocks = false;
  std::vector<FilterPtr> columns;
  for (const rowkey::IndexColumn& column : index.definition.columns) {
    scan.columns.push_back({column.family, {}});  // HBase refuses columns in raw scans
    columns.push_back(FilterList(ListOperator::kMustPassAll,
                                 {FamilyFilter(CompareOp::kEqual, BinaryComparator(column.family)),
                                  QualifierFilter(CompareOp::kEqual, BinaryComparator(column.qualifier))}));
  }
  scan.filter = FilterList(ListOperator::kMustPassOne, std::move(columns));
  return scan;
}

ColumnValues ValuesIn(const Result& row, const ClientIndex& index) {
  ColumnValues values;
  for (const rowkey::IndexColumn& column : index.definition.columns) {
    const Cell* const cell = row.Find(column.family, column.qualifier);
    values.push_back(cell == nullptr ? std::nullopt : std::optional(cell->value));
  }
  return values;
}

Expected<std::vector<Result>> ReadColumns(Cluster* cluster, const std::string& table, const ClientIndex& index,
                                          const std::vector<std::string>& rows) {
  const std::vector<ColumnSpec> columns = ColumnsOf(index);
  std::vector<Get> gets;
  gets.reserve(rows.size());
  for (const std::string& row : rows) {
    gets.push_back({.row = row, .columns = columns});
  }
  return RunAll<Get>(cluster, table, gets);
}

Expected<IndexCheck> IndexChecker::Run(const IndexProgress& progress) {
  KLIP_RETURN_IF_ERROR(CheckRows(progress));
  for (const EntryKind& kind : index_.kinds) {
    KLIP_RETURN_IF_ERROR(CheckEntries(kind));
  }
  return std::move(check_);
}

void IndexChecker::Note(std::string_view kind, std::string_view key, int64_t count) {
  constexpr int64_t kNoted = 10;
  if (count <= kNoted) {
    check_.differences.push_back(std::string(kind) + ": entry '" + ToStringBinary(key) + "'");
  }
}

// --- Rows without their entries ---

Status IndexChecker::CheckRows(const IndexProgress& progress) {
  Scan scan;
  if (has_history()) {
    scan = StoredVersionsOf(index_);
  } else {
    scan.columns = ColumnsOf(index_);
    scan.cache_blocks = false;
  }
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, table_, {.scan = scan});
  std::vector<std::string> rows;
  std::vector<Get> looks;
  Result row;
  for (bool more = true; more;) {
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    if (more && has_history()) {
      check_.rows += AddVersions(row, &looks) ? 1 : 0;
    } else if (more) {
      ++check_.rows;
      rows.emplace_back(row.row());
    }
    if (rows.size() + looks.size() >= kGroup || !more) {
      KLIP_RETURN_IF_ERROR(AddNewest(rows, &looks));
      KLIP_RETURN_IF_ERROR(LookFor(looks));
      rows.clear();
      looks.clear();
      if (progress != nullptr) {
        progress(check_.rows);
      }
    }
  }
  return {};
}

bool IndexChecker::AddVersions(const Result& row, std::vector<Get>* looks) const {
  bool has_values = false;
  for (const Cell& cell : row) {
    if (cell.type == CellType::kPut) {
      has_values = true;
      AddNeeded(row.row(), {cell.value}, looks);
    }
  }
  return has_values;
}

Status IndexChecker::AddNewest(const std::vector<std::string>& rows, std::vector<Get>* looks) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> cells, ReadColumns(cluster_, table_, index_, rows));
  for (size_t i = 0; i < rows.size(); ++i) {
    AddNeeded(rows[i], ValuesIn(cells[i], index_), looks);
  }
  return {};
}

void IndexChecker::AddNeeded(std::string_view row, const ColumnValues& values, std::vector<Get>* looks) const {
  std::vector<Get> of_kinds;
  for (const EntryKind& kind : index_.kinds) {
    Expected<std::optional<std::string>> key = EntryKey(kind, row, values);
    if (!key.ok() || !key->has_value()) {  // another client's: it can have no entry, and no condition finds it
      return;
    }
    of_kinds.push_back({.row = **std::move(key), .columns = {{kind.family, {}}}});
  }
  std::ranges::move(of_kinds, std::back_inserter(*looks));
}

Status IndexChecker::LookFor(const std::vector<Get>& looks) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> entries, RunAll<Get>(cluster_, index_.table, looks));
  const size_t kinds = index_.kinds.size();
  std::vector<Put> missing;
  for (size_t i = 0; i < looks.size(); i += kinds) {
    if (std::all_of(&entries[i], &entries[i] + kinds, [](const Result& entry) { return entry.empty(); })) {
      const std::string& key = looks[i + kinds - 1].row;
      Note("missing", key, ++check_.missing);
      missing.push_back(EntryPut(index_.kinds.back(), key, Durability::kUseDefault));
    }
  }
  return repair_ && !missing.empty() ? WriteEntries(cluster_, index_, missing) : Status();
}

// --- Entries without their rows ---

Status IndexChecker::CheckEntries(const EntryKind& kind) {
  Scan scan;
  scan.columns = {{kind.family, {}}};
  scan.cache_blocks = false;
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, index_.table, {.scan = scan});
  std::vector<Entry> entries;
  Result cells;
  for (bool more = true; more;) {
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&cells));
    if (more) {
      ++check_.entries;
      KLIP_ASSIGN_OR_RETURN(const std::string_view row, rowkey::TableRowOf(kind.definition, cells.row()));
      entries.push_back({&kind, std::string(cells.row()), std::string(row), cells[0].timestamp_ms});
    }
    if (entries.size() == kGroup || !more) {
      KLIP_RETURN_IF_ERROR(CheckEntryGroup(entries));
      entries.clear();
    }
  }
  return {};
}

Status IndexChecker::CheckEntryGroup(const std::vector<Entry>& entries) {
  using std::chrono::milliseconds;
  // Before the rows are read: a writer of an older entry has written its row by now, or never will.
  const auto old_up_to = std::chrono::system_clock::now().time_since_epoch() - dead_after_;
  KLIP_ASSIGN_OR_RETURN(const std::vector<Entry> others, WithOtherValues(entries));
  std::map<std::string, Result> stored;
  if ((repair_ || has_history()) && !others.empty()) {
    KLIP_ASSIGN_OR_RETURN(stored, ReadStored(others));
  }
  std::vector<Delete> dead;
  for (const Entry& entry : others) {
    const auto row = stored.find(entry.row);
    KLIP_ASSIGN_OR_RETURN(const bool may_match,
                          row == stored.end() ? false : StoresValuesOf(*entry.kind, entry.key, row->second));
    if (has_history() && may_match) {
      continue;
    }
    Note("stale", entry.key, ++check_.stale);
    if (repair_ && !may_match && milliseconds(entry.timestamp_ms) <= old_up_to) {
      Delete& one = dead.emplace_back(Delete{.row = entry.key});
      one.AddColumns(entry.kind->family, "", entry.timestamp_ms);  // one version less would show the one before
    }
  }
  return RunAll<Delete>(cluster_, index_.table, dead).status();
}

Expected<std::vector<IndexChecker::Entry>> IndexChecker::WithOtherValues(const std::vector<Entry>& entries) {
  std::vector<std::string> rows;
  for (const Entry& entry : entries) {
    rows.push_back(entry.row);
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> cells, ReadColumns(cluster_, table_, index_, rows));
  std::vector<Entry> others;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Expected<std::optional<std::string>> now = EntryKey(*entries[i].kind, rows[i], ValuesIn(cells[i], index_));
    if (!now.ok() || *now != entries[i].key) {
      others.push_back(entries[i]);
    }
  }
  return others;
}

Expected<std::map<std::string, Result>> IndexChecker::ReadStored(const std::vector<Entry>& entries) {
  std::vector<RowRange> rows;
  for (const Entry& entry : entries) {
    rows.push_back({.start = entry.row, .stop = entry.row, .include_stop = true});
  }
  Scan scan = StoredVersionsOf(index_);
  const auto [first, last] = std::ranges::minmax_element(rows, {}, &RowRange::start);
  scan.start_row = first->start;
  scan.stop_row = last->stop;
  scan.include_stop = true;
  KLIP_ASSIGN_OR_RETURN(FilterPtr only, MultiRowRangeFilter(std::move(rows)));
  scan.filter = FilterList(ListOperator::kMustPassAll, {std::move(only), std::move(scan.filter)});
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, table_, {.scan = std::move(scan)});
  std::map<std::string, Result> stored;
  while (true) {
    Result cells;
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&cells));
    if (!more) {
      return stored;
    }
    stored.emplace(cells.row(), std::move(cells));
  }
}

}  // namespace klip::client
