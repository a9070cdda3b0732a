// Source: ships what this store's log has for one peer, in its order, one call at a time, until the peer has it. What the peer has
// taken is written down about once a second, so after a crash it may come once more: an edit has its timestamp, so that changes
// nothing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "engine/log/cluster_id.h"
#include "engine/store/log_tail.h"
#include "engine/store/store.h"
#include "hbase/cluster/peer_cluster.h"
#include "klip/cancel.h"
#include "klip/cluster_metrics.h"
#include "klip/replication.h"
#include "replication/edits.h"

namespace klip::replication {

// What happens, for a log: `event` is one word, `text` says more. Called by any thread.
using Report = std::function<void(std::string_view event, std::string_view peer, std::string_view text)>;

struct SourceCounts {
  int64_t failures = 0;    // of calls, so far
  std::string last_error;  // why nothing is shipped; empty: it is
};

class Source {
 public:
  // Starts. `store` outlives it.
  Source(engine::Store* store, const engine::ClusterId& self, ReplicationPeer peer, Report report);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Its state and configuration as they are now.
  void Update(ReplicationPeer peer);

  ReplicationSource Metrics() const;
  SourceCounts Counts() const;

 private:
  void Run();
  // One of the steps of Run. False: wait, with more patience each time.
  bool Step();
  bool Connect();
  bool Ship();
  // Until then, a change or the end.
  void Pause(int64_t ms);
  void Failed(const Status& status);
  void Succeeded();
  // Writes the position down, at most once a second unless `now`.
  void SavePosition(bool now);
  void BeginAnew();
  bool stopping() const;

  engine::Store* const store_;
  const engine::ClusterId self_;
  const std::string id_;
  const Report report_;
  const CancelToken cancel_ = CancelToken::New();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ReplicationPeer peer_;     // guarded by mutex_, as are the following
  uint64_t generation_ = 1;  // of peer_
  bool stopping_ = false;
  ReplicationSource metrics_;
  SourceCounts counts_;
  int64_t caught_up_ms_;  // when all was shipped the last time
  bool caught_up_ = false;

  // Of the thread:
  ReplicationPeer current_;
  uint64_t current_generation_ = 0;
  std::unique_ptr<client::PeerCluster> cluster_;
  client::Address server_;  // of the cluster, to which calls go
  engine::ClusterId to_;
  std::unique_ptr<engine::LogTail> tail_;
  engine::LogPosition shipped_;  // behind what the peer has
  engine::LogPosition saved_;
  int64_t saved_ms_ = 0;
  int64_t read_to_end_ms_ = 0;  // what is read now was written later
  bool told_of_gap_ = false;
  int failures_in_a_row_ = 0;
  Edits edits_;

  std::thread thread_;
};

}  // namespace klip::replication
