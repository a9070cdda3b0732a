// Actions on many rows: each goes to the server of its region, many in a call, to all servers concurrently; actions that
// failed because something moved are sent again.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hbase/table/multi_call.h"

namespace klip::client {

// One try of gets with Consistency::kTimeline: at the primaries or, if those are slow or fail, at all replicas.
void ReadReplicas(Cluster* cluster, const std::string& table, std::span<MultiItem* const> items, Deadline deadline);

// Afterwards each item is done, or has a failure.
void RunMulti(Cluster* cluster, const std::string& table, std::span<MultiItem> items);

// The result of one action. Errors: its failure.
Expected<Result> RunOne(Cluster* cluster, const std::string& table, const ActionRef& action);

// The results of actions of one kind. Errors: the first failure.
template <typename One>
Expected<std::vector<Result>> RunAll(Cluster* cluster, const std::string& table, std::span<const One> actions) {
  std::vector<MultiItem> items(actions.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    items[i].action = &actions[i];
  }
  RunMulti(cluster, table, items);
  std::vector<Result> results;
  results.reserve(items.size());
  for (MultiItem& item : items) {
    if (!item.done) {
      return item.failure.status;
    }
    results.push_back(std::move(item.result));
  }
  return results;
}

}  // namespace klip::client
