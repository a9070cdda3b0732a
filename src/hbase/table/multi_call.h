// MultiCall: actions of one server as one Multi, and its answer taken apart.
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

// One action, and what became of it.
struct MultiItem {
  ActionRef action;
  uint64_t first_nonce = 0;  // the same at every try; mutations that need one take this and those behind it
  bool done = false;
  Failure failure;
  Result result;

  const std::string& row() const {
    return std::visit([](const auto* one) -> const std::string& { return one->row; }, action);
  }
  // The get, if it is one that replicas may answer; else null.
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

  // Waits. Marks each item done, or sets its failure; items that are done already stay as they are.
  void Finish(Deadline deadline);

  // REQUIRES: sent.
  Call* call() const { return call_.get(); }

 private:
  // A RegionAction of the request.
  struct Group {
    RegionPtr region;
    std::vector<MultiItem*> items;
    bool single = false;  // its actions are those of one item
    rpc::Buffer cells;    // servers take cells group by group
    std::string actions;  // as they are sent: a message for each would cost more than all the rest
  };

  // The index of the group that the item was added to.
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
  std::unordered_map<const Region*, int> open_groups_;  // that take further items
  const Region* last_region_ = nullptr;                 // of open_groups_, since rows of one region follow each other
  int last_group_ = 0;
  hbase::pb::MultiRequest request_;
  hbase::pb::RegionAction encoded_;  // with the action that is encoded
  size_t cells_bytes_ = 0;
  size_t actions_ = 0;
  CallPtr call_;
};

}  // namespace klip::client
