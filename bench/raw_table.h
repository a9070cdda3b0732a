// A careful programmer's own code on RocksDB for these rows: the same cell keys as klip's (52 bytes), no
// versions, no deletes, no filters. Every case compares klip with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "harness.h"
#include "year_rows.h"

namespace klip::bench {

struct StorageSettings {
  std::string compression = "LZ4";  // LZ4 or ZSTD
  int block_bytes = 16384;
  int64_t cache_bytes = int64_t{2458} << 20;
  int64_t memtable_bytes = int64_t{128} << 20;
};

class RawTable {
 public:
  RawTable(std::string directory, const StorageSettings& settings);

  void BulkLoad(const RowSource& source);
  // Write batches of 1000 rows.
  void BatchLoad(const std::vector<RowValue>& rows, bool sync);
  // Flushes and waits until no compaction is left to do.
  void Settle();
  void CompactAll();

  // One row by a new iterator bounded to the row, as a reader of unknown columns and versions has to. An absent row adds nothing.
  void GetRow(const std::string& row, Outcome* outcome);
  // `limit` rows from `row` on.
  void ShortScan(const std::string& row, int limit, Outcome* outcome);
  // Every row in [start, stop); empty: no bound.
  Outcome FullScan(std::string_view start = {}, std::string_view stop = {});
  Outcome FullScanOnTwoThreads(const std::string& middle);
  // Looks at every row: those whose value is `value`, whose qualifier starts with `prefix`, or the first `limit`.
  Outcome ScanValue(std::string_view value);
  Outcome ScanQualifierPrefix(std::string_view prefix);
  Outcome FirstRows(int64_t limit);

  // Rows of one date, all users up to `stop`.
  // Jumps without knowing the users: past the user left behind, then to the date.
  Outcome DateBySkipping(const std::string& date, std::string_view start = {}, std::string_view stop = {});
  Outcome DateBySkippingOnTwoThreads(const std::string& date, const std::string& middle);
  // One seek a user, from a list of the users.
  Outcome DateOfUsers(const std::string& date, const std::vector<std::string>& users);
  // Looks at every row.
  Outcome DateByWalking(const std::string& date);

  int64_t BytesOnDisk();

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace klip::bench
