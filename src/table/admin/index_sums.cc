#include "table/admin/index_sums.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/read/read_view.h"
#include "filter/rows/key_sample.h"
#include "klip/bytes.h"
#include "klip/cancel.h"
#include "model/family_policy.h"
#include "table/read/index_entry.h"
#include "table/write/index_entries.h"

namespace klip::table {
namespace {

constexpr int64_t kProgressRows = 1024;
constexpr int64_t kMostAgeMs = int64_t{7} * 24 * 3600 * 1000;
constexpr int32_t kPieceCells = 10'000;  // of a row, in memory at once

// The hash of an entry and its covered columns, in order. When these expire does not count: readers do not see what has.
class EntryHash {
 public:
  void Start(std::string_view entry, std::string_view state) {
    bytes_.assign(state);
    Append(entry);
  }
  void Add(const CoveredColumn& column) {
    AppendBigEndian(static_cast<uint64_t>(column.column), &bytes_);
    AppendBigEndian(column.timestamp_ms, &bytes_);
    Append(column.value);
  }
  uint64_t Take() const { return filter::SampleHash(bytes_); }

 private:
  void Append(std::string_view text) {
    AppendBigEndian(static_cast<uint32_t>(text.size()), &bytes_);
    bytes_.append(text);
  }

  std::string bytes_;
};

class Summing {
 public:
  Summing(Shared* shared, const engine::ReadViewPtr& view, const TableInfo& table, const TableIndex& index)
      : table_(table),
        index_(index),
        columns_(index.definition.stored_columns().size()),
        now_ms_(view->now_ms()),
        source_(shared->store.get(), shared->settings.limits, view) {
    for (const rowkey::IndexColumn& column : index.definition.stored_columns()) {
      const FamilyDescriptor* const family = table.view->descriptor.Find(column.family);
      mortal_ = mortal_ || model::FamilyPolicy::From(*family).ttl_ms != model::kNoTtl;
    }
  }

  Status AddRows(const IndexProgress& progress);
  Status AddEntries();
  const IndexSums& sums() const { return sums_; }

 private:
  IndexSums::Bucket& BucketOf(std::string_view row) { return sums_.buckets[IndexSums::BucketOf(row)]; }
  bool TakeCells(const Result& row);
  Expected<EntryCells> Wanted(std::string_view row) const;
  uint64_t HashOf(const EntryKey& key, std::string_view value);
  Status AddRecords();

  const TableInfo& table_;
  const TableIndex& index_;
  std::vector<const Cell*> columns_;  // of the current row; null: the row has no such column
  rowkey::ComputedCells computed_;
  bool mortal_ = false;  // some cells will expire
  const int64_t now_ms_;
  const RowSource source_;
  std::string key_;
  std::vector<CoveredColumn> covered_;
  EntryHash hash_;
  IndexSums sums_;
};

// The cells that the row's entry should have, from all of the row's stored cells.
Expected<EntryCells> Summing::Wanted(std::string_view row) const {
  KLIP_ASSIGN_OR_RETURN(const IndexedCells cells, ReadIndexedCells(source_, *table_.indexes, row));
  return EntriesOf(index_, row, VersionsOf(*table_.indexes, index_, cells, now_ms_));
}

uint64_t HashOfRecord(std::string_view qualifier, EntryHash* hash) {
  hash->Start(kNoEntryRow, qualifier);
  return hash->Take();
}

uint64_t Summing::HashOf(const EntryKey& key, std::string_view value) {
  if (key.row == kNoEntryRow) {
    return HashOfRecord(key.qualifier, &hash_);
  }
  const bool certain = ReadEntryValue(index_.definition, value, now_ms_, &covered_);
  hash_.Start(key.row, certain ? kCertain : kCheck);
  for (const CoveredColumn& column : covered_) {
    hash_.Add(column);
  }
  return hash_.Take();
}

// Whether a Get shows exactly these cells as the newest ones, now and always: one cell per column, and nothing that may
// hide it.
bool Summing::TakeCells(const Result& row) {
  columns_.assign(index_.definition.stored_columns().size(), nullptr);
  for (const Cell& cell : row) {
    const std::span<const rowkey::IndexColumn> columns = index_.definition.stored_columns();
    const auto of_family = [&](const rowkey::IndexColumn& column) { return column.family == cell.family; };
    if (std::ranges::none_of(columns, of_family)) {
      continue;
    }
    if (cell.type != CellType::kPut) {
      return false;
    }
    if (const std::optional<size_t> at = index_.definition.ColumnIndex(cell.family, cell.qualifier); at.has_value()) {
      if (columns_[*at] != nullptr || !cell.tags.empty()) {
        return false;
      }
      columns_[*at] = &cell;
    }
  }
  // A value that the index skips has a record, not an entry.
  return !mortal_ && !row.has_more_cells_in_row() && !index_.definition.descriptor.skip_invalid;
}

Status Summing::AddRows(const IndexProgress& progress) {
  engine::RowScanSpec spec;
  spec.scan = {.batch = kPieceCells, .raw = true, .cache_blocks = false};
  KLIP_ASSIGN_OR_RETURN(const auto scanner, source_.Open(table_, std::move(spec)));
  const CancelToken token = CancelToken::Current();
  Result row;
  int64_t rows = 0;
  std::string last;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return Status::Ok();
    }
    if (row.empty() || row.row() == last) {
      continue;  // a row of several pieces was read completely with the first
    }
    last = row.row();
    IndexSums::Bucket& bucket = BucketOf(last);
    ++bucket.rows;
    if (TakeCells(row)) {
      key_.clear();
      computed_.clear();
      rowkey::AddComputedCells(index_.definition, last, &columns_, &computed_);
      if (rowkey::AppendEntryKey(index_.definition, last, columns_, &key_)) {
        hash_.Start(key_, kCertain);
        for (const size_t column : index_.definition.include) {
          if (const Cell* const cell = columns_[column]; cell != nullptr) {
            hash_.Add({.column = column, .timestamp_ms = cell->timestamp_ms, .value = cell->value});
          }
        }
        bucket.wanted += hash_.Take();
      }
    } else {
      KLIP_ASSIGN_OR_RETURN(const EntryCells wanted, Wanted(last));
      for (const auto& [key, cell] : wanted) {
        bucket.wanted += HashOf(key, cell.value);
      }
    }
    if (++rows % kProgressRows == 0) {
      KLIP_RETURN_IF_ERROR(token.status());
      if (progress) {
        progress(rows);
      }
    }
  }
}

