// Scans of a cluster's table by an index that clients keep (table/client_indexes.h): entries name the rows, and a scan of one range per
// row reads these with the original filter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "hbase/table/client_indexes.h"
#include "hbase/table/scanner.h"
#include "klip/row_key.h"
#include "klip/table.h"
#include "rowkey/index_conditions.h"

namespace klip::client {

// A scan with `rows` or conditions on key fields as bounds and stock filters. `schema`: the table's; null: none. Errors: kInvalidArgument,
// conditions without a schema.
Expected<ScanWork> PlanOnCluster(const klip::Scan& scan, const std::string& table, const RowKeySchema* schema,
                                 std::optional<TableStatistics> statistics = std::nullopt);

// An index that can answer the scan, and its entries.
struct IndexChoice {
  ClientIndexList indexes;             // of which it is one
  const ClientIndex* index = nullptr;  // null: there is none
  std::vector<rowkey::EntrySet> sets;  // of each kind
};

// Prefers an index whose column the scan compares with single values. There are no statistics: see RowsByIndex. Errors: those of reading
// the table's indexes.
Expected<IndexChoice> ChooseIndex(ClientIndexes* indexes, const std::string& table, const ScanWork& work);

// The plan of such a scan, for people.
klip::Explain ExplainIndex(const IndexChoice& choice, const ScanWork& work, const std::string& table);

// The rows that the entries name, sorted; perhaps some that the scan does not return. nullopt: there are so many entries that a scan of
// all rows is better. Errors: those of reading.
Expected<std::optional<std::vector<std::string>>> RowsByIndex(Cluster* cluster, const IndexChoice& choice,
                                                              const ScanWork& work);

// The rows that exist and pass the scan's filter, in the scan's order. `rows`: sorted.
std::unique_ptr<ResultScanner> OpenRowsScanner(Cluster* cluster, const std::string& table, ScanWork work,
                                               std::vector<std::string> rows);

}  // namespace klip::client
