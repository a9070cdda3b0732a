#include "table/admin/index_verifier.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "klip/bytes.h"
#include "table/read/index_entry.h"
#include "table/write/cells.h"

namespace klip::table {
namespace {

constexpr int64_t kShownDifferences = 10;  // of each kind

// The entry's value; null: it is missing.
const std::string_view* ValueOf(const Result& entry) {
  const Cell* const cell = entry.Find(kEntryFamily, "");
  return cell == nullptr ? nullptr : &cell->value;
}

// Whether `stored` has the right contents for readers. An entry to be checked is never wrong. When covered columns expire
// is not compared: readers do not see what has expired.
bool Tells(const rowkey::IndexDefinition& definition, std::string_view stored, std::string_view wanted,
           int64_t now_ms) {
  std::vector<CoveredColumn> has;
  std::vector<CoveredColumn> should_have;
  if (!ReadEntryValue(definition, stored, now_ms, &has)) {
    return true;
  }
  const auto same = [](const CoveredColumn& a, const CoveredColumn& b) {
    return a.column == b.column && a.timestamp_ms == b.timestamp_ms && a.value == b.value;
  };
  return ReadEntryValue(definition, wanted, now_ms, &should_have) && std::ranges::equal(has, should_have, same);
}

// All cells: stores of older versions have several.
void Remove(const engine::Family& family, const Result& entry, engine::WriteSet* writes) {
  for (const Cell& cell : entry) {
    writes->Remove(family, entry.row(), cell.qualifier, cell.timestamp_ms);
  }
}

}  // namespace

Expected<IndexCheck> IndexVerifier::Run() {
  KLIP_RETURN_IF_ERROR(FindSuspects());
  if (suspects_.any()) {
    KLIP_RETURN_IF_ERROR(walk_.ForEachGroup("", [this](const auto& rows) { return CheckRows(rows); }));
    KLIP_RETURN_IF_ERROR(walk_.ForEachEntryGroup([this](const auto& entries) { return CheckEntries(entries); }));
    KLIP_RETURN_IF_ERROR(CheckRecords());
  }
  KLIP_RETURN_IF_ERROR(CountSkipped());
  return std::move(check_);
}

Status IndexVerifier::Sweep() {
  suspects_.set();
  KLIP_RETURN_IF_ERROR(walk_.ForEachEntryGroup([this](const auto& entries) { return CheckEntries(entries); }));
  return CheckRecords();
}

// Rows and entries of the other buckets are only counted.
Status IndexVerifier::FindSuspects() {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, walk_.Find());
  KLIP_ASSIGN_OR_RETURN(const IndexSums sums, SumIndex(walk_.shared(), found.info, *found.index, walk_.progress()));
  for (size_t i = 0; i < sums.buckets.size(); ++i) {
    const IndexSums::Bucket& bucket = sums.buckets[i];
    suspects_[i] = bucket.differs();
    check_.rows += suspects_[i] ? 0 : bucket.rows;
    check_.entries += suspects_[i] ? 0 : bucket.entries;
  }
  return Status::Ok();
}

Status IndexVerifier::CheckRows(const std::vector<std::string>& group) {
  std::vector<std::string> rows;
  std::ranges::copy_if(group, std::back_inserter(rows), [this](const std::string& row) { return IsSuspect(row); });
  KLIP_ASSIGN_OR_RETURN(const LockedIndex locked, walk_.Lock(walk_.LocksOf(rows)));
  ScratchWrites repairs;
  for (const std::string& row : rows) {
    KLIP_RETURN_IF_ERROR(CheckRow(locked, row, repairs.get()));
  }
  return Write(repairs.get());
}

Status IndexVerifier::CheckEntries(const std::vector<std::string>& group) {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, walk_.Find());
  std::vector<std::string> rows;
  std::vector<std::string> entries;
  for (const std::string& entry : group) {
    KLIP_ASSIGN_OR_RETURN(const std::string_view row, rowkey::TableRowOf(found.index->definition, entry));
    if (IsSuspect(row)) {
      rows.emplace_back(row);
      entries.push_back(entry);
    }
  }
  KLIP_ASSIGN_OR_RETURN(const LockedIndex locked, walk_.Lock(walk_.LocksOf(rows)));
  ScratchWrites repairs;
  for (const std::string& entry : entries) {
    KLIP_RETURN_IF_ERROR(CheckEntry(locked, entry, repairs.get()));
  }
  return Write(repairs.get());
}

Status IndexVerifier::CheckRow(const LockedIndex& locked, const std::string& row, engine::WriteSet* repairs) {
  ++check_.rows;
  KLIP_ASSIGN_OR_RETURN(const EntryCells wanted, Wanted(locked, row));
  bool too_many = false;
  if (locked.index->definition.descriptor.history) {
    KLIP_ASSIGN_OR_RETURN(too_many, HasRecord(locked, RecordOf(kTooMany, row)));
  }
  KLIP_ASSIGN_OR_RETURN(const EntryCells needed, too_many ? Wanted(locked, row, /*only_newest=*/true) : wanted);
  Result stored_entry;
  for (const auto& [key, cell] : needed) {
    if (key.row != kNoEntryRow) {
      const EntryCell& right = wanted.at(key);
      KLIP_RETURN_IF_ERROR(ReadStored(locked, key.row, &stored_entry));
      const std::string_view* const value = ValueOf(stored_entry);
      if (value == nullptr || !Tells(locked.index->definition, *value, right.value, walk_.source().now_ms())) {
        Note(&check_.missing, value == nullptr ? "missing" : "different", key.row);
        Remove(*locked.index->family, stored_entry, repairs);
        AddEntryCells(*locked.index->family, {{key, right}}, repairs);
      }
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const bool stored, HasRecord(locked, key));
    if (!stored) {
      Note(&check_.missing, "missing", key.qualifier);
      AddEntryCells(*locked.index->family, {{key, cell}}, repairs);
    }
  }
  return Status::Ok();
}

