// MetaTable: hbase:meta as clients read it, made from the catalog at the moment of the read. Its rows, one per table and one per
// region, have an order of their own: table name, start key, region id, each compared by itself.
#pragma once

#include <memory>
#include <string_view>

#include "klip/table.h"
#include "server/node/regions.h"

namespace klip::server {

// Below, equal or above zero as HBase's MetaCellComparator orders two row keys.
int CompareMetaRows(std::string_view a, std::string_view b);

class MetaTable {
 public:
  MetaTable(RegionDirectory* regions, const ServerName* server) : regions_(regions), server_(server) {}

  Expected<Result> Get(const klip::Get& get) const;
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) const;

 private:
  RegionDirectory* const regions_;
  const ServerName* const server_;
};

}  // namespace klip::server
