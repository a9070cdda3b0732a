// The scanners that clients have open, by id. One that nobody reads for a while is dropped, whether requests come or not, so that
// clients which forget theirs hold no files for ever.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "klip/query.h"
#include "klip/table.h"

namespace klip::rest {

inline constexpr size_t kMaxScanners = 1000;  // more are refused
inline constexpr int64_t kScannerIdleMs = 10 * 60 * 1000;

// Between two requests of its client.
struct OpenScanner {
  std::mutex mutex;  // two requests at once
  std::unique_ptr<Table> table;
  std::unique_ptr<ResultScanner> rows;
  int64_t batch = INT64_MAX;  // cells of an answer
  Result result;              // what is left of it begins at `next`
  size_t next = 0;
};

// Thread-safe.
class Scanners {
 public:
  using Clock = std::function<int64_t()>;  // milliseconds, never going back

  // `clock` null: the system's. Those not used for `idle_ms` are dropped, within a minute or a quarter of that time.
  explicit Scanners(int64_t idle_ms, Clock clock = nullptr);
  ~Scanners();
  Scanners(const Scanners&) = delete;
  Scanners& operator=(const Scanners&) = delete;

  // Its id; nullopt when too many are open.
  std::optional<std::string> Add(std::shared_ptr<OpenScanner> scanner);

  // Null when there is none of that id, or no longer. It is used as long as the caller has it.
  std::shared_ptr<OpenScanner> Find(const std::string& id);

  // False when there was none.
  bool Close(const std::string& id);

  void DropIdle();
  void DropAll();

 private:
  struct Entry {
    std::shared_ptr<OpenScanner> scanner;
    int64_t used_ms = 0;
  };

  void DropIdleUntilStopped();

  const int64_t idle_ms_;
  const Clock clock_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  uint64_t made_ = 0;
  std::map<std::string, Entry> open_;
  std::thread sweeper_;
};

}  // namespace klip::rest
