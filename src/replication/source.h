// Source: ships the log of this store to one peer, in order, one call at a time, until the peer has it. It saves what the
// peer has accepted about once a second, so after a crash edits may be sent again. That changes nothing, since edits have
// timestamps.
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

// Reports an event for a log: `event` is one word, `text` has details. Called by any thread.
using Report = std::function<void(std::string_view event, std::string_view peer, std::string_view text)>;

struct SourceCounts {
  int64_t failures = 0;    // failed calls so far
  std::string last_error;  // why nothing is shipped; empty: no error
};

class Source {
 public:
  // Starts. `store` outlives it.
  Source(engine::Store* store, const engine::ClusterId& self, ReplicationPeer peer, Report report);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Changes its state and configuration.
  void Update(ReplicationPeer peer);

  ReplicationSource Metrics() const;
  SourceCounts Counts() const;

 private:
  void Run();
  // One step of Run. False: wait, longer each time.
  bool Step();
  bool Connect();
  bool Ship();
  // Waits until then, a change or the end.
  void Pause(int64_t ms);
  void Failed(const Status& status);
  void Succeeded();
  // Saves the position, at most once a second unless `now`.
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
  int64_t caught_up_ms_;  // when everything was last shipped
  bool caught_up_ = false;

  // Of the thread:
  ReplicationPeer current_;
  uint64_t current_generation_ = 0;
  std::unique_ptr<client::PeerCluster> cluster_;
  client::Address server_;  // server of the cluster that receives calls
  engine::ClusterId to_;
  std::unique_ptr<engine::LogTail> tail_;
  engine::LogPosition shipped_;  // position up to which the peer has everything
  engine::LogPosition saved_;
  int64_t saved_ms_ = 0;
  int64_t read_to_end_ms_ = 0;  // what is read now was written later
  bool told_of_gap_ = false;
  int failures_in_a_row_ = 0;
  Edits edits_;

  std::thread thread_;
};

}  // namespace klip::replication
