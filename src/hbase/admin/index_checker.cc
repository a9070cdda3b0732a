#include "hbase/admin/index_checker.h"

#include <algorithm>
#include <utility>

#include "hbase/table/multi.h"
#include "hbase/table/scanner.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip::client {
namespace {

constexpr size_t kGroup = 500;  // TUNING: rows of one Multi

}  // namespace

Scan StoredVersionsOf(const ClientIndex& index) {
  Scan scan;
  scan.raw = true;
  scan.max_versions = kAllVersions;
  scan.cache_blocks = false;
  scan.columns = {{index.column().family, {}}};  // HBase refuses columns in raw scans
  scan.filter = QualifierFilter(CompareOp::kEqual, BinaryComparator(index.column().qualifier));
  return scan;
}

Expected<std::vector<Result>> ReadColumns(Cluster* cluster, const std::string& table, const ClientIndex& index,
                                          const std::vector<std::string>& rows) {
  std::vector<Get> gets;
  gets.reserve(rows.size());
  for (const std::string& row : rows) {
    gets.push_back({.row = row, .columns = {{index.column().family, index.column().qualifier}}});
  }
  return RunAll<Get>(cluster, table, gets);
}

Expected<IndexCheck> IndexChecker::Run(const IndexProgress& progress) {
  KLIP_RETURN_IF_ERROR(CheckRows(progress));
  KLIP_RETURN_IF_ERROR(CheckEntries());
  return std::move(check_);
}

void IndexChecker::Note(std::string_view kind, std::string_view key, int64_t count) {
  constexpr int64_t kNoted = 10;
  if (count <= kNoted) {
    check_.differences.push_back(std::string(kind) + ": entry '" + ToStringBinary(key) + "'");
  }
}

Expected<std::vector<std::string>> IndexChecker::KeysNow(const std::vector<std::string>& rows) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> cells, ReadColumns(cluster_, table_, index_, rows));
  std::vector<std::string> keys(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Cell* const cell = cells[i].Find(index_.column().family, index_.column().qualifier);
    if (cell != nullptr && !AppendEntryKey(index_, rows[i], std::string(cell->value), &keys[i]).ok()) {
      keys[i].clear();  // another client's: it can have no entry, and no condition finds it
    }
  }
  return keys;
}

// --- Rows without their entries ---

Status IndexChecker::CheckRows(const IndexProgress& progress) {
  Scan scan;
  scan.columns = {{index_.column().family, index_.column().qualifier}};
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
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> keys, KeysNow(rows));
  std::vector<Get> gets;
  for (const std::string& key : keys) {
    if (!key.empty()) {
      gets.push_back({.row = key, .columns = {{kEntryFamily, {}}}});
    }
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<Result> entries, RunAll<Get>(cluster_, index_.table, gets));
  std::vector<Put> missing;
  for (size_t i = 0; i < gets.size(); ++i) {
    if (entries[i].empty()) {
      Note("missing", gets[i].row, ++check_.missing);
      missing.push_back(EntryPut(gets[i].row, Durability::kUseDefault));
    }
  }
  return repair_ && !missing.empty() ? WriteEntries(cluster_, index_, missing) : Status();
}

// --- Entries without their rows ---

Status IndexChecker::CheckEntries() {
  Scan scan;
  scan.columns = {{kEntryFamily, {}}};
  scan.cache_blocks = false;
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, index_.table, {.scan = scan});
  std::vector<Entry> entries;
  Result cells;
  for (bool more = true; more;) {
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&cells));
    if (more) {
      ++check_.entries;
      KLIP_ASSIGN_OR_RETURN(const std::string_view row, rowkey::TableRowOf(index_.definition, cells.row()));
      entries.push_back({std::string(cells.row()), std::string(row), cells[0].timestamp_ms});
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
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> keys, KeysNow(rows));
  std::vector<Delete> dead;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (keys[i] == entries[i].key) {
      continue;
    }
    Note("stale", entries[i].key, ++check_.stale);
    KLIP_ASSIGN_OR_RETURN(const bool is_dead, repair_ ? IsDead(entries[i]) : false);
    if (is_dead) {
      Delete& entry = dead.emplace_back(Delete{.row = entries[i].key});
      entry.AddColumn(kEntryFamily, "", entries[i].timestamp_ms);
    }
  }
  return RunAll<Delete>(cluster_, index_.table, dead).status();
}

Expected<bool> IndexChecker::IsDead(const Entry& entry) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (std::chrono::milliseconds(entry.timestamp_ms) + dead_after_ > now) {
    return false;
  }
  Scan scan = StoredVersionsOf(index_);
  scan.start_row = scan.stop_row = entry.row;
  scan.include_stop = true;
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, table_, {.scan = scan});
  Result versions;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&versions));
    if (!more) {
      return true;
    }
    for (const Cell& cell : versions) {
      std::string key;
      if (cell.type == CellType::kPut && cell.qualifier == index_.column().qualifier &&
          AppendEntryKey(index_, entry.row, std::string(cell.value), &key).ok() && key == entry.key) {
        return false;
      }
    }
  }
}

}  // namespace klip::client
