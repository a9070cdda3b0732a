// Edits: what one call of ReplicateWALEntry carries, made of the log for one peer.
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

// The two clusters between which edits go.
struct Route {
  engine::ClusterId from;  // this one
  engine::ClusterId to;    // gets nothing that it has had already
};

class Edits {
 public:
  // Reads on until there is enough for a call, or the log ends. What comes was written after `since_ms`, when the log was read to its
  // end. Errors: those of the tail; kCorruption: a record that cannot be taken apart. What was read before counts, up to end(), and
  // the tail is to be thrown away.
  Status Fill(const engine::Store& store, const ReplicationPeerConfig& peer, const Route& route, int64_t since_ms,
              engine::LogTail* tail);
  void Clear();

  // Behind all records that are among them whole, or that the peer does not want.
  const engine::LogPosition& end() const { return end_; }
  bool empty() const { return cells_ == 0; }
  int64_t cells() const { return cells_; }
  int64_t entries() const { return request_.entry_size(); }
  size_t bytes() const { return block_.size(); }
  // When the newest of them was written, as far as their timestamps and `since_ms` tell: ms since 1970.
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
  // Adds what the peer wants of one record.
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
