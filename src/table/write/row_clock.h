// The row clock: writes of one row that follow each other within a millisecond keep their order.
//
// Timestamps have milliseconds, and at equal timestamps a delete masks every put, even a later one. HBase's clients cannot
// write the same row twice in a millisecond; klip's can. So the newest time given to a row is remembered with its lock, and
// never goes back: a put after a delete of the same millisecond gets the next one, and a delete after an increment gets at
// least the time of the cell that the increment made. An increment or append gives the cells that it replaces their time plus
// one; its other cells get the same time, since it is later than any write of the row that came before.
//
//   now  operation    time given   remembered after it
//   100  put          100          -
//   100  delete       100          100, deleted
//   100  put          101          101
//   100  delete       101          101, deleted
//   100  increment    102          102
//
// Rows share locks (engine/store/row_locks.h), so unrelated rows may be ordered too, which does no harm.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/store/row_locks.h"

namespace klip::table {

// The time of a change that has none of its own. REQUIRES, as below: the row's lock is held.
inline int64_t TimeOfChange(const engine::RowTime& last, int64_t now_ms, bool is_delete, bool counts) {
  if (counts) {
    return std::max({now_ms, last.at_ms + 1, last.clock_ms == now_ms ? now_ms + 1 : 0});
  }
  return std::max(now_ms, last.deleted && !is_delete ? last.at_ms + 1 : last.at_ms);
}

// After the change: `at_ms` is the newest time that it wrote.
inline void Remember(int64_t at_ms, int64_t now_ms, bool is_delete, engine::RowTime* last) {
  // A counter that is incremented many times in a millisecond runs ahead of the clock by as many. Beyond this the time is one
  // that the client has chosen, and says nothing about order.
  constexpr int64_t kMostAheadMs = 10'000;
  last->clock_ms = now_ms;
  const bool orders = is_delete || (at_ms > now_ms && at_ms <= now_ms + kMostAheadMs);
  if (orders && (at_ms > last->at_ms || (at_ms == last->at_ms && is_delete))) {
    last->at_ms = at_ms;
    last->deleted = is_delete;
  }
}

}  // namespace klip::table
