// BatchReader: what walks over a record of RocksDB's log, whatever its bytes are. RocksDB asserts that marks of transactions are
// taken, which klip does not write: here they end the walk.
#pragma once

#include "rocksdb/write_batch.h"

namespace klip::engine {

class BatchReader : public rocksdb::WriteBatch::Handler {
 public:
  bool found_transaction() const { return found_transaction_; }

  bool Continue() override { return !found_transaction_; }
  rocksdb::Status MarkBeginPrepare(bool /*unprepared*/) override { return FoundTransaction(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice& /*id*/) override { return FoundTransaction(); }
  rocksdb::Status MarkNoop(bool /*empty*/) override { return FoundTransaction(); }
  rocksdb::Status MarkRollback(const rocksdb::Slice& /*id*/) override { return FoundTransaction(); }
  rocksdb::Status MarkCommit(const rocksdb::Slice& /*id*/) override { return FoundTransaction(); }
  rocksdb::Status MarkCommitWithTimestamp(const rocksdb::Slice& /*id*/, const rocksdb::Slice& /*time*/) override {
    return FoundTransaction();
  }

 private:
  rocksdb::Status FoundTransaction() {
    found_transaction_ = true;
    return {};
  }

  bool found_transaction_ = false;
};

}  // namespace klip::engine
