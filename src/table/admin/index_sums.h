// Compares an index with its table in one pass over each, at one moment and without locks.
//
// Rows are hashed into some hundred buckets. For each bucket it adds up the hashes of the entries that should exist, and
// of those that do. Where the sums differ, some entry is wrong, and only the rows of such buckets are checked one by one
// (index_verifier.h).
//
// Example: row "a" (bucket 7) should have the entry "red>a", but the index has "blue>a"; row "b" (bucket 9) is right.
// Bucket 7 gets hash("red>a") on one side and hash("blue>a") on the other: it differs. Bucket 9 gets hash("red>b") twice:
// it is equal, and "b" is not read again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "klip/index.h"
#include "klip/status.h"
#include "table/info/shared.h"
#include "table/info/table_info.h"

namespace klip::table {

struct IndexSums {
  static constexpr size_t kBuckets = 1024;
  static size_t BucketOf(std::string_view row);  // of the table

  struct Bucket {
    uint64_t wanted = 0;  // sums of hashes
    uint64_t stored = 0;
    int64_t rows = 0;
    int64_t entries = 0;
    bool stale = false;  // an entry requires reading the row, and the row does not match it

    bool differs() const { return wanted != stored || stale; }
  };
  std::array<Bucket, kBuckets> buckets;
};

// Errors: kCancelled, those of reading, and of EntriesOf.
Expected<IndexSums> SumIndex(Shared* shared, const InfoPtr& table, const TableIndex& index,
                             const IndexProgress& progress);

}  // namespace klip::table
