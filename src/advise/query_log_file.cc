// The file of the query log. Reading threads add to a list of distinct queries, and the log's own thread writes it
// regularly.
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "klip/advise.h"

namespace klip {
namespace {

constexpr std::chrono::seconds kWriteEvery(10);
constexpr size_t kMaxQueries = 4096;
constexpr off_t kMaxFileBytes = 16 << 20;

struct AskedKey {
  std::string table;
  std::string where;
  int64_t limit_rows = 0;

  auto operator<=>(const AskedKey&) const = default;
};
using AskedTimes = std::map<AskedKey, int64_t>;

std::string LinesOf(const AskedTimes& queries) {
  std::string lines;
  for (const auto& [query, times] : queries) {
    if (query.where.find('\n') != std::string::npos) {
      continue;  // a value with line breaks and escapes cannot be written as one line
    }
    lines += query.table + "\t" + std::to_string(times) + " " + query.where;
    lines += query.limit_rows > 0 ? " LIMIT " + std::to_string(query.limit_rows) + "\n" : "\n";
  }
  return lines;
}

class QueryLogFile {
 public:
  QueryLogFile(std::string path, std::function<void(const Status&)> on_error)
      : path_(std::move(path)), on_error_(std::move(on_error)) {}
  ~QueryLogFile() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    if (writer_.joinable()) {
      writer_.join();
    }
    if (file_ >= 0) {
      ::close(file_);
    }
  }
  QueryLogFile(const QueryLogFile&) = delete;
  QueryLogFile& operator=(const QueryLogFile&) = delete;

  Status Start() {
    KLIP_RETURN_IF_ERROR(Open());
    writer_ = std::thread([this] { Run(); });
    return Status::Ok();
  }

  void Add(const AskedQuery& query) {
    const std::lock_guard lock(mutex_);
    AskedKey key = {.table = query.table, .where = query.where, .limit_rows = query.limit_rows};
    if (const auto at = queries_.find(key); at != queries_.end()) {
      at->second += query.times;
    } else if (queries_.size() < kMaxQueries) {
      queries_.emplace(std::move(key), query.times);
      if (queries_.size() == kMaxQueries) {
        wake_.notify_one();
      }
    }
  }

 private:
  Status Failed(const std::string& what) const {
    return {Code::kIoError, "cannot " + what + " the query log '" + path_ + "': " + std::strerror(errno)};
  }

  Status Open() {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return file_ >= 0 ? Status::Ok() : Failed("open");
  }

  void Run() {
    std::unique_lock lock(mutex_);
    for (bool last = false; !last;) {
      wake_.wait_for(lock, kWriteEvery, [this] { return stop_ || queries_.size() == kMaxQueries; });
      last = stop_;
      AskedTimes queries = std::exchange(queries_, {});
      lock.unlock();
      const Status written = Write(queries);
      if (!written.ok()) {
        on_error_(written);
      }
      lock.lock();
      if (!written.ok()) {
        Keep(std::move(queries));
        wake_.wait_for(lock, kWriteEvery, [this] { return stop_; });
      }
    }
  }

  // Puts back what was not written.
  void Keep(AskedTimes queries) {
    for (const auto& [query, times] : queries_) {
      if (queries.size() < kMaxQueries || queries.contains(query)) {
        queries[query] += times;
      }
    }
    queries_ = std::move(queries);
  }

  Status Write(const AskedTimes& queries) {
    if (queries.empty()) {
      return Status::Ok();
    }
    KLIP_RETURN_IF_ERROR(Rotate());
    const off_t before = ::lseek(file_, 0, SEEK_END);
    const std::string lines = LinesOf(queries);
    size_t done = 0;
    while (done < lines.size()) {
      const ssize_t wrote = ::write(file_, lines.data() + done, lines.size() - done);
      if (wrote < 0 && errno != EINTR) {
        const Status failed = Failed("write");
        if (before >= 0 && ::ftruncate(file_, before) != 0) {
          ::close(std::exchange(file_, -1));
        }
        return failed;
      }
      done += wrote > 0 ? static_cast<size_t>(wrote) : 0;
    }
    return Status::Ok();
  }

  Status Rotate() {
    if (file_ >= 0 && ::lseek(file_, 0, SEEK_END) > kMaxFileBytes) {
      ::close(std::exchange(file_, -1));
      if (std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) {
        return Failed("rename");
      }
    }
    return file_ >= 0 ? Status::Ok() : Open();
  }

  const std::string path_;
  const std::function<void(const Status&)> on_error_;
  int file_ = -1;  // of the writer once it runs; -1: to be opened
  std::mutex mutex_;
  std::condition_variable wake_;
  AskedTimes queries_;  // guarded by mutex_
  bool stop_ = false;   // guarded by mutex_
  std::thread writer_;
};

}  // namespace

Expected<QueryLog> WriteQueryLog(std::string path, std::function<void(const Status&)> on_error) {
  auto file = std::make_shared<QueryLogFile>(std::move(path), std::move(on_error));
  KLIP_RETURN_IF_ERROR(file->Start());
  return QueryLog([file](const AskedQuery& query) { file->Add(query); });
}

}  // namespace klip
