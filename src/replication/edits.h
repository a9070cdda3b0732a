// Edits: the contents of one call of ReplicateWALEntry, collected from the log for one peer.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/log/cluster_id.h"
#include "engine/store/log_tail.h"
#include "engine/store/store.h"
#include "engine/store/views.h"
#include "klip/replication.h"
#include "klip/status.h"
#include "proto/Admin.pb.h"
#include "rpc/buffer.h"

namespace klip::replication {

// The two clusters of a replication.
struct Route {
  engine::ClusterId from;  // this one
  engine::ClusterId to;    // gets nothing that it has already had
};

class Edits {
 public:
  // Reads on until there is enough for a call, or the log ends. The records were written after `since_ms`, when the log
  // was last read to its end. Errors: those of the tail; kCorruption: an unreadable record. Records read before it count,
  // up to end(); discard the tail.
  Status Fill(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route, int64_t since_ms,
              engine::LogTail* tail);
  void Clear();

  // After all records that are completely included, or that the peer does not want.
  const engine::LogPosition& end() const { return end_; }
  bool empty() const { return cells_ == 0; }
  int64_t cells() const { return cells_; }
  int64_t entries() const { return request_.entry_size(); }
  size_t bytes() const { return block_.size(); }
  // The time of the newest edit, as far as timestamps and `since_ms` show: ms since 1970.
  int64_t written_ms() const { return written_ms_; }

  const hbase::pb::ReplicateWALEntryRequest& request() const { return request_; }
  std::string_view block() const { return block_.view(); }

 private:
  struct Origin {
    const engine::TableView* table = nullptr;
    const engine::Region* region = nullptr;
    engine::ClusterIds clusters;

    bool operator==(const Origin&) const = default;
  };

  Status ReadLog(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route,
                 engine::LogTail* tail);
  // Adds the edits of one record that the peer wants.
  Status AddRecord(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route, uint64_t sequence,
                   std::string_view record);
  void BeginEntry(const Origin& origin, const Route& route, uint64_t sequence);

  hbase::pb::ReplicateWALEntryRequest request_;
  rpc::Buffer block_;
  int64_t cells_ = 0;
  int64_t written_ms_ = 0;
  engine::LogPosition end_;
  std::map<uint32_t, engine::LoggedFamily> families_;  // while the log is read
};

}  // namespace klip::replication
