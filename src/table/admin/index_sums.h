// Comparing an index with its table in one pass over each, as of one moment and without locks: for some hundred buckets of rows, sums of
// the hashes of the entries that should be there, and of those that are. Only the rows of buckets that differ have to be looked at
// one by one (index_verifier.h).
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
    bool stale = false;  // an entry says to read the row, which does not have it

    bool differs() const { return wanted != stored || stale; }
  };
  std::array<Bucket, kBuckets> buckets;
};

// Errors: kCancelled, those of reading, and of EntriesOf.
Expected<IndexSums> SumIndex(Shared* shared, const InfoPtr& table, const TableIndex& index,
                             const IndexProgress& progress);

}  // namespace klip::table
