// ScannerTable: scanners that clients hold open between calls, each with a lease.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "klip/table.h"
#include "server/node/regions.h"
#include "server/node/scan_batch.h"
#include "server/node/watched_filter.h"

namespace klip::server {

// The memory of an open scanner, without its last result: blocks of files and buffers of the iterators. TUNING: 3,000
// scanners over two families of small rows took 28 KB each (2026-11-24).
inline constexpr int64_t kScannerBytes = 64 << 10;

// A scan of one region.
struct OpenScanner {
  std::string region_name;  // empty: hbase:meta. Set before other threads see the scanner
  std::mutex mutex;         // one call at a time; guards what follows
  uint64_t id = 0;
  TableRegionsPtr regions;                // at the time of opening
  std::shared_ptr<WatchedFilter> filter;  // that may be done before its region ends; null: none
  std::unique_ptr<ResultScanner> rows;    // declared after the filter, which it uses
  int64_t largest_cell_bytes = 0;         // of the answers so far
  std::shared_ptr<net::MemoryShare> client;
  net::MemoryLease memory;              // while it is open, from the client's share
  Result result;                        // the last one read
  const BatchLimits* limits = nullptr;  // of the current batch
  ScanStatistics told;                  // counts of `rows`: the metrics that were sent
  std::string paused_at;                // the row at which the last heartbeat was sent
  size_t taken = 0;                     // its leading cells that were sent; == result.size(): all
  std::unique_ptr<ScanBatch> ahead;     // the answer to the next call, if it exists already
  uint64_t next_call_seq = 0;
  int64_t max_result_bytes = 0;
  bool needs_cursor = false;
  bool stale = false;       // of a replica
  bool batched = false;     // a fixed number of columns per result: pieces of a row are separate results
  bool whole_rows = false;  // never cut, whatever the client supports
  std::atomic<int64_t> lease_until_us = 0;
};
using OpenScannerPtr = std::shared_ptr<OpenScanner>;

// Thread-safe.
class ScannerTable {
 public:
  ScannerTable();

  // Limits the bytes that they hold and the time that they may be unused. Call it before the first is opened.
  void Limit(int64_t bytes, int64_t lease_ms) {
    memory_.Limit(bytes, 0);
    lease_ms_ = lease_ms;
  }
  int64_t lease_ms() const { return lease_ms_; }
  // Counts the scanner's memory against `client`. False: the client, or all together, hold too much.
  bool Hold(OpenScanner* scanner, const std::shared_ptr<net::MemoryShare>& client);
  // Assigns the scanner's id. REQUIRES: Hold.
  void Add(const OpenScannerPtr& scanner);
  // The same for one that has ended already.
  void AddClosed(OpenScanner* scanner);
  // Null: no such scanner (any more).
  OpenScannerPtr Find(uint64_t id) const;
  // For one that has ended, or that its client closes. REQUIRES: the scanner's mutex is held.
  void Close(const OpenScanner& scanner);
  // For one that has failed: its id becomes unknown.
  void Drop(uint64_t id);
  // The number of the next call of a closed scanner. Clients may close or call a scanner that has reached its end. But if
  // a call that was answered is repeated, its rows are lost.
  std::optional<uint64_t> NextCallOfClosed(uint64_t id) const;

  // Ends scanners whose lease has expired.
  void Expire(int64_t now_us);
  void RenewLease(OpenScanner* scanner) const;
  size_t size() const;

 private:
  OpenScannerPtr Take(uint64_t id);                // REQUIRES: mutex_ is held
  void Remember(uint64_t id, uint64_t next_call);  // REQUIRES: mutex_ is held

  mutable std::mutex mutex_;
  net::MemoryBudget memory_;  // declared before the scanners, which hold leases of it
  int64_t lease_ms_ = 60000;
  uint64_t next_id_;                                       // guarded by mutex_
  std::unordered_map<uint64_t, OpenScannerPtr> scanners_;  // guarded by mutex_
  std::unordered_map<uint64_t, uint64_t> closed_;          // their next calls; guarded by mutex_
  std::deque<uint64_t> closed_order_;                      // guarded by mutex_
};

}  // namespace klip::server
