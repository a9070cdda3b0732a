// ScannerTable: scanners that clients hold open between calls, each under a lease.
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

// Of memory, that an open scanner holds beside what it read last: blocks of files and buffers of the iterators. TUNING: 3,000 over
// two families of small rows took 28 KB each (2026-11-24).
inline constexpr int64_t kScannerBytes = 64 << 10;

// A scan of one region.
struct OpenScanner {
  std::string region_name;  // empty: hbase:meta. Set before others see the scanner
  std::mutex mutex;         // one call at a time; guards what follows
  uint64_t id = 0;
  TableRegionsPtr regions;                // as the scanner found them
  std::shared_ptr<WatchedFilter> filter;  // one that can be done before its region ends; null: none
  std::unique_ptr<ResultScanner> rows;    // after the filter, which it uses
  int64_t largest_cell_bytes = 0;         // that was answered
  std::shared_ptr<net::MemoryShare> client;
  net::MemoryLease memory;              // while it is open, of the client's share
  Result result;                        // the last one read
  const BatchLimits* limits = nullptr;  // of the batch that is being read
  ScanStatistics told;                  // of what `rows` did: the metrics that were sent
  std::string paused_at;                // the row at which the last heartbeat was sent
  size_t taken = 0;                     // its first cells that were sent; == result.size(): all
  std::unique_ptr<ScanBatch> ahead;     // the answer to the next call, when it is made already
  uint64_t next_call_seq = 0;
  int64_t max_result_bytes = 0;
  bool needs_cursor = false;
  bool stale = false;       // of a replica
  bool batched = false;     // so many columns a result: pieces of a row are results of their own
  bool whole_rows = false;  // never cut, whatever the client can take
  std::atomic<int64_t> lease_until_us = 0;
};
using OpenScannerPtr = std::shared_ptr<OpenScanner>;

// Thread-safe.
class ScannerTable {
 public:
  ScannerTable();

  // They may hold so many bytes, and be unused for so long. Before the first is opened.
  void Limit(int64_t bytes, int64_t lease_ms) {
    memory_.Limit(bytes, 0);
    lease_ms_ = lease_ms;
  }
  int64_t lease_ms() const { return lease_ms_; }
  // Counts what the scanner holds to `client`. False: there is too much, of the client or of all.
  bool Hold(OpenScanner* scanner, const std::shared_ptr<net::MemoryShare>& client);
  // Gives the scanner its id. REQUIRES: Hold.
  void Add(const OpenScannerPtr& scanner);
  // The same for one that has ended already.
  void AddClosed(OpenScanner* scanner);
  // Null: there is none (any more).
  OpenScannerPtr Find(uint64_t id) const;
  // Of one that has ended, or that its client closes. REQUIRES: the scanner's mutex is held.
  void Close(const OpenScanner& scanner);
  // Of one that has failed: unknown from now on.
  void Drop(uint64_t id);
  // Of one that was closed: the number of the call that would come next. Clients may close or ask a scanner that has ended by
  // itself, but a call that was answered already and is sent again has lost its rows.
  std::optional<uint64_t> NextCallOfClosed(uint64_t id) const;

  // Ends those whose client has not asked for a while.
  void Expire(int64_t now_us);
  void RenewLease(OpenScanner* scanner) const;
  size_t size() const;

 private:
  OpenScannerPtr Take(uint64_t id);                // REQUIRES: mutex_ is held
  void Remember(uint64_t id, uint64_t next_call);  // REQUIRES: mutex_ is held

  mutable std::mutex mutex_;
  net::MemoryBudget memory_;  // before the scanners, which hold of it
  int64_t lease_ms_ = 60000;
  uint64_t next_id_;                                       // guarded by mutex_
  std::unordered_map<uint64_t, OpenScannerPtr> scanners_;  // guarded by mutex_
  std::unordered_map<uint64_t, uint64_t> closed_;          // their next calls; guarded by mutex_
  std::deque<uint64_t> closed_order_;                      // guarded by mutex_
};

}  // namespace klip::server
