#include "table/read/index_rows.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "klip/cancel.h"
#include "table/read/index_entry.h"

namespace klip::table {
namespace {

// Adds the columns of these rows, which have no entry.
Status CoverSkipped(const RowSource& source, const TableInfo& table, const TableIndex& index,
                    const std::vector<std::string>& skipped, RowCover* cover) {
  const CancelToken token = CancelToken::Current();
  Result row;
  for (const std::string& key : skipped) {
    KLIP_RETURN_IF_ERROR(token.status());
    KLIP_RETURN_IF_ERROR(source.Get(table, ColumnsOf(index, key), &row));
    cover->Add({.row = key, .fetched = &row});
  }
  return Status::Ok();
}

// Null: there are too many to keep.
Expected<std::shared_ptr<const CoveredRows>> ReadCovered(EntryScanner* scanner, RowCover cover, size_t most,
                                                         size_t enough) {
  constexpr size_t kMostBytes = 64 << 20;
  const CancelToken token = CancelToken::Current();
  EntryScanner::Entry entry;
  while (cover.rows() < enough) {
    KLIP_RETURN_IF_ERROR(token.status());
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&entry));
    if (!more) {
      break;
    }
    cover.Add(entry);
    if (cover.rows() > most || cover.bytes() > kMostBytes) {
      return std::shared_ptr<const CoveredRows>();
    }
  }
  return std::shared_ptr<const CoveredRows>(std::make_shared<CoveredRows>(std::move(cover).Take()));
}

}  // namespace

IndexPaths IndexPathsOf(const TableInfo& table, const Scan& scan, const filter::RowSet* keys) {
  IndexPaths paths;
  const std::vector<rowkey::ColumnCondition> conditions =
      table.indexes == nullptr ? std::vector<rowkey::ColumnCondition>() : rowkey::StoredConditionsOf(scan);
  if (conditions.empty()) {
    return paths;
  }
  for (const TableIndex& index : table.indexes->all) {
    if (index.rebuilt) {
      continue;
    }
    if (const char* const why_not = index.why_unused(); why_not != nullptr) {
      paths.cannot_tell.push_back({.kind = PlanKind::kRange, .why_not = why_not, .index = index.name()});
      continue;
    }
    rowkey::EntrySet set = rowkey::EntriesFor(index.definition, conditions, scan, keys);
    if (set.entries == nullptr) {
      paths.cannot_tell.push_back({.kind = PlanKind::kRange, .why_not = std::move(set.why_not), .index = index.name()});
    } else {
      paths.usable.push_back({.index = &index, .set = std::move(set), .covers = RowCover::Of(index, scan).has_value()});
    }
  }
  std::ranges::stable_sort(paths.usable, std::greater<>(), [](const IndexPath& path) { return path.set.fields; });
  return paths;
}

namespace {

// The rows of entries, in the order found.
struct FoundRows {
  std::vector<std::string> rows;
  bool more = false;
  ScanStatistics read;
};

Expected<FoundRows> ReadRows(EntryScanner* scanner, size_t most) {
  FoundRows found;
  EntryScanner::Entry entry;
  const CancelToken token = CancelToken::Current();
  KLIP_ASSIGN_OR_RETURN(found.more, scanner->NextStored(&entry));
  while (found.more && found.rows.size() < most) {
    KLIP_RETURN_IF_ERROR(token.status());
    found.rows.emplace_back(entry.row);
    KLIP_ASSIGN_OR_RETURN(found.more, scanner->NextStored(&entry));
  }
  found.read = scanner->statistics();
  return found;
}

}  // namespace

std::vector<std::string> FirstRows(const RowSource& source, const TableInfo& table, const IndexPath& path,
                                   size_t most) {
  Expected<EntryScanner> scanner = EntryScanner::Open(source, table, *path.index, {.rows = path.set.entries});
  if (!scanner.ok()) {
    return {};
  }
  Expected<FoundRows> found = ReadRows(&*scanner, most);
  return found.ok() ? std::move(found->rows) : std::vector<std::string>();
}

Expected<IndexedRows> RowsByIndex(const RowSource& source, const TableInfo& table, const IndexPath& path,
                                  const Scan& scan, size_t most, size_t first_entries) {
  IndexedRows out;
  const std::vector<std::shared_ptr<const filter::RowSet>>& runs = path.set.runs;
  const auto open = [&](std::shared_ptr<const filter::RowSet> entries) {
    engine::RowScanSpec spec;
    spec.scan.reversed = scan.reversed;
    spec.rows = std::move(entries);
    return EntryScanner::Open(source, table, *path.index, std::move(spec));
  };
  const bool limited = !runs.empty() && scan.limit_rows > 0;
  const size_t limit = limited ? static_cast<size_t>(scan.limit_rows) : SIZE_MAX;
  std::vector<std::string> rows;
  if (path.set.with_skipped) {
    KLIP_ASSIGN_OR_RETURN(rows, IncompleteRows(source, *path.index, most < SIZE_MAX ? most + 1 : most));
    if (rows.size() > most) {
      return out;
    }
  }
  if (path.covers) {
    KLIP_ASSIGN_OR_RETURN(EntryScanner scanner, open(path.set.entries));
    RowCover cover = *RowCover::Of(*path.index, scan);
    // With rows that were added before, in any order, the first ones found need not be the first of the scan.
    const bool in_order = runs.size() == 1 && rows.empty();
    KLIP_RETURN_IF_ERROR(CoverSkipped(source, table, *path.index, rows, &cover));
    KLIP_ASSIGN_OR_RETURN(out.covered, ReadCovered(&scanner, std::move(cover), most, in_order ? limit : SIZE_MAX));
    out.index = out.covered != nullptr ? path.index->name() : "";
    out.read = scanner.statistics();
    return out;
  }
  const size_t enough = limited ? std::max(limit, first_entries) : SIZE_MAX;
  std::optional<std::string> last;  // runs that were not read to their end may have rows after it
  for (const auto& run : limited ? runs : std::vector{path.set.entries}) {
    KLIP_ASSIGN_OR_RETURN(EntryScanner scanner, open(run));
    KLIP_ASSIGN_OR_RETURN(FoundRows found, ReadRows(&scanner, std::min(enough, most)));
    if (found.more && found.rows.size() < enough) {
      return out;
    }
    if (found.more && (!last.has_value() || (scan.reversed ? *last < found.rows.back() : found.rows.back() < *last))) {
      last = found.rows.back();
    }
    out.read += found.read;
    std::ranges::move(found.rows, std::back_inserter(rows));
  }
  std::erase_if(
      rows, [&](const std::string& row) { return last.has_value() && (scan.reversed ? row < *last : *last < row); });
  out.index = path.index->name();
  out.entries = enough;
  out.last_row = last.value_or("");
  out.rows = filter::RowSet::FromRows(std::move(rows));
  out.fetches = path.index->counters;
  return out;
}

}  // namespace klip::table