// An entry that requires reading the row is never wrong: it counts as the right one.
Status Summing::AddEntries() {
  engine::RowScanSpec spec;
  spec.scan = {.cache_blocks = false};
  KLIP_ASSIGN_OR_RETURN(EntryScanner scanner, EntryScanner::Open(source_, table_, index_, std::move(spec)));
  const CancelToken token = CancelToken::Current();
  EntryScanner::Entry entry;
  for (int64_t entries = 0;; ++entries) {
    if (entries % kProgressRows == 0) {
      KLIP_RETURN_IF_ERROR(token.status());
    }
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner.NextStored(&entry));
    if (!more) {
      return AddRecords();
    }
    IndexSums::Bucket& bucket = BucketOf(entry.row);
    ++bucket.entries;
    if (entry.certain) {
      hash_.Start(entry.key, kCertain);
      for (const CoveredColumn& column : entry.covered) {
        hash_.Add(column);
      }
      bucket.stored += hash_.Take();
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const EntryCells wanted, Wanted(entry.row));
    const auto found = wanted.find({.row = std::string(entry.key)});
    if (found != wanted.end()) {
      bucket.stored += HashOf(found->first, found->second.value);
    } else {
      bucket.stale = true;
    }
  }
}

Status Summing::AddRecords() {
  for (const std::string_view kind : {kSkipped, kTooMany}) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> rows, RecordedRows(source_, index_, kind));
    for (const std::string& row : rows) {
      BucketOf(row).stored += HashOfRecord(RecordOf(kind, row).qualifier, &hash_);
    }
  }
  return Status::Ok();
}

}  // namespace

size_t IndexSums::BucketOf(std::string_view row) { return filter::SampleHash(row) % kBuckets; }

Expected<IndexSums> SumIndex(Shared* shared, const InfoPtr& table, const TableIndex& index,
                             const IndexProgress& progress) {
  const auto view = std::make_shared<const engine::ReadView>(*shared->store, kMostAgeMs);
  Summing rows(shared, view, *table, index);
  Summing entries(shared, view, *table, index);
  Status entries_done;
  std::thread other([&, token = CancelToken::Current()] {
    const CancelScope scope(token);
    entries_done = entries.AddEntries();
  });
  const Status rows_done = rows.AddRows(progress);
  other.join();
  KLIP_RETURN_IF_ERROR(rows_done);
  KLIP_RETURN_IF_ERROR(entries_done);
  IndexSums sums = rows.sums();
  for (size_t i = 0; i < sums.buckets.size(); ++i) {
    const IndexSums::Bucket& other_half = entries.sums().buckets[i];
    sums.buckets[i].stored = other_half.stored;
    sums.buckets[i].entries = other_half.entries;
    sums.buckets[i].stale = other_half.stale;
  }
  return sums;
}

}  // namespace klip::table
