// Nonces in RocksDB's log. An increment's nonce is logged with its write, so that a killed store, after replaying its
// log, knows which increments are done; HBase's WAL does the same. The nonce disappears with its log file, when that
// file's contents are in tables.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "rocksdb/wal_filter.h"

#include "engine/log/nonce.h"

namespace klip::engine {

// For WriteBatch::PutLogData.
std::string EncodeNonce(const LoggedNonce& logged);

// Collects nonces while RocksDB replays its log.
class NonceRecovery final : public rocksdb::WalFilter {
 public:
  const char* Name() const override { return "klip.NonceRecovery"; }
  WalProcessingOption LogRecordFound(unsigned long long log_number, const std::string& log_file_name,
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch* new_batch,
                                     bool* batch_changed) override;

  // Those written since `since_ms`, the newest kMaxNonces of them, in the order of the log.
  std::vector<LoggedNonce> Take(int64_t since_ms);

 private:
  std::deque<LoggedNonce> found_;
};

}  // namespace klip::engine
