// MetaTable: hbase:meta as clients read it, derived from the catalog at the moment of the read. Its rows, one per table
// and one per region, have their own order: table name, start key, region id, each compared separately.
#pragma once

#include <memory>
#include <string_view>

#include "klip/table.h"
#include "server/node/regions.h"

namespace klip::server {

// Below, equal or above zero, in the order of HBase's MetaCellComparator.
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
