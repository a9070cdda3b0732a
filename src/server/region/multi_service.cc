// ClientService.Multi: many actions on rows of several regions in one call. Each region, and within it each action,
// succeeds or fails separately, except in groups that are atomic or conditional.
#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "klip/bytes.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"
#include "server/node/services.h"
#include "server/region/endpoints.h"
#include "server/region/row_calls.h"

// The messages mark fields that only old clients use as deprecated.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace klip::server {
namespace {

using hbase::pb::MultiRequest;
using hbase::pb::MultiResponse;
using hbase::pb::RegionAction;
using hbase::pb::RegionActionResult;
using hbase::pb::ResultOrException;

constexpr size_t kMaxResponseBytes = 100 << 20;  // hbase.server.scanner.max.result.size

void FillException(const rpc::Error& error, hbase::pb::NameBytesPair* message) {
  message->set_name(error.java_class());
  message->set_value(error.StackTrace());
}

// The actions of one region.
class RegionCall {
 public:
  RegionCall(Node* node, uint64_t nonce_group, Call* call, RegionActionResult* out)
      : node_(node), nonce_group_(nonce_group), call_(call), out_(out) {}

  void Run(const RegionAction& region_action) {
    of_meta_ = IsMetaRegion(region_action.region().value()) && Reads(region_action);
    rpc::Error error = of_meta_ ? rpc::Error() : node_->regions.Find(region_action.region(), &region_);
    if (error.ok()) {
      if (region_action.has_condition() && !of_meta_) {
        error = RunConditional(region_action, region_action.condition());
      } else if (region_action.atomic() && !of_meta_) {
        error = RunAtomic(region_action);
      } else {
        error = RunEach(region_action);
      }
    } else {
      SkipCells(region_action);
    }
    if (!error.ok()) {
      out_->Clear();
      FillException(error, out_->mutable_exception());
    }
  }

  // All or nothing, if the condition holds.
  rpc::Error RunConditional(const RegionAction& region_action, const hbase::pb::Condition& condition) {
    RowMutations mutations;
    KLIP_RPC_RETURN_IF_ERROR(TakeMutations(region_action, &mutations));
    KLIP_RPC_RETURN_IF_ERROR(CheckRowToWrite(condition.row(), *region_.region));
    mutations.row = condition.row();
    CheckAndMutateResult checked;
    KLIP_RPC_RETURN_IF_ERROR(CheckAndMutateRow(node_, *region_.table, condition, std::move(mutations),
                                               NonceOfGroup(region_action), &checked));
    // As in HBase: clients before 2.4 interpret an empty result, not `processed`.
    AddGroupResult(region_action, checked.success, checked.result, /*empty_ones=*/false);
    return {};
  }

  const RegionRef& region() const { return region_; }
  rpc::Error FindRegion(const RegionAction& region_action) {
    return node_->regions.Find(region_action.region(), &region_);
  }

 private:
  static bool Reads(const RegionAction& region_action) {
    return std::ranges::none_of(region_action.action(),
                                [](const hbase::pb::Action& action) { return action.has_mutation(); });
  }

  rpc::Error RunAtomic(const RegionAction& region_action) {
    RowMutations mutations;
    KLIP_RPC_RETURN_IF_ERROR(TakeMutations(region_action, &mutations));
    if (mutations.mutations.empty()) {
      out_->set_processed(true);
      return {};
    }
    mutations.row = messages::RowOf(mutations.mutations.front());
    KLIP_RPC_RETURN_IF_ERROR(CheckRowToWrite(mutations.row, *region_.region));
    Result result;
    KLIP_RPC_RETURN_IF_ERROR(MutateRow(node_, *region_.table, mutations, NonceOfGroup(region_action), &result));
    AddGroupResult(region_action, /*processed=*/true, result, /*empty_ones=*/true);
    return {};
  }

  // True: HBase's clients request the rest again.
  bool AnswerIsFull() {
    const size_t bytes = call_->out_cells.size() + call_->inline_bytes;
    return bytes > kMaxResponseBytes || !call_->answer.HoldInSteps(bytes);
  }

