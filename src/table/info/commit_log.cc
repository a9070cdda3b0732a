#include "table/info/commit_log.h"

#include <algorithm>
#include <utility>

namespace klip::table {

CommitLog::Place CommitLog::Open(engine::LockTable* locks, const std::function<void()>& take_view) {
  open_count_.fetch_add(1, std::memory_order_acq_rel);
  Place begin = 0;
  locks->WithAllRows([&] {
    take_view();
    const std::lock_guard lock(mutex_);
    begin = first_ + entries_.size();
    begins_.insert(begin);
  });
  return begin;
}

void CommitLog::Close(Place begin) {
  const std::lock_guard lock(mutex_);
  begins_.erase(begins_.find(begin));
  Trim();
  open_count_.fetch_sub(1, std::memory_order_acq_rel);
}

CommitLog::Place CommitLog::Add(std::vector<Row> rows) {
  Entry entry = {.rows = std::move(rows), .bytes = sizeof(Entry)};
  for (const Row& row : entry.rows) {
    entry.bytes += sizeof(Row) + row.table.size() + row.row.size();
  }
  const std::lock_guard lock(mutex_);
  bytes_ += entry.bytes;
  entries_.push_back(std::move(entry));
  const Place place = first_ + entries_.size() - 1;
  Trim();
  return place;
}

void CommitLog::TakeBack(Place place) {
  const std::lock_guard lock(mutex_);
  if (place >= first_) {
    entries_[place - first_].rows.clear();
  }
}

// REQUIRES: mutex_ is held.
void CommitLog::Trim() {
  constexpr size_t kMostBytes = 64 << 20;
  const Place wanted = begins_.empty() ? first_ + entries_.size() : *begins_.begin();
  while (!entries_.empty() && (first_ < wanted || bytes_ > kMostBytes)) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
    ++first_;
  }
}

bool CommitLog::Any(Place begin, Place end, const std::function<bool(const Row&)>& hit, Row* which) const {
  const std::lock_guard lock(mutex_);
  if (begin < first_) {
    *which = {};
    return begin < end;
  }
  for (Place place = begin; place < end; ++place) {
    const std::vector<Row>& rows = entries_[place - first_].rows;
    if (const auto found = std::ranges::find_if(rows, hit); found != rows.end()) {
      *which = *found;
      return true;
    }
  }
  return false;
}

}  // namespace klip::table
