// KnownRowCount: counts the rows of a family from the counts that its files keep (statistics/plain_rows.h).
//
// The row counts of the files add up to the number of rows if no row is in two files, nothing hides a cell, and nothing
// is in memory. Files are sorted by their first rows. Compactions may cut a row, so one file may end with the row that
// the next file begins with; that row is subtracted. If files overlap in any other way, the answer is unknown. A file
// has the property only if all of its entries are plain puts, so no marker hides anything. The matcher checks by time
// range and TTL that the scan sees the oldest and the newest cell, and hence those between.
//
// Memory is checked before the files. Cells in memory at that moment would later be in a file or lost; if memory is
// empty, the files were complete at that moment. A later write may be counted or not, as for a scan that is opened
// meanwhile.
//
// Example: files [a..c] of 3 rows, [c..f] of 4, [g..g] of 1: 3 + 4 + 1 rows, minus one for c. With [b..d] beside
// [a..c]: unknown.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"

#include "engine/layout/cell_key.h"
#include "engine/read/read_setup.h"
#include "engine/read/row_scanner.h"
#include "engine/statistics/plain_rows.h"

namespace klip::engine {
namespace {

// The first and the last row of a file, escaped.
struct FileSpan {
  std::string first;
  std::string last;
};

bool AsksForWholeTable(const TableView& table, const Scan& scan) {
  return table.families.size() == 1 && scan.start_row.empty() && scan.stop_row.empty() && scan.limit_rows <= 0 &&
         scan.columns.empty() && scan.max_results_per_family < 0 && scan.row_offset_per_family == 0 && !scan.raw &&
         scan.filter == nullptr && !scan.where.has_value() && scan.rows == nullptr;
}

bool NothingInMemory(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  // The active memtable first: if it becomes immutable in between, the second property still counts it.
  for (const std::string* const name :
       {&rocksdb::DB::Properties::kNumEntriesActiveMemTable, &rocksdb::DB::Properties::kNumEntriesImmMemTables}) {
    uint64_t entries = 0;
    if (!db->GetIntProperty(family, *name, &entries) || entries != 0) {
      return false;
    }
  }
  return true;
}

// nullopt: some file contains more than visible puts.
std::optional<int64_t> SumOfRows(const rocksdb::TablePropertiesCollection& files, const model::ReadMatcher& matcher) {
  int64_t rows = 0;
  for (const auto& [name, table] : files) {
    const auto stored = table->user_collected_properties.find(kPlainRowsProperty);
    if (stored == table->user_collected_properties.end() || table->num_range_deletions > 0) {
      return std::nullopt;
    }
    const std::optional<PlainRows> plain = PlainRows::Parse(stored->second);
    if (!plain.has_value() || !matcher.SeesFirstPut(plain->oldest_ms) || !matcher.SeesFirstPut(plain->newest_ms)) {
      return std::nullopt;
    }
    rows += plain->rows;
  }
  return rows;
}

// The number of rows that are counted twice. nullopt: files overlap, or the family's files differ from `files`.
std::optional<int64_t> RowsCutByFiles(const rocksdb::ColumnFamilyMetaData& family,
                                      const rocksdb::TablePropertiesCollection& files) {
  std::vector<FileSpan> spans;
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (!files.contains(file.db_path + file.name)) {
        return std::nullopt;
      }
      spans.push_back({file.smallestkey.substr(0, EscapedRowLength(file.smallestkey)),
                       file.largestkey.substr(0, EscapedRowLength(file.largestkey))});
    }
  }
  if (spans.size() != files.size()) {
    return std::nullopt;
  }
  std::sort(spans.begin(), spans.end(), [](const FileSpan& a, const FileSpan& b) {
    return a.first != b.first ? a.first < b.first : a.last < b.last;
  });
  int64_t cut = 0;
  for (size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].last) {
      return std::nullopt;
    }
    cut += spans[i].first == spans[i - 1].last ? 1 : 0;
  }
  return cut;
}

}  // namespace

std::optional<int64_t> KnownRowCount(const Store& store, const TableView& table, const Scan& scan) {
  if (!AsksForWholeTable(table, scan)) {
    return std::nullopt;
  }
  ReadRequest request;
  request.columns = &scan.columns;
  request.time_range = scan.time_range;
  request.family_time_ranges = &scan.family_time_ranges;
  request.max_versions = scan.max_versions;
  request.now_ms = store.NowMs();
  const Expected<std::vector<FamilyReader>> readers = MakeReaders(table, request);
  if (!readers.ok()) {
    return std::nullopt;
  }
  rocksdb::ColumnFamilyHandle* const family = table.families.front().handle.get();
  rocksdb::DB* const db = store.db();
  rocksdb::TablePropertiesCollection files;
  if (!NothingInMemory(db, family) || !db->GetPropertiesOfAllTables(family, &files).ok()) {
    return std::nullopt;
  }
  rocksdb::ColumnFamilyMetaData spans;
  db->GetColumnFamilyMetaData(family, &spans);
  const std::optional<int64_t> cut = RowsCutByFiles(spans, files);
  const std::optional<int64_t> rows = cut.has_value() ? SumOfRows(files, readers->front().matcher) : std::nullopt;
  return rows.has_value() ? std::optional(*rows - *cut) : std::nullopt;
}

}  // namespace klip::engine
