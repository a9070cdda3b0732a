// Scans of a table region by region, over calls that each bring a few megabytes.
#pragma once

#include <memory>
#include <string>

#include "filter/rows/row_set.h"
#include "hbase/cluster/cluster.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/table.h"

namespace klip::client {

// A scan as it is sent, and what is left to do here.
struct ScanWork {
  klip::Scan scan;                                       // without `where`
  std::shared_ptr<const filter::RowSet> rows = nullptr;  // rows that come and are not in it are dropped; null: none are
  klip::Explain plan = {};
};

// Nothing is sent before the first Next.
std::unique_ptr<ResultScanner> OpenScanner(Cluster* cluster, std::string table, ScanWork work);

}  // namespace klip::client
