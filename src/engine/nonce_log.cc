#include "engine/nonce_log.h"

#include <string_view>

#include "rocksdb/write_batch.h"

#include "engine/batch_reader.h"
#include "engine/log_mark.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

constexpr size_t kNumberBytes = 8;

class NonceReader final : public BatchReader {
 public:
  explicit NonceReader(std::deque<LoggedNonce>* found) : found_(found) {}

  void LogData(const rocksdb::Slice& data) override {
    const std::string_view text(data.data(), data.size());
    if (text.size() != kNonceMark.size() + 3 * kNumberBytes || !text.starts_with(kNonceMark)) {
      return;
    }
    const char* numbers = text.data() + kNonceMark.size();
    found_->push_back({{ReadBigEndian<uint64_t>(numbers), ReadBigEndian<uint64_t>(numbers + kNumberBytes)},
                       ReadBigEndian<int64_t>(numbers + 2 * kNumberBytes)});
    if (found_->size() > kMaxNonces) {
      found_->pop_front();
    }
  }

  // Cells are for RocksDB; without these it would take a batch of them for one that this reader cannot read.
  rocksdb::Status PutCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override { return {}; }
  rocksdb::Status DeleteCF(uint32_t, const rocksdb::Slice&) override { return {}; }
  rocksdb::Status SingleDeleteCF(uint32_t, const rocksdb::Slice&) override { return {}; }
  rocksdb::Status DeleteRangeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override { return {}; }
  rocksdb::Status MergeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override { return {}; }

 private:
  std::deque<LoggedNonce>* const found_;
};

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
  NonceReader reader(&found_);
  batch.Iterate(&reader).PermitUncheckedError();  // a batch that cannot be read is RocksDB's to report
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
