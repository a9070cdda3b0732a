// RegionDirectory: the regions of all tables under the names that clients call them by.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "klip/table.h"
#include "proto/HBase.pb.h"
#include "rpc/error.h"
#include "server/names.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"

namespace klip::server {

struct ServedRegion {
  std::string table;
  std::string start_key;
  std::string end_key;  // empty: to the end
  int64_t region_id = 0;
  std::string name;          // "table,start,id.encoded."
  std::string encoded_name;  // MD5 in hex

  bool Contains(std::string_view row) const { return row >= start_key && (end_key.empty() || row < end_key); }
};

void FillRegionInfo(const ServedRegion& region, hbase::pb::RegionInfo* info);
// Of hbase:meta itself.
void FillMetaRegionInfo(hbase::pb::RegionInfo* info);

// The regions of one table as of one moment. Immutable.
struct TableRegions {
  engine::TablePtr view;
  std::vector<ServedRegion> regions;  // sorted by start key, gapless

  const ServedRegion& RegionOf(std::string_view row) const;
};
using TableRegionsPtr = std::shared_ptr<const TableRegions>;

// A region that a call is for, and its table.
struct RegionRef {
  TableRegionsPtr table_regions;  // keeps `region` alive
  const ServedRegion* region = nullptr;
  std::shared_ptr<table::EmbeddedTable> table;
};

// A row that halves the largest family of the region; empty when it holds too little. Small regions are read for it, of large ones
// samples are known.
Expected<std::string> MiddleOf(engine::Store* store, const RegionRef& region);

// Thread-safe.
class RegionDirectory {
 public:
  RegionDirectory(table::EmbeddedConnection* connection, const ServerName* server)
      : connection_(connection), server_(server) {}

  // Errors: kTableNotFound. Disabled tables have their regions too.
  Expected<TableRegionsPtr> Of(std::string_view table);

  // The region to serve a call. Errors: NotServingRegionException for one that is not (any more), or whose table is disabled.
  rpc::Error Find(const hbase::pb::RegionSpecifier& specifier, RegionRef* ref);

  // Also of disabled tables. Error: UnknownRegionException.
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
  rpc::Error NotServing(std::string_view name) const;
  bool FindByName(std::string_view name, RegionRef* ref);
  bool FindByEncodedName(std::string_view encoded_name, RegionRef* ref);

  table::EmbeddedConnection* const connection_;
  const ServerName* const server_;
  std::shared_mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;  // guarded by mutex_
};

}  // namespace klip::server
