// Locations: which server has which region, read from hbase:meta and kept until a server says otherwise.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/cluster/registry.h"
#include "hbase/net/channel.h"
#include "klip/admin.h"
#include "proto/Client.pb.h"
#include "proto/HBase.pb.h"

namespace klip::client {

struct Region {
  std::string table;
  std::string start_key;
  std::string end_key;
  std::string name;  // "table,start,id.encoded."
  int64_t region_id = 0;
  Address server;                      // an empty host: none
  int64_t start_code = 0;              // of the server; 0: not known
  std::vector<Address> replicas = {};  // servers of replicas 1, 2, ...; an empty host: on none for now

  bool Contains(std::string_view row) const { return row >= start_key && (end_key.empty() || row < end_key); }
};
using RegionPtr = std::shared_ptr<const Region>;

// 0 is the primary. REQUIRES: the region has such a replica.
inline const Address& ServerOf(const Region& region, int replica) {
  return replica == 0 ? region.server : region.replicas[static_cast<size_t>(replica - 1)];
}
inline int ReplicasOf(const Region& region) { return 1 + static_cast<int>(region.replicas.size()); }
// The first replica whose server is known; -1: there is none.
int FirstServed(const Region& region);

// Which region of a table is looked for.
enum class Where : uint8_t {
  kHolds,   // the one that holds the row
  kBefore,  // the one that holds the last row that can be before it; an empty row: the last region
};

// Which replicas of hbase:meta are read: HBase's CatalogReplicaMode (hbase.locator.meta.replicas.mode).
enum class MetaReplicas : uint8_t {
  kNone,         // the primary
  kHedgedRead,   // when it fails or is slow the others as well
  kLoadBalance,  // where a region is, is asked of any
};

// Thread-safe.
class Locations {
 public:
  Locations(Registry* registry, ChannelPool* channels, MetaReplicas meta_replicas)
      : registry_(registry), channels_(channels), meta_replicas_(meta_replicas) {}

  // Errors: Failure.status kTableNotFound; those of calls.
  Failure Find(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region);

  // For reads that any replica may answer: also a region of which some servers were lost. hbase:meta is asked about them again, but
  // neither long nor often. At least one replica has a server, the primary perhaps none.
  Failure FindAny(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region);

  // All regions of the table in key order, from hbase:meta. Split and merged ones are left out; `server` may be empty.
  Failure List(const std::string& table, Deadline deadline, std::vector<RegionPtr>* regions);

  // Reads hbase:meta for a region, and keeps it. Errors: as Find; kNotServingRegion while it is on no server, with `any_replica`
  // while none of its replicas is.
  Failure Look(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region,
               bool any_replica = false);

  // The tables whose names begin so, by hbase:meta.
  Failure TablesOf(const std::string& prefix, Deadline deadline, std::set<std::string>* tables);

  // The region of this encoded or full name, from hbase:meta; null when there is none. By an encoded name all of it is read.
  Failure FindByName(std::string_view name, Deadline deadline, RegionPtr* region);

  // Whether the table is enabled, disabled, or on its way to either. Errors: kTableNotFound.
  Failure State(const std::string& table, Deadline deadline, hbase::pb::TableState::State* state);

  // Whether there is such a table: asks hbase:meta, but not again for a table that was there a moment ago. Errors: kTableNotFound.
  Failure Exists(const std::string& table, Deadline deadline);
  // A table that was dropped: Exists asks about it again.
  void ForgetTable(const std::string& table);

  // Where hbase:meta's replicas are, the primary first. The registry is asked when that is not known, or has changed.
  Failure MetaServers(Deadline deadline, std::vector<Address>* servers);

  // After a failed call on the region's replica.
  void Learn(const RegionPtr& region, const Failure& failure, int replica);

  // The region is looked up again when it is next wanted.
  void Forget(const RegionPtr& region);

 private:
  using Regions = std::map<std::string, RegionPtr, std::less<>>;  // by start key

  RegionPtr Cached(const std::string& table, std::string_view row, Where where);
  // Whether to ask hbase:meta, at this time, about servers that were lost.
  bool TakeTurnToLook();
  // Forgets that it has regions. Those that have a replica elsewhere stay.
  void LeaveServer(const Address& server);
  void Keep(RegionPtr region);
  // Find, also with a region whose primary is on no server.
  Failure FindOne(const std::string& table, std::string_view row, Where where, bool any_replica, Deadline deadline,
                  RegionPtr* region);

  // --- meta_reads.cc ---
  // Sends a call to hbase:meta. `region` is a part of the request, and filled. `first`: the replica that is asked before the others;
  // kPrimaryOnly: there are no others.
  struct MetaCall {
    std::string_view method;
    const google::protobuf::MessageLite* request;
    hbase::pb::RegionSpecifier* region;
  };
  static constexpr int kPrimaryOnly = -1;
  Failure CallMeta(const MetaCall& call, int first, Deadline deadline, Reply* reply);
  // Which replica to begin with, for where the table's regions are.
  int FirstMetaReplica(const std::string& table);
  // What it said of the table was wrong: the primary is asked for a while.
  void DistrustMetaReplicas(const std::string& table);

  // Rows of hbase:meta as regions, at most `limit`; *last_row: of the last row read, empty when none came. *stale: a replica said so.
  Failure ScanMeta(hbase::pb::Scan scan, uint32_t limit, int first, Deadline deadline, std::vector<RegionPtr>* regions,
                   std::string* last_row, bool* stale = nullptr);
  Failure LookAt(const std::string& table, std::string_view row, Where where, int first, bool any_replica,
                 Deadline deadline, RegionPtr* region, bool* stale);
  Failure FindMeta(Deadline deadline, RegionPtr* region);
  Failure ReadState(const std::string& table, bool ask_any, Deadline deadline, hbase::pb::TableState::State* state);
  // There is no such table.
  Failure NotFound(const std::string& table);

  Registry* registry_;
  ChannelPool* channels_;
  const MetaReplicas meta_replicas_;

  std::timed_mutex look_mutex_;  // held by the one who reads hbase:meta for a region that is not cached

  std::mutex mutex_;
  std::map<std::string, Regions, std::less<>> tables_;
  size_t kept_ = 0;
  std::map<std::string, Clock::time_point> found_;       // tables that exist, until when that is believed
  Clock::time_point next_look_;                          // for lost servers
  std::vector<Address> meta_;                            // empty: not known
  std::map<std::string, Clock::time_point> distrusted_;  // tables, until when; of kLoadBalance
};

}  // namespace klip::client
