// RegionDirectory: the regions of all tables, by the names that clients use.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/storage.h"
#include "klip/table.h"
#include "proto/HBase.pb.h"
#include "rpc/error.h"
#include "server/rpc/names.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"

namespace klip::server {

// A region, or a replica of it: in HBase, another server that answers reads of the same rows. Here, this server has all
// replicas.
struct ServedRegion {
  std::string table;
  std::string start_key;
  std::string end_key;  // empty: to the end
  int64_t region_id = 0;
  int32_t replica_id = 0;    // 0: the region itself, the only one that accepts writes
  std::string name;          // "table,start,id.encoded."
  std::string encoded_name;  // MD5 in hex
  std::shared_ptr<engine::RegionRequests> requests;

  bool Contains(std::string_view row) const { return row >= start_key && (end_key.empty() || row < end_key); }
};

ServedRegion ServedAs(std::string_view table, const engine::Region& region, int32_t replica_id = 0);

void FillRegionInfo(const ServedRegion& region, hbase::pb::RegionInfo* info);
// For hbase:meta itself.
void FillMetaRegionInfo(hbase::pb::RegionInfo* info);

// The regions of one table at one moment. Immutable.
struct TableRegions {
  engine::TablePtr view;
  std::vector<ServedRegion> regions;  // sorted by start key, gapless; without replicas
  int32_t replicas = 1;               // per region, including itself (REGION_REPLICATION)

  const ServedRegion& RegionOf(std::string_view row) const;
  // By its name; null: none.
  const ServedRegion* Named(std::string_view name) const;
  // 0: the region itself; negative: neither it nor a replica has that name.
  int32_t ReplicaNamed(const ServedRegion& region, std::string_view encoded_name) const;
  // REQUIRES: replica_id < replicas.
  ServedRegion Replica(const ServedRegion& region, int32_t replica_id) const;
};
using TableRegionsPtr = std::shared_ptr<const TableRegions>;

// The region of a call, and its table.
struct RegionRef {
  TableRegionsPtr table_regions;                // keeps `region` alive
  std::shared_ptr<const ServedRegion> replica;  // keeps it alive if it is a replica
  const ServedRegion* region = nullptr;
  std::shared_ptr<table::EmbeddedTable> table;
};

// A row that halves the largest family of the region; empty if it has too little data. Reads small regions; uses samples
// for large ones.
Expected<std::string> MiddleOf(engine::Storage* storage, const RegionRef& region);

// Thread-safe.
class RegionDirectory {
 public:
  // Both outlive the directory.
  RegionDirectory(table::EmbeddedConnection* connection, const ServerName* server);
  ~RegionDirectory();
  RegionDirectory(const RegionDirectory&) = delete;
  RegionDirectory& operator=(const RegionDirectory&) = delete;

  // Errors: kTableNotFound. Disabled tables have regions too.
  Expected<TableRegionsPtr> Of(std::string_view table);

  // Finds the region for a call. Errors: NotServingRegionException if it does not exist (any more), or its table is
  // disabled.
  rpc::Error Find(const hbase::pb::RegionSpecifier& specifier, RegionRef* ref);

  // Includes disabled tables. Error: UnknownRegionException.
  rpc::Error FindAny(const hbase::pb::RegionSpecifier& specifier, RegionRef* ref);

  // Names of all tables, sorted.
  std::vector<std::string> Tables();

 private:
  struct Entry {
    std::shared_ptr<table::EmbeddedTable> table;
    table::SlotPtr slot;
    TableRegionsPtr regions;
  };

  Expected<Entry> EntryOf(std::string_view table);
  void Renew(const std::string& table);  // which has changed
  rpc::Error NotServing(std::string_view name) const;
  bool FindByName(std::string_view name, RegionRef* ref);
  bool FindByEncodedName(std::string_view encoded_name, RegionRef* ref);

  table::EmbeddedConnection* const connection_;
  const ServerName* const server_;
  std::shared_mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // guarded by mutex_
  const uint64_t watch_;
};

}  // namespace klip::server
