// RegionCalls: coprocessors' calls to their region. As with HBase's Region, reads bypass hooks, and writes call them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

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

// Thread-safe.
class RegionCalls {
 public:
  // Marks a scan whose conditions are kept. A client's attribute of this name has no effect.
  static constexpr std::string_view kConditionsAttribute = "_klip_conditions_";

  // `connection` outlives the calls.
  void Use(table::EmbeddedConnection* connection) { connection_ = connection; }

  Status Get(const OpenRegion& region, FrameReader* call, FrameWriter* answer);
  Status OpenScan(const OpenRegion& region, FrameReader* call, FrameWriter* answer);
  Status NextRows(FrameReader* call, FrameWriter* answer);
  Status CloseScan(FrameReader* call);
  uint32_t AddScanner(std::shared_ptr<ResultScanner> rows);
  void RemoveScanner(uint32_t number);
  // Keeps `where` and `rows` of a client's scan, which HBase's message lacks, while hooks see that scan: scanners that they open
  // with it, or with a copy, read only the rows that match. Sets the attribute that marks it, if there are any. Returns the number
  // to remove them; 0: none.
  uint64_t KeepConditions(const OpenRegion& region, Scan* scan);
  void RemoveConditions(uint64_t number);
  Status Mutate(const OpenRegion& region, FrameReader* call, FrameWriter* answer);
  Status Flush(const OpenRegion& region);
  Status Compact(const OpenRegion& region, FrameReader* call);
  Status Counters(const OpenRegion& region, FrameWriter* answer);
  // Closes the scanners of a JVM that has ended.
  void CloseScans();

 private:
  struct Conditions {
    std::string table;
    std::optional<KeyQuery> where;
    std::shared_ptr<const filter::RowSet> rows;
  };

  Status AddConditions(const OpenRegion& region, Scan* scan);

  table::EmbeddedConnection* connection_ = nullptr;
  std::mutex mutex_;
  uint32_t last_scan_ = 0;                                       // guarded by mutex_
  std::map<uint32_t, std::shared_ptr<ResultScanner>> scanners_;  // guarded by mutex_
  uint64_t last_conditions_ = 0;                                 // guarded by mutex_
  std::map<uint64_t, Conditions> conditions_;                    // guarded by mutex_
};

// Writes up to so many rows or bytes, in the format of frames: u8 more | u32 rows, each: u32 cells.
Status WriteRows(ResultScanner* rows, uint32_t most_rows, uint32_t most_bytes, FrameWriter* out);

}  // namespace klip::coprocessor
