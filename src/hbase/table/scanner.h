// Scans a table region by region, with calls that return a few megabytes each.
#pragma once

#include <memory>
#include <string>

#include "filter/rows/row_set.h"
#include "hbase/cluster/cluster.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/table.h"

namespace klip::client {

// A scan as sent to servers, and what remains for the client.
struct ScanWork {
  klip::Scan scan;                                       // without `where`
  std::shared_ptr<const filter::RowSet> rows = nullptr;  // returned rows that are not in it are dropped; null: none are
  klip::Explain plan = {};
};

// Nothing is sent before the first Next.
std::unique_ptr<ResultScanner> OpenScanner(Cluster* cluster, std::string table, ScanWork work);

}  // namespace klip::client
