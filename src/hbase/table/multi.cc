#include "hbase/table/multi.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "hbase/table/remote_table.h"
#include "klip/bytes.h"
#include "model/checks.h"

namespace klip::client {
namespace {

constexpr size_t kMaxInFlight = 8;  // TUNING: unanswered calls of one RunMulti, of up to 2 MB each

// Sends items: one call per server at a time, when it is full.
class Round {
 public:
  Round(Cluster* cluster, Deadline deadline) : cluster_(cluster), deadline_(deadline) {}

  void Add(const RegionPtr& region, MultiItem* item) {
    if (region != last_region_) {
      last_region_ = region;
      last_call_ = &filling_[region->server];
    }
    std::unique_ptr<MultiCall>& call = *last_call_;
    if (call == nullptr) {
      call = std::make_unique<MultiCall>(cluster_, region->server);
    }
    if (const Status added = call->Add(region, item); !added.ok()) {
      item->failure = {added};
      return;
    }
    if (call->full()) {
      Send(std::move(call));
      call = nullptr;
    }
  }

  void Finish() {
    for (auto& [server, call] : filling_) {
      if (call != nullptr) {
        Send(std::move(call));
      }
    }
    filling_.clear();
    last_region_ = nullptr;
    while (!sent_.empty()) {
      FinishOldest();
    }
  }

 private:
  void Send(std::unique_ptr<MultiCall> call) {
    if (sent_.size() >= kMaxInFlight) {
      FinishOldest();
    }
    call->Send(deadline_);
    sent_.push_back(std::move(call));
  }
  void FinishOldest() {
    sent_.front()->Finish(deadline_);
    sent_.pop_front();
  }

