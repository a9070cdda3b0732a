#include "hbase/table/multi_call.h"

#include <algorithm>
#include <utility>

#include <google/protobuf/arena.h>

#include "messages/decode.h"
#include "messages/encode.h"

namespace klip::client {
namespace {

constexpr size_t kMaxCallBytes = 2 << 20;   // hbase.client.write.buffer
constexpr size_t kMaxCallActions = 10'000;  // TUNING: gets and deletes add few bytes

// Fills the message of one mutation; consumes *nonce if it needs one.
template <typename One>
void Fill(const One& mutation, uint64_t* nonce, rpc::Buffer* cells, hbase::pb::Action* message) {
  const uint64_t own = messages::NeedsNonce(mutation) ? (*nonce)++ : 0;
  messages::FillMutation(mutation, {.nonce = own, .cells = cells}, message->mutable_mutation());
}

void FillAll(const RowMutations& mutations, uint64_t nonce, rpc::Buffer* cells, hbase::pb::RegionAction* group) {
  uint32_t index = 0;
  for (const Mutation& mutation : mutations.mutations) {
    hbase::pb::Action* action = group->add_action();
    action->set_index(index++);
    std::visit([&](const auto& one) { Fill(one, &nonce, cells, action); }, mutation);
  }
  group->set_atomic(true);
}

}  // namespace

bool MultiCall::full() const { return cells_bytes_ >= kMaxCallBytes || actions_ >= kMaxCallActions; }

int MultiCall::GroupOf(const RegionPtr& region, MultiItem* item, bool single) {
  ++actions_;
  const int next = static_cast<int>(groups_.size());
  if (!single) {
    if (region.get() != last_region_) {
      last_region_ = region.get();
      last_group_ = open_groups_.try_emplace(region.get(), next).first->second;
    }
    if (last_group_ < next) {
      groups_[static_cast<size_t>(last_group_)].items.push_back(item);
      return last_group_;
    }
  }
  groups_.push_back({region, {item}, single, {}});
  FillRegion(*region, request_.add_regionaction()->mutable_region(), replica_);
  return next;
}

Status MultiCall::Add(const RegionPtr& region, MultiItem* item) {
  if (std::holds_alternative<const RowMutations*>(item->action) ||
      std::holds_alternative<const CheckAndMutate*>(item->action)) {
    return AddSingle(region, item);
  }
  encoded_.Clear();
  hbase::pb::Action* action = encoded_.add_action();
  const auto* get = std::get_if<const Get*>(&item->action);
  if (get != nullptr) {
    KLIP_RETURN_IF_ERROR(messages::FillGet(**get, action->mutable_get()));
  }
  Group& group = groups_[static_cast<size_t>(GroupOf(region, item, /*single=*/false))];
  action->set_index(static_cast<uint32_t>(group.items.size() - 1));
  if (get == nullptr) {
    cells_bytes_ -= group.cells.size();
    uint64_t nonce = item->first_nonce;
    std::visit(
        [&](const auto* one) {
          if constexpr (requires { messages::NeedsNonce(*one); }) {
            Fill(*one, &nonce, &group.cells, action);
          }
        },
        item->action);
    cells_bytes_ += group.cells.size();
    if (group.items.size() == 1) {
      action->mutable_mutation()->set_row(item->row());  // logged by the server for a slow call
    }
  }
  encoded_.AppendPartialToString(&group.actions);  // the request names its region
  return Status::Ok();
}

Status MultiCall::AddSingle(const RegionPtr& region, MultiItem* item) {
  const auto* check = std::get_if<const CheckAndMutate*>(&item->action);
  hbase::pb::Condition condition;
  if (check != nullptr) {
    KLIP_RETURN_IF_ERROR(messages::FillCondition((*check)->row, (*check)->condition, &condition));
  }
  const int index = GroupOf(region, item, /*single=*/true);
  hbase::pb::RegionAction* group = request_.mutable_regionaction(index);
  rpc::Buffer* cells = &groups_[static_cast<size_t>(index)].cells;
  uint64_t nonce = item->first_nonce;
  if (check == nullptr) {
    FillAll(*std::get<const RowMutations*>(item->action), nonce, cells, group);
  } else {
    *group->mutable_condition() = std::move(condition);
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { messages::NeedsNonce(one); }) {
            hbase::pb::Action* action = group->add_action();
            action->set_index(0);
            Fill(one, &nonce, cells, action);
          } else {
            FillAll(one, nonce, cells, group);
          }
        },
        (*check)->action);
  }
  cells_bytes_ += cells->size();
  return Status::Ok();
}