  void Refuse(const hbase::pb::Action& action, uint32_t index) {
    SkipCells(action);
    Add(index,
        rpc::Error::Hbase(
            "MultiActionResultTooLarge",
            "Max size exceeded CellSize: " + std::to_string(call_->out_cells.size() + call_->inline_bytes), false));
  }

  // An answer for each action; the cells of all of them are in the first. `empty_ones`: the others have a result without
  // cells.
  void AddGroupResult(const RegionAction& region_action, bool processed, const Result& result, bool empty_ones) {
    out_->set_processed(processed);
    for (int i = 0; i < region_action.action_size(); ++i) {
      ResultOrException* one = Add(static_cast<uint32_t>(i), {});
      if (i == 0 && !result.empty()) {
        messages::FillResult(result, Call::Inline(), one->mutable_result());
      } else if (empty_ones) {
        one->mutable_result();
      }
    }
  }

  rpc::Error TakeMutations(const RegionAction& region_action, RowMutations* mutations) {
    Status status;
    for (const hbase::pb::Action& action : region_action.action()) {
      if (!action.has_mutation()) {
        status = status.ok() ? Status(Code::kDoNotRetry, "Atomic put and/or delete only, not get") : status;
        continue;  // the cells of the others were taken
      }
      const Status added = messages::AddMutations(action.mutation(), &call_->cells, &mutations->mutations);
      status = status.ok() ? added : status;
    }
    return status;
  }

  // As in HBase, the nonce of the last increment or append.
  engine::Nonce NonceOfGroup(const RegionAction& region_action) const {
    engine::Nonce last;
    for (const hbase::pb::Action& action : region_action.action()) {
      if (const engine::Nonce one = NonceOf(nonce_group_, action.mutation()); one.number != 0) {
        last = one;
      }
    }
    return last;
  }

  // The cells of skipped actions must not be taken for those of others.
  void SkipCells(const RegionAction& region_action) {
    for (const hbase::pb::Action& action : region_action.action()) {
      SkipCells(action);
    }
  }
  void SkipCells(const hbase::pb::Action& action) {
    (void)call_->cells.Pass(static_cast<size_t>(std::max(0, action.mutation().associated_cell_count())));
  }

  rpc::Error RunEach(const RegionAction& region_action) {
    for (int i = 0; i < region_action.action_size(); ++i) {
      const hbase::pb::Action& action = region_action.action(i);
      const uint32_t index = action.has_index() ? action.index() : static_cast<uint32_t>(i);
      if (AnswerIsFull()) {
        Refuse(action, index);
      } else if (action.has_mutation()) {
        RunMutation(action.mutation(), index);
      } else if (action.has_get()) {
        WritePlain();
        RunGet(action.get(), index);
      } else if (action.has_service_call()) {
        WritePlain();
        RunServiceCall(action.service_call(), index);
      } else {
        Add(index, Status(Code::kDoNotRetry, "an action of a Multi contains no Get, Mutation or service call"));
      }
    }
    WritePlain();
    return {};
  }

  ResultOrException* Add(uint32_t index, const rpc::Error& error) {
    ResultOrException* one = out_->add_resultorexception();
    one->set_index(index);
    if (!error.ok()) {
      FillException(error, one->mutable_exception());
      call_->inline_bytes += one->ByteSizeLong();
    }
    return one;
  }

  void RunGet(const hbase::pb::Get& get, uint32_t index) {
    ResultOrException* one = Add(index, {});
    hbase::pb::Result* result = one->mutable_result();
    if (const rpc::Error error = of_meta_ ? AnswerMetaGet(node_, get, call_->Block(), result)
                                          : AnswerGet(region_, get, call_->Block(), result);
        !error.ok()) {
      one->clear_result();
      FillException(error, one->mutable_exception());
    }
    call_->inline_bytes += one->ByteSizeLong();
  }

