// The row clock keeps the order of writes of one row that follow each other within a millisecond.
//
// Timestamps have milliseconds, and at equal timestamps a delete masks every put, even a later one. HBase's clients
// cannot write the same row twice in a millisecond; klip's can. So the newest timestamp given to a row is remembered with
// its lock, and never decreases. A put after a delete of the same millisecond gets the next one. A delete after an
// increment gets at least the timestamp of the increment's cell. An increment or append gives the cells that it replaces
// their timestamp plus one; its other cells get the same timestamp, since it is later than any earlier write of the row.
//
//   now  operation    timestamp    remembered after it
//   100  put          100          -
//   100  delete       100          100, deleted
//   100  put          101          101
//   100  delete       101          101, deleted
//   100  increment    102          102
//
// Rows share what is remembered (engine/store/row_locks.h), so unrelated rows may be ordered too, which is harmless. If the machine's
// clock is set back by more than 10 s, what was remembered orders nothing: other rows would get timestamps of the wrong
// time, and hide their own later writes. As in HBase, writes of the wrong time hide later ones of the same row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/store/row_locks.h"

namespace klip::table {

// A counter that is incremented often in a millisecond runs ahead of the clock by as many milliseconds. A timestamp further
// ahead was chosen by a client, or given before the clock was set back, and does not define an order.
inline bool IsFarAhead(int64_t at_ms, int64_t now_ms) {
  constexpr int64_t kMostAheadMs = 10'000;
  return at_ms > now_ms + kMostAheadMs;
}

// The timestamp of a change that has none. REQUIRES, as below: the row's lock is held.
inline int64_t TimeOfChange(const engine::RowTime& time, int64_t now_ms, bool is_delete, bool counts) {
  const engine::RowTime::Newest last = time.newest();
  const int64_t last_ms = IsFarAhead(last.at_ms, now_ms) ? 0 : last.at_ms;
  if (counts) {
    // Another row of the stripe may have been written by a clock that is a little ahead.
    const bool at_once = time.clock_ms() >= now_ms && !IsFarAhead(time.clock_ms(), now_ms);
    return std::max({now_ms, last_ms + 1, at_once ? now_ms + 1 : 0});
  }
  return std::max(now_ms, last.deleted && !is_delete ? last_ms + 1 : last_ms);
}

// Call it after the change: `at_ms` is the newest timestamp that it wrote.
inline void Remember(int64_t at_ms, int64_t now_ms, bool is_delete, engine::RowTime* time) {
  time->SetClock(now_ms, [now_ms](int64_t old, int64_t ms) { return old < ms || IsFarAhead(old, now_ms); });
  if (is_delete || (at_ms > now_ms && !IsFarAhead(at_ms, now_ms))) {
    using Newest = engine::RowTime::Newest;
    time->SetNewest({.at_ms = at_ms, .deleted = is_delete}, [now_ms](const Newest& old, const Newest& is) {
      return IsFarAhead(old.at_ms, now_ms) || is.at_ms > old.at_ms ||
             (is.at_ms == old.at_ms && is.deleted && !old.deleted);
    });
  }
}

}  // namespace klip::table
