#include "engine/log/log_room.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace klip::engine {
namespace {

// TUNING: large enough to cost nothing compared with the writes, and small enough for a small disk.
constexpr int64_t kRoomStep = 4 << 20;

// The log's overhead for a batch: headers for each 32 KB and for the record.
int64_t LoggedBytes(uint64_t batch_bytes) { return static_cast<int64_t>(batch_bytes + batch_bytes / 1024 + 64); }

}  // namespace

class LogRoom::LogFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LogFile(std::unique_ptr<rocksdb::FSWritableFile> file, LogRoom* room)
      : FSWritableFileOwnerWrapper(std::move(file)), room_(room) {
    const std::lock_guard lock(room_->mutex_);
    room_->Begin(this);
  }
  ~LogFile() override { Leave(); }

  // RocksDB would reserve space for a whole memtable.
  void PrepareWrite(size_t /*offset*/, size_t /*bytes*/, const rocksdb::IOOptions& /*options*/,
                    rocksdb::IODebugContext* /*debug*/) override {}

  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (Leave()) {
      // Gives back the unused space.
      Truncate(GetFileSize(options, debug), options, debug).PermitUncheckedError();
    }
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }

 private:
  // False: it had left already.
  bool Leave() {
    const std::lock_guard lock(room_->mutex_);
    room_->End(this);
    return std::exchange(open_, false);
  }

  LogRoom* const room_;
  bool open_ = true;
};

std::unique_ptr<rocksdb::FSWritableFile> LogRoom::Wrap(std::unique_ptr<rocksdb::FSWritableFile> file) {
  return std::make_unique<LogFile>(std::move(file), this);
}

void LogRoom::Begin(rocksdb::FSWritableFile* file) {
  file_ = file;
  end_ = 0;
  left_ = 0;
  if (Extend(kRoomStep).ok()) {
    left_ -= kRoomStep / 2;  // for writes that had reserved space in the previous log
  }
}

void LogRoom::End(const rocksdb::FSWritableFile* file) {
  if (file_ == file) {
    file_ = nullptr;
  }
}

rocksdb::IOStatus LogRoom::Extend(int64_t bytes) {
  const rocksdb::IOStatus status =
      file_->Allocate(static_cast<uint64_t>(end_), static_cast<uint64_t>(bytes), rocksdb::IOOptions(), nullptr);
  if (status.ok()) {
    end_ += bytes;
    left_ += bytes;
  }
  return status;
}

bool LogRoom::Take(uint64_t batch_bytes) {
  const int64_t bytes = LoggedBytes(batch_bytes);
  if (left_.fetch_sub(bytes, std::memory_order_relaxed) >= bytes) [[likely]] {
    return true;
  }
  const std::lock_guard lock(mutex_);
  const int64_t missing = -left_.load(std::memory_order_relaxed);
  if (file_ == nullptr || missing <= 0) {
    return true;
  }
  rocksdb::IOStatus status = Extend(std::max(missing, kRoomStep));
  if (status.IsNoSpace()) {
    status = Extend(missing);
  }
  if (!status.ok() && !status.IsNoSpace()) {
    left_ = std::numeric_limits<int64_t>::max() / 2;  // this file system does not support reservations
  }
  if (status.IsNoSpace()) {
    left_ += bytes;
  }
  return !status.IsNoSpace();
}

}  // namespace klip::engine
