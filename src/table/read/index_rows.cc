#include "table/read/index_rows.h"

#include <algorithm>
#include <utility>

#include "klip/cancel.h"
#include "table/read/index_conditions.h"
#include "table/read/index_entry.h"

namespace klip::table {
namespace {

struct ChosenIndex {
  const TableIndex* index = nullptr;
  EntrySet set;
};

Explain::Candidate Lost(const TableIndex& index, std::string why) {
  return {.kind = PlanKind::kRange, .why_not = std::move(why), .path = index.name()};
}

// Of the indexes that can tell, the one with most leading fields in conditions. *lost: the others, and why.
ChosenIndex Choose(const TableIndexes& indexes, const std::vector<ColumnCondition>& conditions, const Scan& scan,
                   std::vector<Explain::Candidate>* lost) {
  ChosenIndex chosen;
  for (const TableIndex& index : indexes.all) {
    ChosenIndex one = {.index = &index, .set = EntriesFor(index, conditions, scan)};
    if (one.set.entries == nullptr) {
      lost->push_back(Lost(index, one.set.why_not));
      continue;
    }
    if (one.set.fields > chosen.set.fields) {
      std::swap(one, chosen);
    }
    if (one.index != nullptr) {
      lost->push_back(Lost(*one.index, "index '" + chosen.index->name() + "' has " +
                                           (one.set.fields < chosen.set.fields ? "more fields" : "as many fields") +
                                           " with conditions"));
    }
  }
  return chosen;
}

// How many rows may be fetched before reading all of them is expected to be faster.
size_t MostRows(engine::Storage* storage, const TableInfo& table) {
  // TUNING: a row that is looked up costs about 16 times what a cell costs that is passed over (bench/RESULTS.md, and the index's own
  // read). Cells in memory are not counted: about one in 100 bytes.
  constexpr int64_t kCellsPerRow = 16;
  constexpr int64_t kBytesPerCell = 100;
  constexpr int64_t kLeast = 256;
  constexpr int64_t kMost = 1'000'000;  // which are kept in memory
  const Expected<TableStatistics> statistics = storage->Statistics(*table.view);
  const int64_t cells = statistics.ok() ? statistics->cells + statistics->bytes_in_memory / kBytesPerCell : int64_t{0};
  return static_cast<size_t>(std::clamp(cells / kCellsPerRow, kLeast, kMost));
}

// Null: they are too many to be kept.
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

std::shared_ptr<const filter::RowSet> SetOfRows(std::vector<std::string> rows) {
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<RowRange> ranges;
  for (std::string& row : rows) {
    ranges.push_back({.start = row, .stop = row, .include_stop = true});
  }
  return ranges.empty() ? filter::RowSet::None() : filter::RowSet::FromRanges(std::move(ranges));
}

Expected<IndexedRows> RowsByIndex(const RowSource& source, engine::Storage* storage, const TableInfo& table,
                                  const Scan& scan, size_t first_entries) {
  IndexedRows out;
  const std::vector<ColumnCondition> conditions = ConditionsOf(scan);
  const ChosenIndex chosen =
      conditions.empty() ? ChosenIndex() : Choose(*table.indexes, conditions, scan, &out.not_taken);
  if (chosen.index == nullptr) {
    return out;
  }
  const size_t most = MostRows(storage, table);
  const bool first_ones = chosen.set.in_row_order && !scan.reversed && scan.limit_rows > 0;
  const size_t limit = first_ones ? static_cast<size_t>(scan.limit_rows) : SIZE_MAX;
  const auto open = [&] {
    engine::RowScanSpec spec;
    spec.rows = chosen.set.entries;
    return EntryScanner::Open(source, table, *chosen.index, std::move(spec));
  };
  if (std::optional<RowCover> cover = RowCover::Of(*chosen.index, scan); cover.has_value()) {
    constexpr size_t kCoveredPerFetched = 8;  // TUNING: so many covered rows cost what one row does that is looked up
    KLIP_ASSIGN_OR_RETURN(EntryScanner scanner, open());
    KLIP_ASSIGN_OR_RETURN(out.covered, ReadCovered(&scanner, *std::move(cover), most * kCoveredPerFetched, limit));
    if (out.covered != nullptr) {
      out.index = chosen.index->name();
      return out;
    }
  }
  KLIP_ASSIGN_OR_RETURN(EntryScanner scanner, open());
  std::vector<std::string> rows;
  EntryScanner::Entry entry;
  KLIP_ASSIGN_OR_RETURN(bool more, scanner.NextStored(&entry));
  const CancelToken token = CancelToken::Current();
  const size_t enough = std::max(limit, first_entries);
  while (more && rows.size() < std::min(most, enough)) {
    KLIP_RETURN_IF_ERROR(token.status());
    rows.emplace_back(entry.row);
    KLIP_ASSIGN_OR_RETURN(more, scanner.NextStored(&entry));
  }
  if (more && rows.size() == enough) {
    out.entries = enough;
    out.last_row = rows.back();
  } else if (more) {
    out.not_taken.push_back(Lost(*chosen.index, "more than " + std::to_string(most) + " rows: reading all is faster"));
    return out;
  }
  out.not_taken.push_back(
      {.kind = PlanKind::kFullWalk,
       .why_not = "the index has " + std::to_string(rows.size()) + (more ? " rows or more" : " rows"),
       .path = table.name()});
  out.index = chosen.index->name();
  out.rows = SetOfRows(std::move(rows));
  return out;
}

}  // namespace klip::table
