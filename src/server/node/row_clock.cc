#include "server/node/row_clock.h"

#include <algorithm>
#include <functional>
#include <variant>

namespace klip::server {
namespace {

// Increments of one cell, one after the other, run ahead of the clock by a millisecond each at most.
constexpr int64_t kMaxAheadMs = 10000;

void SetTime(int64_t at_ms, Put* put) {
  if (put->timestamp_ms == kLatestTimestamp) {
    put->timestamp_ms = at_ms;
  }
}

// Markers of the newest version stay as they are: they look it up.
void SetTime(int64_t at_ms, Delete* del) {
  if (del->timestamp_ms != kLatestTimestamp) {
    return;
  }
  if (del->markers.empty()) {
    del->timestamp_ms = at_ms;
  }
  for (Delete::Marker& marker : del->markers) {
    if (marker.timestamp_ms == kLatestTimestamp && marker.type != CellType::kDelete) {
      marker.timestamp_ms = at_ms;
    }
  }
}

template <typename Change>
void SetColumnTimes(int64_t at_ms, Change* change) {
  for (auto& column : change->columns) {
    if (column.timestamp_ms == kLatestTimestamp) {
      column.timestamp_ms = at_ms;
    }
  }
}
void SetTime(int64_t at_ms, Increment* increment) { SetColumnTimes(at_ms, increment); }
void SetTime(int64_t at_ms, Append* append) { SetColumnTimes(at_ms, append); }

// All of one step have one time.
void SetTime(int64_t at_ms, RowMutations* several) {
  for (Mutation& mutation : several->mutations) {
    std::visit([at_ms](auto& one) { SetTime(at_ms, &one); }, mutation);
  }
}

bool Deletes(const WrittenMutation& mutation) {
  if (const auto* several = std::get_if<RowMutations>(&mutation)) {
    return std::any_of(several->mutations.begin(), several->mutations.end(),
                       [](const Mutation& one) { return std::holds_alternative<Delete>(one); });
  }
  return std::holds_alternative<Delete>(mutation);
}

}  // namespace

size_t RowClock::IndexOf(std::string_view table, std::string_view row) {
  const std::hash<std::string_view> hash;
  return (hash(row) ^ (hash(table) << 1)) % kEntries;
}

void RowClock::Before(std::string_view table, int64_t now_ms, WrittenMutation* mutation) {
  const size_t index = IndexOf(table, RowOf(*mutation));
  const bool deletes = Deletes(*mutation);
  int64_t at_ms = 0;
  {
    const std::lock_guard lock(mutex_);
    Last& last = last_[index];
    at_ms = last.deleted && !std::holds_alternative<Delete>(*mutation) ? last.at_ms + 1 : last.at_ms;
    if (at_ms <= now_ms) {
      return;
    }
    last = {at_ms, deletes};
  }
  std::visit([at_ms](auto& one) { SetTime(at_ms, &one); }, *mutation);
}

void RowClock::After(std::string_view table, int64_t now_ms, const WrittenMutation& mutation, const Result& result) {
  if (Deletes(mutation)) {
    AfterDelete(table, RowOf(mutation), now_ms);
    return;
  }
  if (std::holds_alternative<Put>(mutation)) {
    return;
  }
  int64_t newest_ms =
      result.empty() ? now_ms + 1 : 0;  // not told: at most as much newer as a cell of this millisecond makes it
  for (const Cell& cell : result) {
    newest_ms = std::max(newest_ms, cell.timestamp_ms);
  }
  if (newest_ms > now_ms + kMaxAheadMs) {
    return;  // the cells were written with a time of the client's own
  }
  const std::lock_guard lock(mutex_);
  Last& last = last_[IndexOf(table, RowOf(mutation))];
  if (newest_ms > last.at_ms) {
    last = {newest_ms, false};
  }
}

void RowClock::AfterDelete(std::string_view table, std::string_view row, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  Last& last = last_[IndexOf(table, row)];
  if (now_ms >= last.at_ms) {
    last = {now_ms, true};
  }
}

}  // namespace klip::server
