// Locations: which server has which region, read from hbase:meta and cached until a server reports otherwise.
//
// Example: a get of "bob" reads the row of hbase:meta for [a, m), and sends the call to server 1. The next get of "carol"
// uses the cached region. If server 1 answers NotServingRegionException, the region is forgotten, and the retry reads
// hbase:meta again. If it answers that the region moved to server 2, the retry goes there directly.
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
  Address server;                      // empty host: none
  int64_t start_code = 0;              // of the server; 0: unknown
  std::vector<Address> replicas = {};  // servers of replicas 1, 2, ...; empty host: none at the moment

  bool Contains(std::string_view row) const { return row >= start_key && (end_key.empty() || row < end_key); }
};
using RegionPtr = std::shared_ptr<const Region>;

// 0 is the primary. REQUIRES: the region has such a replica.
inline const Address& ServerOf(const Region& region, int replica) {
  return replica == 0 ? region.server : region.replicas[static_cast<size_t>(replica - 1)];
}
inline int ReplicasOf(const Region& region) { return 1 + static_cast<int>(region.replicas.size()); }
// The first replica with a known server; -1: none.
int FirstServed(const Region& region);

// Which region of a table to find.
enum class Where : uint8_t {
  kHolds,   // the region of the row
  kBefore,  // the region of the last possible row before it; an empty row: the last region
};

// Which replicas of hbase:meta to read: HBase's CatalogReplicaMode (hbase.locator.meta.replicas.mode).
enum class MetaReplicas : uint8_t {
  kNone,         // the primary
  kHedgedRead,   // if it fails or is slow, the others as well
  kLoadBalance,  // look-ups of regions go to any
};

// Thread-safe.
class Locations {
 public:
  Locations(Registry* registry, ChannelPool* channels, MetaReplicas meta_replicas)
      : registry_(registry), channels_(channels), meta_replicas_(meta_replicas) {}

  // Errors: Failure.status kTableNotFound; those of calls.
  Failure Find(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region);

  // For reads that any replica may answer: also returns a region that has lost some servers. It looks them up in
  // hbase:meta again, but neither long nor often. At least one replica has a server, maybe not the primary.
  Failure FindAny(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region);

  // All regions of the table in key order, from hbase:meta. Excludes split and merged ones; `server` may be empty.
  Failure List(const std::string& table, Deadline deadline, std::vector<RegionPtr>* regions);

  // Reads a region from hbase:meta, and caches it. Errors: as Find; kNotServingRegion while it has no server, with
  // `any_replica` while none of its replicas has.
  Failure Look(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region,
               bool any_replica = false);

  // The tables with this name prefix, from hbase:meta.
  Failure TablesOf(const std::string& prefix, Deadline deadline, std::set<std::string>* tables);

  // The region with this encoded or full name, from hbase:meta; null: none. For an encoded name, reads all of hbase:meta.
  Failure FindByName(std::string_view name, Deadline deadline, RegionPtr* region);

  // Whether the table is enabled, disabled, or changing to either. Errors: kTableNotFound.
  Failure State(const std::string& table, Deadline deadline, hbase::pb::TableState::State* state);

  // Whether the table exists: reads hbase:meta, but not again for a table that existed a moment ago. Errors:
  // kTableNotFound.
  Failure Exists(const std::string& table, Deadline deadline);
  // For a dropped table: the next Exists reads hbase:meta again.
  void ForgetTable(const std::string& table);

  // The servers of hbase:meta's replicas, the primary first. Asks the registry if they are unknown or have changed.
  Failure MetaServers(Deadline deadline, std::vector<Address>* servers);

  // After a failed call on the region's replica.
  void Learn(const RegionPtr& region, const Failure& failure, int replica);

  // The next use of the region looks it up again.
  void Forget(const RegionPtr& region);

 private:
  using Regions = std::map<std::string, RegionPtr, std::less<>>;  // by start key

  RegionPtr Cached(const std::string& table, std::string_view row, Where where);
  // Whether it is time to look up lost servers in hbase:meta.
  bool TakeTurnToLook();
  // Forgets the server's regions. Those with a replica elsewhere stay.
  void LeaveServer(const Address& server);
  void Keep(RegionPtr region);
  // The same as Find, but also returns a region whose primary has no server.
  Failure FindOne(const std::string& table, std::string_view row, Where where, bool any_replica, Deadline deadline,
                  RegionPtr* region);

  // --- meta_reads.cc --- Sends a call to hbase:meta. `region` is a part of the request, which is filled in. `first`: the
  // replica that is asked before the others; kPrimaryOnly: there are no others.
  struct MetaCall {
    std::string_view method;
    const google::protobuf::MessageLite* request;
    hbase::pb::RegionSpecifier* region;
  };
  static constexpr int kPrimaryOnly = -1;
  Failure CallMeta(const MetaCall& call, int first, Deadline deadline, Reply* reply);
  // The replica to ask first for the locations of the table's regions.
  int FirstMetaReplica(const std::string& table);
  // A location of the table was wrong: only the primary is asked for a while.
  void DistrustMetaReplicas(const std::string& table);

  // Rows of hbase:meta as regions, at most `limit`; *last_row: the last row read, empty if there was none. *stale: a
  // replica answered.
  Failure ScanMeta(hbase::pb::Scan scan, uint32_t limit, int first, Deadline deadline, std::vector<RegionPtr>* regions,
                   std::string* last_row, bool* stale = nullptr);
  Failure LookAt(const std::string& table, std::string_view row, Where where, int first, bool any_replica,
                 Deadline deadline, RegionPtr* region, bool* stale);
  Failure FindMeta(Deadline deadline, RegionPtr* region);
  Failure ReadState(const std::string& table, bool ask_any, Deadline deadline, hbase::pb::TableState::State* state);
  // The failure for a missing table.
  Failure NotFound(const std::string& table);

  Registry* registry_;
  ChannelPool* channels_;
  const MetaReplicas meta_replicas_;

  std::timed_mutex look_mutex_;  // held by the thread that reads hbase:meta for an uncached region

  std::mutex mutex_;
  std::map<std::string, Regions, std::less<>> tables_;
  size_t kept_ = 0;
  std::map<std::string, Clock::time_point> found_;       // existing tables, and until when that is assumed
  Clock::time_point next_look_;                          // for lost servers
  std::vector<Address> meta_;                            // empty: unknown
  std::map<std::string, Clock::time_point> distrusted_;  // tables, and until when; for kLoadBalance
};

}  // namespace klip::client
