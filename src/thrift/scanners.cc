#include "thrift/scanners.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace klip::thrift {
namespace {

int64_t SteadyMs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

Scanners::Scanners(int64_t idle_ms, Clock clock) : idle_ms_(idle_ms), clock_(clock ? std::move(clock) : SteadyMs) {
  sweeper_ = std::thread([this] { DropIdleUntilStopped(); });
}

Scanners::~Scanners() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  sweeper_.join();
}

Expected<int32_t> Scanners::Open(Connection* connection, const std::string& table, const Scan& scan,
                                 bool sort_columns) {
  auto scanner = std::make_shared<OpenScanner>();
  scanner->sort_columns = sort_columns;
  KLIP_ASSIGN_OR_RETURN(scanner->table, connection->GetTable(table));
  KLIP_ASSIGN_OR_RETURN(scanner->rows, scanner->table->Scan(scan));
  std::lock_guard lock(mutex_);
  if (open_.size() >= kMaxOpenScanners) {
    return Status(Code::kIoError, "too many open scanners: " + std::to_string(kMaxOpenScanners));
  }
  while (open_.contains(next_id_)) {  // they start anew after 2^31
    next_id_ = next_id_ == INT32_MAX ? 0 : next_id_ + 1;
  }
  int32_t id = next_id_;
  next_id_ = next_id_ == INT32_MAX ? 0 : next_id_ + 1;
  open_[id] = {std::move(scanner), clock_()};
  return id;
}

std::shared_ptr<OpenScanner> Scanners::Find(int32_t id) {
  std::lock_guard lock(mutex_);
  auto found = open_.find(id);
  if (found == open_.end()) {
    return nullptr;
  }
  found->second.used_ms = clock_();
  return found->second.scanner;
}

bool Scanners::Close(int32_t id) {
  std::shared_ptr<OpenScanner> closed;  // destroyed behind the lock
  std::lock_guard lock(mutex_);
  auto found = open_.find(id);
  if (found == open_.end()) {
    return false;
  }
  closed = std::move(found->second.scanner);
  open_.erase(found);
  return true;
}

void Scanners::DropIdle() {
  std::vector<std::shared_ptr<OpenScanner>> dropped;  // destroyed behind the lock
  std::lock_guard lock(mutex_);
  int64_t now_ms = clock_();
  for (auto entry = open_.begin(); entry != open_.end();) {
    // One that is being read is in use, however long that takes.
    bool idle = entry->second.scanner.use_count() == 1 && now_ms - entry->second.used_ms > idle_ms_;
    if (idle) {
      dropped.push_back(std::move(entry->second.scanner));
    }
    entry = idle ? open_.erase(entry) : std::next(entry);
  }
}

void Scanners::DropIdleUntilStopped() {
  auto period = std::chrono::milliseconds(std::clamp<int64_t>(idle_ms_ / 4, 100, 60'000));
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, period, [this] { return stop_; })) {
    lock.unlock();
    DropIdle();
    lock.lock();
  }
}

}  // namespace klip::thrift
