// The request counters of regions, on klip serve and on HBase.
#pragma once

#include <string>
#include <vector>

#include "klip/connection.h"

namespace klip::client {

inline constexpr const char* kCountedRequests = " 0/1 1/4 3/6 3/8 4/8 5/9 6/9 7/9 8/9 11/9 15/9 17/9 19/9";

// "reads/writes" that the only region of `table` counts after each of a few requests; the table is empty before.
inline std::string CountedRequests(Connection& connection, const std::string& table_name) {
  const std::unique_ptr<Table> table = *connection.GetTable(table_name);
  std::string counts;
  const auto count = [&] {
    const RegionMetrics region = connection.admin().GetRegionMetrics(table_name)->front();
    counts += " " + std::to_string(region.read_requests) + "/" + std::to_string(region.write_requests);
  };
  const auto read_all = [&](const Scan& scan) {
    Result row;
    for (const auto rows = *table->Scan(scan); *rows->Next(&row);) {
    }
  };
  const auto put = [](const std::string& row) { return Put{.row = row}.Add("f", "q", "v"); };
  (void)table->Put(put("a"));
  count();
  (void)table->Batch(std::vector<Action>{put("b"), put("c"), put("d"), Get{.row = "a"}});
  count();
  (void)table->Increment(Increment{.row = "a"}.Add("f", "n"));
  (void)table->Append(Append{.row = "a"}.Add("f", "q", "w"));
  count();
  (void)table->Mutate(RowMutations{.row = "b", .mutations = {put("b"), Delete{.row = "b"}.AddColumns("f", "x")}});
  count();
  (void)table->CheckAndMutate({.row = "c", .condition = RowCondition::IfNotExists("f", "q"), .action = put("c")});
  count();
  (void)table->CheckAndMutate({.row = "c", .condition = RowCondition::IfEquals("f", "q", "v"), .action = put("c")});
  count();
  (void)table->Get(Get{.row = "a"});
  count();
  (void)table->Get(Get{.row = "nope"});
  count();
  (void)table->Exists(Get{.row = "a"});
  count();
  (void)table->Get(std::vector<Get>{{.row = "a"}, {.row = "b"}, {.row = "nope"}});
  count();
  read_all({});
  count();
  read_all({.start_row = "b", .stop_row = "d"});
  count();
  read_all({.limit_rows = 2});
  count();
  return counts;
}

}  // namespace klip::client
