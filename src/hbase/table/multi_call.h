// MultiCall: sends actions for one server as one Multi, and parses the answer.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "rpc/cell_block.h"

namespace klip::client {

using ActionRef = std::variant<const Get*, const Put*, const Delete*, const Increment*, const Append*,
                               const RowMutations*, const CheckAndMutate*>;

// An action and its outcome.
struct MultiItem {
  ActionRef action;
  uint64_t first_nonce = 0;  // the same for every try; mutations that need nonces use this and the following ones
  bool done = false;
  Failure failure;
  Result result;

  const std::string& row() const {
    return std::visit([](const auto* one) -> const std::string& { return one->row; }, action);
  }
  // The get, if replicas may answer it; else null.
  const Get* timeline() const {
    const auto* get = std::get_if<const Get*>(&action);
    return get != nullptr && (*get)->consistency == Consistency::kTimeline ? *get : nullptr;
  }
};

class MultiCall {
 public:
  // `replica`: of each region.
  MultiCall(Cluster* cluster, Address server, int replica = 0)
      : cluster_(cluster), server_(std::move(server)), replica_(replica) {}

  // Errors: the action cannot be sent (kUnsupported).
  Status Add(const RegionPtr& region, MultiItem* item);

  // Large enough to be sent.
  bool full() const;

  void Send(Deadline deadline);

  // Waits. Marks each item done, or sets its failure; does not change items that are done already.
  void Finish(Deadline deadline);

  // REQUIRES: sent.
  Call* call() const { return call_.get(); }

 private:
  // A RegionAction of the request.
  struct Group {
    RegionPtr region;
    std::vector<MultiItem*> items;
    bool single = false;  // it has the actions of one item
    rpc::Buffer cells;    // servers read cells group by group
    std::string actions;  // encoded: a message for each would cost more than everything else
  };

  // The index of the group of the item.
  int GroupOf(const RegionPtr& region, MultiItem* item, bool single);
  Status AddSingle(const RegionPtr& region, MultiItem* item);
  void TakeGroup(const Group& group, const hbase::pb::RegionActionResult& answer, rpc::CellBlockReader* block,
                 Deadline deadline);
  void TakeOne(const Group& group, const hbase::pb::ResultOrException& one, rpc::CellBlockReader* block,
               Deadline deadline);
  void Fail(const Group& group, Failure failure, Deadline deadline);

  Cluster* cluster_;
  Address server_;
  int replica_;
  std::vector<Group> groups_;
  std::unordered_map<const Region*, int> open_groups_;  // that accept further items
  const Region* last_region_ = nullptr;                 // of open_groups_; consecutive rows mostly have the same region
  int last_group_ = 0;
  hbase::pb::MultiRequest request_;
  hbase::pb::RegionAction encoded_;  // holds the action being encoded
  size_t cells_bytes_ = 0;
  size_t actions_ = 0;
  CallPtr call_;
};

}  // namespace klip::client
