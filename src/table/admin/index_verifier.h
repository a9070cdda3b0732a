// Compares an index with the rows of its table, while both are read and written. Sums over both show where they may
// differ (index_sums.h). There, each row is checked under its lock, first from the rows to the entries, then back.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "klip/index.h"
#include "klip/status.h"
#include "table/admin/index_sums.h"
#include "table/admin/index_walk.h"
#include "table/write/index_entries.h"

namespace klip::engine {
class WriteSet;
}

namespace klip::table {

class IndexVerifier {
 public:
  IndexVerifier(IndexWalk walk, bool repair) : walk_(std::move(walk)), repair_(repair) {}

  Expected<IndexCheck> Run();
  // Only finds stale entries, in one walk over all entries: an index with HISTORY gets some when a compaction drops versions.
  Status Sweep();

 private:
  Status FindSuspects();
  bool IsSuspect(std::string_view row) const { return suspects_[IndexSums::BucketOf(row)]; }
  Status CheckRows(const std::vector<std::string>& group);
  Status CheckEntries(const std::vector<std::string>& group);
  Status CheckRow(const LockedIndex& locked, const std::string& row, engine::WriteSet* repairs);
  Expected<bool> HasRecord(const LockedIndex& locked, const EntryKey& record) const;
  Status CheckRecord(const LockedIndex& locked, std::string_view kind, const std::string& row);
  Status CheckRecords();
  Status CountSkipped();
  Status CheckEntry(const LockedIndex& locked, const std::string& entry, engine::WriteSet* repairs);
  Expected<EntryCells> Wanted(const LockedIndex& locked, std::string_view row, bool only_newest = false) const;
  Status ReadStored(const LockedIndex& locked, std::string_view entry, Result* cells) const;
  void Note(int64_t* count, std::string_view what, std::string_view entry);
  Status Write(engine::WriteSet* repairs) const;

  const IndexWalk walk_;
  const bool repair_;
  std::bitset<IndexSums::kBuckets> suspects_;  // buckets of rows
  IndexCheck check_;
};

}  // namespace klip::table
