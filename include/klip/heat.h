// Heat maps: where and when a table was read and written.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace klip {

// Selects a part of the map, and its resolution.
struct HeatQuery {
  std::string start_row = {};                           // empty: from the first row
  std::string stop_row = {};                            // exclusive; empty: to the end
  int64_t from_ms = 0;                                  // ms since 1970
  int64_t to_ms = std::numeric_limits<int64_t>::max();  // exclusive
  int32_t max_ranges = 700;
};

// Accesses of one range of keys in one time slot. Counts are estimates: each access counts while accesses are rare; under load, one
// stands for up to some hundred. The sums over all tables that a thread reads and writes are exact.
struct HeatCell {
  double reads = 0;       // rows that gets and scans returned
  double writes = 0;      // changes: puts, deletes, increments, ...
  double bytes = 0;       // of cells read and written
  double latency_us = 0;  // sum over the `timed` accesses: gets and writes
  double timed = 0;

  HeatCell& operator+=(const HeatCell& other) {
    reads += other.reads;
    writes += other.writes;
    bytes += other.bytes;
    latency_us += other.latency_us;
    timed += other.timed;
    return *this;
  }
};

// The keys that begin with `first`, those that begin with `last`, and all keys between. With a row-key schema, both end at the end of
// a field. They are at most 64 bytes.
struct HeatRange {
  std::string first;
  std::string last;
};

struct HeatSlot {
  int64_t start_ms = 0;         // ms since 1970
  int64_t length_ms = 0;        // a minute; ten minutes after two hours, an hour after a day
  std::vector<HeatCell> cells;  // by range
};

// Ranges and slots in ascending order, without empty slots.
struct HeatMap {
  std::vector<HeatRange> ranges;
  std::vector<HeatSlot> slots;
  int64_t since_ms = 0;  // start of the data: the store was opened then, or dropped older data
};

}  // namespace klip
