// RowClock: writes of one row that follow each other within a millisecond stay in that order.
//
// Timestamps have milliseconds, and at one timestamp a delete masks every put, also a later one. HBase's clients cannot write
// twice in a millisecond; klip's can. So a put that comes in the millisecond of a delete gets the next one, and a delete that comes
// in the millisecond of an increment gets that of the cell that the increment made, which is newer than the one before.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "klip/mutation.h"
#include "server/messages/mutation_messages.h"

namespace klip::server {

// Thread-safe.
class RowClock {
 public:
  // Sets timestamps that the store would otherwise take from its clock, where that is too early. Before the write.
  void Before(std::string_view table, int64_t now_ms, WrittenMutation* mutation);
  // `now_ms`: after the write, when it was made. `result`: the cells it returned.
  void After(std::string_view table, int64_t now_ms, const WrittenMutation& mutation, const Result& result);
  void AfterDelete(std::string_view table, std::string_view row, int64_t now_ms);

 private:
  struct Last {
    int64_t at_ms = 0;
    bool deleted = false;
  };

  // Rows that share an entry are ordered more than need be.
  static constexpr size_t kEntries = 1024;

  static size_t IndexOf(std::string_view table, std::string_view row);

  std::mutex mutex_;
  std::array<Last, kEntries> last_;  // guarded by mutex_
};

}  // namespace klip::server