  void RunServiceCall(const hbase::pb::CoprocessorServiceCall& service_call, uint32_t index) {
    ResultOrException* one = Add(index, {});
    hbase::pb::NameBytesPair* answer = one->mutable_service_result()->mutable_value();
    if (const rpc::Error error = of_meta_ ? CallMetaEndpoint(node_, service_call, *call_, answer)
                                          : CallEndpoint(node_, region_, service_call, *call_, answer);
        !error.ok()) {
      one->clear_service_result();
      FillException(error, one->mutable_exception());
    }
    call_->inline_bytes += one->ByteSizeLong();
  }

  void RunMutation(const hbase::pb::MutationProto& message, uint32_t index) {
    one_.mutations.clear();
    if (const Status added = messages::AddMutations(message, &call_->cells, &one_.mutations); !added.ok()) {
      Add(index, added);
      return;
    }
    one_.row = messages::RowOf(one_.mutations.front());
    if (const rpc::Error error = CheckRowToWrite(one_.row, *region_.region); !error.ok()) {
      Add(index, error);
      return;
    }
    if (one_.mutations.size() == 1 && !messages::Counts(message)) {
      indexes_.push_back(index);
      std::visit([this](auto&& one) { plain_.emplace_back(std::forward<decltype(one)>(one)); },
                 std::move(one_.mutations.front()));
      return;
    }
    WritePlain();
    Result result;
    const rpc::Error error = MutateRow(node_, *region_.table, one_, NonceOf(nonce_group_, message), &result);
    ResultOrException* one = Add(index, error);
    if (error.ok()) {
      messages::FillResult(result, call_->Block(), one->mutable_result());
      call_->inline_bytes += one->ByteSizeLong();
    }
  }

  // Consecutive puts and deletes are written together.
  void WritePlain() {
    if (plain_.empty()) {
      return;
    }
    const std::vector<Expected<Result>> outcomes = region_.table->Batch(plain_);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      ResultOrException* one = Add(indexes_[i], outcomes[i].status());
      if (outcomes[i].ok()) {
        one->mutable_result();
      }
    }
    plain_.clear();
    indexes_.clear();
  }

  Node* const node_;
  const uint64_t nonce_group_;
  Call* const call_;
  RegionActionResult* const out_;
  bool of_meta_ = false;  // hbase:meta, which has no RegionRef
  RegionRef region_;
  RowMutations one_;               // of the current action; kept for its buffers
  std::vector<Action> plain_;      // not written yet
  std::vector<uint32_t> indexes_;  // of those
};

rpc::Error Multi(Node* node, const MultiRequest& request, MultiResponse* response, Call* call) {
  if (request.has_condition()) {
    // Clients before 2.4: one group with a separate condition, and a separate answer.
    if (request.regionaction_size() != 1) {
      return Status(Code::kDoNotRetry,
                    "a condition beside " + std::to_string(request.regionaction_size()) + " groups of actions");
    }
    RegionActionResult result;
    RegionCall region(node, request.noncegroup(), call, &result);
    KLIP_RPC_RETURN_IF_ERROR(region.FindRegion(request.regionaction(0)));
    KLIP_RPC_RETURN_IF_ERROR(region.RunConditional(request.regionaction(0), request.condition()));
    response->set_processed(result.processed());
    *response->add_regionactionresult() = std::move(result);
    return {};
  }
  for (const RegionAction& region_action : request.regionaction()) {
    RegionActionResult* result = response->add_regionactionresult();
    RegionCall(node, request.noncegroup(), call, result).Run(region_action);
    if (result->has_processed()) {
      response->set_processed(result->processed());
    }
  }
  return {};
}

}  // namespace

void AddMultiMethod(Node* node, MethodTable* methods) {
  methods->Add<MultiRequest, MultiResponse>("Multi",
                                            [node](const MultiRequest& request, MultiResponse* response, Call* call) {
                                              return Multi(node, request, response, call);
                                            });
}

}  // namespace klip::server