  Cluster* cluster_;
  Deadline deadline_;
  std::map<Address, std::unique_ptr<MultiCall>> filling_;
  RegionPtr last_region_;
  std::unique_ptr<MultiCall>* last_call_ = nullptr;  // in filling_, of its server
  std::deque<std::unique_ptr<MultiCall>> sent_;
};

Status CheckCondition(const CheckAndMutate& check) {
  if (check.condition.filter == nullptr && check.condition.family.empty()) {
    return {Code::kInvalidArgument,
            "condition is null. You need to specify the condition by calling ifNotExists/ifEquals/ifMatches before "
            "building a CheckAndMutate object"};
  }
  const std::string& row = std::visit([](const auto& one) -> const std::string& { return one.row; }, check.action);
  if (row != check.row) {
    return {Code::kInvalidArgument, "The row of the action <" + ToStringBinary(row) +
                                        "> doesn't match the original one <" + ToStringBinary(check.row) + ">"};
  }
  return std::visit([](const auto& mutation) { return model::CheckForm(mutation); }, check.action);
}

Status CheckAction(const ActionRef& action) {
  return std::visit(
      [](const auto* one) {
        if constexpr (requires { model::CheckForm(*one); }) {
          return model::CheckForm(*one);
        } else if constexpr (requires { one->condition; }) {
          return CheckCondition(*one);
        } else {
          return model::CheckGet(*one);
        }
      },
      action);
}

// As many as the action may need: one for each of its increments and appends.
uint64_t NewNonces(Cluster* cluster, const ActionRef& action) {
  if (std::holds_alternative<const Put*>(action) || std::holds_alternative<const Get*>(action)) {
    return 0;
  }
  const RowMutations* several = nullptr;
  if (const auto* mutations = std::get_if<const RowMutations*>(&action); mutations != nullptr) {
    several = *mutations;
  } else if (const auto* check = std::get_if<const CheckAndMutate*>(&action); check != nullptr) {
    several = std::get_if<RowMutations>(&(*check)->action);
  }
  return cluster->NewNonces(several == nullptr ? 1 : std::max<size_t>(several->mutations.size(), 1));
}

bool WantsRetryNow(const MultiItem* item) { return item->failure.recovery == Recovery::kRetryNow; }

}  // namespace

void RunMulti(Cluster* cluster, const std::string& table, std::span<MultiItem> items) {
  const Deadline deadline = cluster->OperationDeadline();
  std::vector<MultiItem*> open;
  open.reserve(items.size());
  for (MultiItem& item : items) {
    if (Status checked = CheckAction(item.action); !checked.ok()) {
      item.failure = {std::move(checked)};
      continue;
    }
    item.first_nonce = NewNonces(cluster, item.action);
    open.push_back(&item);
  }
  for (int tries = 1; !open.empty();) {
    Round round(cluster, deadline);
    RegionPtr region;
    std::vector<MultiItem*> timeline;
    for (MultiItem* item : open) {
      if (!item->failure.ok()) {
        item->failure = {};
      }
      if (item->timeline() != nullptr) {
        timeline.push_back(item);
        continue;
      }
      if (region == nullptr || !region->Contains(item->row())) {
        item->failure = {cluster->Locate(table, item->row(), Where::kHolds, deadline, &region)};
      }
      if (item->failure.ok()) {
        round.Add(region, item);
      } else {
        region = nullptr;
      }
    }
    round.Finish();
    ReadReplicas(cluster, table, timeline, deadline);
    const size_t asked = open.size();
    std::erase_if(open, [](const MultiItem* item) { return item->done || item->failure.recovery == Recovery::kNone; });
    if (open.size() < asked && std::ranges::all_of(open, WantsRetryNow)) {
      continue;  // each such round does a part, so it ends
    }
    if (!open.empty() && !cluster->BackOff(tries++, deadline)) {
      if (const Status cancelled = CancelToken::Current().status(); !cancelled.ok()) {
        std::ranges::for_each(open, [&](MultiItem* item) { item->failure = {cancelled}; });
      }
      return;
    }
  }
}

Expected<Result> RunOne(Cluster* cluster, const std::string& table, const ActionRef& action) {
  MultiItem item = {.action = action};
  RunMulti(cluster, table, {&item, 1});
  return item.done ? Expected<Result>(std::move(item.result)) : item.failure.status;
}

// If an entry cannot be written, no action of the batch is sent.
void RemoteTable::RunIndexed(std::span<MultiItem> items) {
  if (const Status ahead = indexes_->WriteAhead(name_, items); !ahead.ok()) {
    std::ranges::for_each(items, [&](MultiItem& item) { item.failure = {ahead}; });
    return;
  }
  RunMulti(cluster_, name_, items);
}

std::vector<Expected<Result>> RemoteTable::Batch(std::span<const Action> actions) {
  std::vector<MultiItem> items(actions.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    items[i].action = std::visit([](const auto& one) { return ActionRef(&one); }, actions[i]);
  }
  RunIndexed(items);
  std::vector<Expected<Result>> outcomes;
  outcomes.reserve(items.size());
  for (MultiItem& item : items) {
    outcomes.push_back(item.done ? Expected<Result>(std::move(item.result)) : Expected<Result>(item.failure.status));
  }
  return outcomes;
}

Expected<std::vector<Result>> RemoteTable::Get(std::span<const klip::Get> gets) {
  return RunAll(cluster_, name_, gets);
}

Status RemoteTable::Put(std::span<const klip::Put> puts) {
  std::vector<MultiItem> items(puts.size());
  for (size_t i = 0; i < puts.size(); ++i) {
    items[i].action = &puts[i];
  }
  RunIndexed(items);
  for (const MultiItem& item : items) {
    if (!item.done) {
      return item.failure.status;
    }
  }
  return Status::Ok();
}

Expected<Result> RemoteTable::Mutate(const RowMutations& mutations) {
  MultiItem item = {.action = &mutations};
  RunIndexed({&item, 1});
  if (!item.done) {
    return item.failure.status;
  }
  item.result.set_exists(false);
  return std::move(item.result);
}

Expected<CheckAndMutateResult> RemoteTable::CheckAndMutate(const klip::CheckAndMutate& check) {
  MultiItem item = {.action = &check};
  RunIndexed({&item, 1});
  if (!item.done) {
    return item.failure.status;
  }
  CheckAndMutateResult outcome;
  outcome.success = item.result.exists();
  item.result.set_exists(false);
  outcome.result = std::move(item.result);
  return outcome;
}

}  // namespace klip::client
