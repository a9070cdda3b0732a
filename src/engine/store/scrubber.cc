#include "engine/store/scrubber.h"

#include <algorithm>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

#include "engine/store/file_checks.h"

namespace klip::engine {

using std::chrono::steady_clock;

// Slows its reader down, and fails with kAborted when the scrubber stops.
class Scrubber::SlowFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  SlowFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, Scrubber* scrubber)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), scrubber_(scrubber) {}

  rocksdb::IOStatus Read(uint64_t offset, size_t size, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* debug) const override {
    if (!scrubber_->Take(size)) {
      return rocksdb::IOStatus::Aborted("the server is stopping");
    }
    return FSRandomAccessFileOwnerWrapper::Read(offset, size, options, result, scratch, debug);
  }
  // Does nothing; Read counts the bytes.
  rocksdb::IOStatus Prefetch(uint64_t /*offset*/, size_t /*size*/, const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
    return rocksdb::IOStatus::NotSupported();
  }

 private:
  Scrubber* const scrubber_;
};

class Scrubber::SlowFiles final : public rocksdb::FileSystemWrapper {
 public:
  explicit SlowFiles(Scrubber* scrubber) : FileSystemWrapper(rocksdb::FileSystem::Default()), scrubber_(scrubber) {}
  const char* Name() const override { return "klip.SlowFiles"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok()) {
      *file = std::make_unique<SlowFile>(std::move(*file), scrubber_);
    }
    return status;
  }

 private:
  Scrubber* const scrubber_;
};

Scrubber::Scrubber(ScrubOptions options)
    : options_(std::move(options)),
      env_(rocksdb::NewCompositeEnv(std::make_shared<SlowFiles>(this))),
      free_at_(steady_clock::now()),
      thread_([this] { Run(); }) {}

Scrubber::~Scrubber() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

ScrubState Scrubber::Tell() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Scrubber::Run() {
  std::chrono::milliseconds pause = options_.first_pause;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, pause, [this] { return stopping_; })) {
        return;
      }
    }
    pause = options_.pause;
    Round();
  }
}

bool Scrubber::Take(size_t bytes) {
  free_at_ = std::max(free_at_, steady_clock::now()) +
             std::chrono::microseconds(static_cast<int64_t>(bytes) * 1000 * 1000 / options_.bytes_per_second);
  std::unique_lock lock(mutex_);
  state_.bytes += static_cast<int64_t>(bytes);
  return !wake_.wait_until(lock, free_at_, [this] { return stopping_; });
}

void Scrubber::Round() {
  const Expected<FileCheck> check = CheckStoreFiles(env_.get(), options_.store, /*is_open=*/true, /*direct=*/true);
  std::map<std::string, std::string> damaged;
  if (check.ok()) {
    for (const FileDamage& damage : check->damages) {
      damaged.emplace(damage.file, damage.what);
    }
  } else if (check.status().code() == Code::kCancelled) {
    return;
  } else {
    damaged.emplace(options_.store, check.status().message());
  }
  std::map<std::string, std::string> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(state_.damaged, damaged);
    ++state_.rounds;
  }
  for (const auto& [file, what] : damaged) {
    if (!before.contains(file)) {
      options_.tell(file, what);
    }
  }
  options_.tell("", "");
}

}  // namespace klip::engine
