// RegionCalls: coprocessors' calls to their region. As with HBase's Region, reads bypass hooks, and writes call them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "coprocessor/frame.h"
#include "coprocessor/open_region.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"
#include "table/embedded_connection.h"

namespace klip::coprocessor {

// During its lifetime, this thread holds locks of rows: hooks that it calls may read, but not write.
class LockedScope {
 public:
  LockedScope();
  ~LockedScope();
  LockedScope(const LockedScope&) = delete;
  LockedScope& operator=(const LockedScope&) = delete;
};

// During its lifetime, scanners that this thread opens answer this scan: it supplies what HBase's message lacks
// (Scan::where).
class QuestionScope {
 public:
  explicit QuestionScope(const Scan* question);
  ~QuestionScope();
  QuestionScope(const QuestionScope&) = delete;
  QuestionScope& operator=(const QuestionScope&) = delete;

 private:
  const Scan* const outer_;
};

// Thread-safe.
class RegionCalls {
 public:
  // `connection` outlives the calls.
  void Use(table::EmbeddedConnection* connection) { connection_ = connection; }

  Status Get(const OpenRegion& region, FrameReader* call, FrameWriter* answer);
  Status OpenScan(const OpenRegion& region, FrameReader* call, FrameWriter* answer);
  Status NextRows(FrameReader* call, FrameWriter* answer);
  Status CloseScan(FrameReader* call);
  uint32_t AddScanner(std::shared_ptr<ResultScanner> rows);
  void RemoveScanner(uint32_t number);
  Status Mutate(const OpenRegion& region, FrameReader* call, FrameWriter* answer);
  Status Flush(const OpenRegion& region);
  Status Compact(const OpenRegion& region, FrameReader* call);
  Status Counters(const OpenRegion& region, FrameWriter* answer);
  // Closes the scanners of a JVM that has ended.
  void CloseScans();

 private:
  table::EmbeddedConnection* connection_ = nullptr;
  std::mutex mutex_;
  uint32_t last_scan_ = 0;                                       // guarded by mutex_
  std::map<uint32_t, std::shared_ptr<ResultScanner>> scanners_;  // guarded by mutex_
};

// Writes up to so many rows or bytes, in the format of frames: u8 more | u32 rows, each: u32 cells.
Status WriteRows(ResultScanner* rows, uint32_t most_rows, uint32_t most_bytes, FrameWriter* out);

}  // namespace klip::coprocessor
