// The scanners that clients have open, by number. One that nobody asks for rows for a while is dropped, so that clients which
// forget to close theirs hold no files for ever.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "klip/connection.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::thrift {

// More scanners than this are refused.
inline constexpr size_t kMaxOpenScanners = 10'000;

struct OpenScanner {
  std::mutex mutex;  // a client may ask from two connections at once
  std::unique_ptr<Table> table;
  std::unique_ptr<ResultScanner> rows;
  bool sort_columns = false;  // Thrift1: columns in a list and not in a map
};

// Thread-safe.
class Scanners {
 public:
  using Clock = std::function<int64_t()>;  // milliseconds, never going back

  // `clock` null: the system's. Scanners not used for `idle_ms` are dropped.
  explicit Scanners(int64_t idle_ms, Clock clock = nullptr);
  ~Scanners();
  Scanners(const Scanners&) = delete;
  Scanners& operator=(const Scanners&) = delete;

  // The new scanner's number. Errors: those of Table::Scan; kIoError when too many are open.
  Expected<int32_t> Open(Connection* connection, const std::string& table, const Scan& scan, bool sort_columns);

  // Null when there is none of that number, or no longer. Counts as use.
  std::shared_ptr<OpenScanner> Find(int32_t id);

  // False when there was none.
  bool Close(int32_t id);

  void DropIdle();

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
  int32_t next_id_ = 0;
  std::unordered_map<int32_t, Entry> open_;
  std::thread sweeper_;
};

}  // namespace klip::thrift