Expected<bool> IndexVerifier::HasRecord(const LockedIndex& locked, const EntryKey& record) const {
  Result stored;
  const Get get = {.row = record.row, .columns = {{kEntryFamily, record.qualifier}}};
  KLIP_RETURN_IF_ERROR(walk_.source().Get(*locked.index->entries, get, &stored));
  return !stored.empty();
}

// A record may belong to a version that is not shown, but may come back.
Status IndexVerifier::CountSkipped() {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, walk_.Find());
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> rows, RecordedRows(walk_.source(), *found.index, kSkipped));
  Result cells;
  for (const std::string& row : rows) {
    KLIP_RETURN_IF_ERROR(walk_.source().Get(*found.info, ColumnsOf(*found.index, row), &cells));
    check_.skipped += IsSkipped(*found.index, row, cells) ? 1 : 0;
  }
  return Status::Ok();
}

// Finds records that their rows no longer need.
Status IndexVerifier::CheckRecords() {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, walk_.Find());
  for (const std::string_view kind : {kSkipped, kTooMany}) {
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> rows, RecordedRows(walk_.source(), *found.index, kind));
    std::erase_if(rows, [this](const std::string& row) { return !IsSuspect(row); });
    for (const std::string& row : rows) {
      KLIP_ASSIGN_OR_RETURN(const LockedIndex locked, walk_.Lock(walk_.LocksOf({row})));
      KLIP_RETURN_IF_ERROR(CheckRecord(locked, kind, row));
    }
  }
  return Status::Ok();
}

// A row may lack entries of older versions while it has a record of too many: they are written when the record is removed.
Status IndexVerifier::CheckRecord(const LockedIndex& locked, std::string_view kind, const std::string& row) {
  KLIP_ASSIGN_OR_RETURN(const EntryCells wanted, Wanted(locked, row));
  const EntryKey record = RecordOf(kind, row);
  if (wanted.contains(record)) {
    return Status::Ok();
  }
  Note(&check_.stale, "stale", record.qualifier);
  ScratchWrites repairs;
  if (kind == kTooMany) {
    AddEntryCells(*locked.index->family, wanted, repairs.get());
  }
  repairs->Remove(*locked.index->family, record.row, record.qualifier, kEntryMs);
  return Write(repairs.get());
}

Status IndexVerifier::CheckEntry(const LockedIndex& locked, const std::string& entry, engine::WriteSet* repairs) {
  Result stored;
  KLIP_RETURN_IF_ERROR(ReadStored(locked, entry, &stored));
  const std::string_view* const value = ValueOf(stored);
  if (value == nullptr) {
    return Status::Ok();  // removed meanwhile, or expired
  }
  ++check_.entries;
  KLIP_ASSIGN_OR_RETURN(const std::string_view row, rowkey::TableRowOf(locked.index->definition, entry));
  KLIP_ASSIGN_OR_RETURN(const EntryCells wanted, Wanted(locked, row));
  if (!wanted.contains({.row = entry})) {
    std::vector<CoveredColumn> covered;
    const bool certain = ReadEntryValue(locked.index->definition, *value, walk_.source().now_ms(), &covered);
    Note(certain ? &check_.wrong : &check_.stale, certain ? "wrong" : "stale", entry);
    Remove(*locked.index->family, stored, repairs);
  }
  return Status::Ok();
}

// The entries that the row should have.
Expected<EntryCells> IndexVerifier::Wanted(const LockedIndex& locked, std::string_view row, bool only_newest) const {
  const TableIndexes& indexes = *locked.info->indexes;
  KLIP_ASSIGN_OR_RETURN(const IndexedCells cells, ReadIndexedCells(walk_.source(), indexes, row));
  const auto versions_of = only_newest ? NewestVersionsOf : VersionsOf;
  return EntriesOf(*locked.index, row, versions_of(indexes, *locked.index, cells, walk_.shared()->store->NowMs()));
}

Status IndexVerifier::ReadStored(const LockedIndex& locked, std::string_view entry, Result* cells) const {
  const Get get = {.row = std::string(entry), .max_versions = kAllVersions};
  return walk_.source().Get(*locked.index->entries, get, cells);
}

void IndexVerifier::Note(int64_t* count, std::string_view what, std::string_view entry) {
  if (++*count <= kShownDifferences) {
    check_.differences.push_back(std::string(what) + ": " + ToStringBinary(entry));
  }
}

Status IndexVerifier::Write(engine::WriteSet* repairs) const {
  return !repair_ || repairs->empty() ? Status::Ok() : walk_.shared()->store->Write(repairs, Durability::kUseDefault);
}

}  // namespace klip::table