void MultiCall::Send(Deadline deadline) {
  request_.set_noncegroup(cluster_->nonce_group());
  // The actions are encoded already: as fields unknown to the message, they are copied into the request unchanged.
  for (size_t i = 0; i < groups_.size(); ++i) {
    request_.mutable_regionaction(static_cast<int>(i))->mutable_unknown_fields()->swap(groups_[i].actions);
  }
  rpc::Buffer cells;
  if (groups_.size() == 1) {
    cells = std::move(groups_[0].cells);
  } else {
    cells.Reserve(cells_bytes_);
    for (const Group& group : groups_) {
      cells.Append(group.cells.view());
    }
  }
  call_ = cluster_->channels()
              .Get(server_, "ClientService")
              ->Start({.method = "Multi",
                       .request = &request_,
                       .cells = cells.view(),
                       .deadline = cluster_->CallDeadline(deadline)});
}

void MultiCall::Fail(const Group& group, Failure failure, Deadline deadline) {
  failure = cluster_->Learned(group.region, std::move(failure), deadline, replica_);
  for (MultiItem* item : group.items) {
    if (!item->done) {
      item->failure = failure;
    }
  }
}

void MultiCall::Finish(Deadline deadline) {
  const Reply reply = call_->Wait();
  google::protobuf::Arena arena;  // for two messages per action
  auto& response = *google::protobuf::Arena::CreateMessage<hbase::pb::MultiResponse>(&arena);
  Failure failure = reply.failure;
  if (failure.ok()) {
    failure = {reply.Parse(&response)};
  }
  if (failure.ok() && static_cast<size_t>(response.regionactionresult_size()) != groups_.size()) {
    failure = {Status(Code::kIoError, server_.ToString() + ": results of " +
                                          std::to_string(response.regionactionresult_size()) + " region actions, not " +
                                          std::to_string(groups_.size()))};
  }
  rpc::CellBlockReader block(reply.cells, rpc::CellCodec::kKeyValue);
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (failure.ok()) {
      TakeGroup(groups_[i], response.regionactionresult(static_cast<int>(i)), &block, deadline);
    } else {
      Fail(groups_[i], failure, deadline);
    }
  }
}

void MultiCall::TakeGroup(const Group& group, const hbase::pb::RegionActionResult& answer, rpc::CellBlockReader* block,
                          Deadline deadline) {
  if (answer.has_exception()) {
    Fail(group, FailureOf(answer.exception()), deadline);
    return;
  }
  if (group.single) {
    MultiItem& item = *group.items[0];
    item.result.Clear();
    item.failure = {};
    item.done = true;
    item.result.set_exists(answer.processed());
  }
  for (const hbase::pb::ResultOrException& one : answer.resultorexception()) {
    TakeOne(group, one, block, deadline);
  }
  for (MultiItem* item : group.items) {
    if (!item->done && item->failure.ok()) {
      item->failure = {
          Status(Code::kIoError, server_.ToString() + ": an action was not answered"), Recovery::kRetry, {}};
    }
  }
}

void MultiCall::TakeOne(const Group& group, const hbase::pb::ResultOrException& one, rpc::CellBlockReader* block,
                        Deadline deadline) {
  if (!group.single && one.index() >= group.items.size()) {
    return;
  }
  MultiItem& item = *group.items[group.single ? 0 : one.index()];
  if (!group.single && item.done) {  // another replica was faster
    Result late;
    (void)messages::TakeResult(one.result(), block, &late);
    return;
  }
  if (one.has_exception()) {
    item.done = false;
    item.failure = cluster_->Learned(group.region, FailureOf(one.exception()), deadline, replica_);
    return;
  }
  if (!group.single) {
    if (!item.failure.ok()) {
      item.failure = {};
    }
    item.result.Clear();
    item.done = true;
  }
  const bool exists = item.result.exists();
  if (const Status taken = messages::TakeResult(one.result(), block, &item.result); !taken.ok()) {
    item.done = false;
    item.failure = {taken};
  }
  if (group.single) {
    item.result.set_exists(exists);
  }
}

}  // namespace klip::client
