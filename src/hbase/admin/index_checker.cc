#include "hbase/admin/index_checker.h"

#include <algorithm>
#include <utility>

#include "hbase/table/multi.h"
#include "hbase/table/scanner.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "rowkey/key_codec.h"

namespace klip::client {
namespace {

constexpr size_t kGroup = 500;  // TUNING: rows of one Multi

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
  std::vector<ColumnSpec> columns;
  for (const rowkey::IndexColumn& column : index.definition.columns) {
    columns.push_back({column.family, column.qualifier});
  }
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
  for (const rowkey::IndexColumn& column : index_.definition.columns) {
    scan.columns.push_back({column.family, column.qualifier});
  }
  scan.cache_blocks = false;
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, table_, {.scan = scan});
  std::vector<std::string> rows;
  Result row;
  for (bool more = true; more;) {
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    if (more) {
      ++check_.rows;
      rows.emplace_back(row.row());
    }
    if (rows.size() == kGroup || !more) {
      KLIP_RETURN_IF_ERROR(CheckRowGroup(rows));
      rows.clear();
      if (progress != nullptr) {
        progress(check_.rows);
      }
    }
  }
  return {};
}

Status IndexChecker::CheckRowGroup(const std::vector<std::string>& rows) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> cells, ReadColumns(cluster_, table_, index_, rows));
  const size_t kinds = index_.kinds.size();
  std::vector<Get> gets;  // of each row that has all columns, one for each kind
  for (size_t i = 0; i < rows.size(); ++i) {
    const ColumnValues values = ValuesIn(cells[i], index_);
    for (const EntryKind& kind : index_.kinds) {
      const Expected<std::optional<std::string>> key = EntryKey(kind, rows[i], values);
      if (!key.ok() || !key->has_value()) {  // another client's: it can have no entry, and no condition finds it
        gets.resize(gets.size() / kinds * kinds);
        break;
      }
      gets.push_back({.row = **key, .columns = {{kind.family, {}}}});
    }
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> entries, RunAll<Get>(cluster_, index_.table, gets));
  std::vector<Put> missing;
  for (size_t i = 0; i < gets.size(); i += kinds) {
    if (std::all_of(&entries[i], &entries[i] + kinds, [](const Result& entry) { return entry.empty(); })) {
      const std::string& key = gets[i + kinds - 1].row;
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
  std::vector<std::string> rows;
  for (const Entry& entry : entries) {
    rows.push_back(entry.row);
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> cells, ReadColumns(cluster_, table_, index_, rows));
  std::vector<Delete> dead;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Expected<std::optional<std::string>> now = EntryKey(*entries[i].kind, rows[i], ValuesIn(cells[i], index_));
    if (now.ok() && *now == entries[i].key) {
      continue;
    }
    Note("stale", entries[i].key, ++check_.stale);
    KLIP_ASSIGN_OR_RETURN(const bool is_dead, repair_ ? IsDead(entries[i]) : false);
    if (is_dead) {
      Delete& entry = dead.emplace_back(Delete{.row = entries[i].key});
      entry.AddColumn(entries[i].kind->family, "", entries[i].timestamp_ms);
    }
  }
  return RunAll<Delete>(cluster_, index_.table, dead).status();
}

Expected<bool> IndexChecker::IsDead(const Entry& entry) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (std::chrono::milliseconds(entry.timestamp_ms) + dead_after_ > now) {
    return false;
  }
  KLIP_ASSIGN_OR_RETURN(const bool stored, StoresItsValues(entry));
  return !stored;
}

Expected<bool> IndexChecker::StoresItsValues(const Entry& entry) {
  const rowkey::IndexDefinition& definition = entry.kind->definition;
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string_view> fields,
                        rowkey::SplitRow(definition.schema.fields(), entry.key));
  const auto has_value = [&](size_t column, std::string_view value) {
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
  };
  Scan scan = StoredVersionsOf(index_);
  scan.start_row = scan.stop_row = entry.row;
  scan.include_stop = true;
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, table_, {.scan = scan});
  std::vector<bool> found(definition.columns.size());
  Result versions;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&versions));
    if (!more) {
      return std::ranges::find(found, false) == found.end();
    }
    for (const Cell& cell : versions) {
      const std::optional<size_t> column = definition.ColumnIndex(cell.family, cell.qualifier);
      if (cell.type == CellType::kPut && column.has_value() && has_value(*column, cell.value)) {
        found[*column] = true;
      }
    }
  }
}

}  // namespace klip::client
