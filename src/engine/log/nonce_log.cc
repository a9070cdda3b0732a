#include "engine/log/nonce_log.h"

#include <string_view>

#include "rocksdb/write_batch.h"

#include "engine/layout/batch_reader.h"
#include "engine/log/log_mark.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

constexpr size_t kNumberBytes = 8;

}  // namespace

std::string EncodeNonce(const LoggedNonce& logged) {
  std::string text(kNonceMark);
  AppendBigEndian(logged.nonce.group, &text);
  AppendBigEndian(logged.nonce.number, &text);
  AppendBigEndian(logged.time_ms, &text);
  return text;
}

rocksdb::WalFilter::WalProcessingOption NonceRecovery::LogRecordFound(unsigned long long /*log_number*/,
                                                                      const std::string& /*log_file_name*/,
                                                                      const rocksdb::WriteBatch& batch,
                                                                      rocksdb::WriteBatch* /*new_batch*/,
                                                                      bool* /*batch_changed*/) {
  BatchReader changes(batch.Data());
  LoggedChange change;
  // RocksDB reports unreadable records.
  for (Expected<bool> more = changes.Next(&change); more.ok() && *more; more = changes.Next(&change)) {
    const std::string_view mark = change.key;
    if (change.kind != LoggedChange::Kind::kMark || mark.size() != kNonceMark.size() + 3 * kNumberBytes ||
        !mark.starts_with(kNonceMark)) {
      continue;
    }
    const char* numbers = mark.data() + kNonceMark.size();
    found_.push_back({{ReadBigEndian<uint64_t>(numbers), ReadBigEndian<uint64_t>(numbers + kNumberBytes)},
                      ReadBigEndian<int64_t>(numbers + 2 * kNumberBytes)});
    if (found_.size() > kMaxNonces) {
      found_.pop_front();
    }
  }
  return WalProcessingOption::kContinueProcessing;
}

std::vector<LoggedNonce> NonceRecovery::Take(int64_t since_ms) {
  std::vector<LoggedNonce> recent;
  for (const LoggedNonce& one : found_) {
    if (one.time_ms >= since_ms) {
      recent.push_back(one);
    }
  }
  found_.clear();
  return recent;
}

}  // namespace klip::engine
