// Calls that took long or had large answers: logs them, and keeps the last ones in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "klip/cluster_metrics.h"
#include "proto/Admin.pb.h"
#include "server/rpc/call.h"
#include "server/rpc/log.h"

namespace klip::server {

struct CallCost {
  int64_t us = 0;        // from arrival to answer
  int64_t queue_us = 0;  // of these, waiting in the queue
  size_t request_bytes = 0;
  size_t response_bytes = 0;
};

// The last such calls, as a region server of HBase keeps them with hbase.regionserver.slowlog.buffer.enabled.
// Thread-safe.
class SlowCalls {
 public:
  explicit SlowCalls(std::function<int64_t()> now_ms) : now_ms_(std::move(now_ms)) {}

  // Adds a call that was just answered.
  void Add(hbase::pb::SlowLogPayload call);
  // The newest first.
  void Select(const hbase::pb::SlowLogResponseRequest& request, hbase::pb::SlowLogResponses* response) const;
  std::vector<SlowCall> Select(const SlowCallQuery& query) const;
  void Clear();

 private:
  static constexpr size_t kMost = 256;  // hbase.regionserver.slowlog.ringbuffer.size

  const std::function<int64_t()> now_ms_;
  mutable std::mutex mutex_;
  std::deque<hbase::pb::SlowLogPayload> calls_;  // guarded by mutex_
};

// Logs an answered call that exceeded the limits of `type`: as event slow_call or, if it was only large, large_call, with
// method, table and region (if any), user, client's address, time, rows, bytes. Calls to region servers are also added to
// `kept`.
void NoteSlowCall(const Call& call, const Method& method, hbase::pb::SlowLogPayload::Type type, const std::string& peer,
                  const CallCost& cost, const Log& log, SlowCalls* kept);

}  // namespace klip::server
