// Writes of EmbeddedTable and of EmbeddedConnection: what each kind of call puts into a WriteRequest.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "table/embedded_connection.h"
#include "table/embedded_table.h"
#include "table/write/atomic_changes.h"
#include "table/write/write_operation.h"

namespace klip::table {
namespace {

// TUNING: a larger commit costs little less per row, and would hold its locks longer.
constexpr size_t kCommitRows = 1024;
constexpr size_t kCommitBytes = 1 << 20;
constexpr size_t kCommitCells = 4096;

}  // namespace

Expected<bool> EmbeddedTable::Run(WriteRequest request) {
  request.tables = {&slot_, 1};
  return WriteOperation(shared_, request).Run();
}

template <typename One>
Expected<Result> EmbeddedTable::WriteOne(WriteKind kind, const One& mutation) {
  Change change(&mutation);
  Result result;
  KLIP_RETURN_IF_ERROR(Run({.kind = kind, .changes = {&change, 1}, .result = &result}).status());
  return result;
}

Status EmbeddedTable::Put(const klip::Put& put) {
  Change change(&put);
  return Run({.kind = WriteKind::kPut, .changes = {&change, 1}}).status();
}

Status EmbeddedTable::Delete(const klip::Delete& del) {
  Change change(&del);
  return Run({.kind = WriteKind::kDelete, .changes = {&change, 1}}).status();
}

Expected<Result> EmbeddedTable::Increment(const klip::Increment& increment) {
  return WriteOne(WriteKind::kIncrement, increment);
}

Expected<Result> EmbeddedTable::Append(const klip::Append& append) { return WriteOne(WriteKind::kAppend, append); }

Expected<Result> EmbeddedTable::Mutate(const RowMutations& mutations, const Numbered& number) {
  std::vector<Change> changes;
  Result result;
  KLIP_RETURN_IF_ERROR(TakeChanges(mutations, &changes));
  KLIP_RETURN_IF_ERROR(Run({.kind = WriteKind::kRowMutations,
                            .changes = changes,
                            .nonce = number.nonce,
                            .repeated = number.repeated,
                            .result = &result,
                            .written = number.written})
                           .status());
  return result;
}

Expected<CheckAndMutateResult> EmbeddedTable::CheckAndMutate(const klip::CheckAndMutate& check,
                                                             const Numbered& number) {
  std::vector<Change> changes;
  CheckAndMutateResult result;
  KLIP_RETURN_IF_ERROR(TakeChanges(check, &changes));
  const Condition condition = {.row = check.row, .condition = &check.condition};
  KLIP_ASSIGN_OR_RETURN(result.success, Run({.kind = WriteKind::kCheckAndMutate,
                                             .changes = changes,
                                             .conditions = {&condition, 1},
                                             .nonce = number.nonce,
                                             .repeated = number.repeated,
                                             .result = &result.result,
                                             .written = number.written}));
  return result;
}

Status EmbeddedTable::Put(std::span<const klip::Put> puts) {
  while (!puts.empty()) {
    KLIP_RETURN_IF_ERROR(PutGroup(&puts));
  }
  return Status::Ok();
}

// Writes as many of the first puts as fit in one commit, and removes them.
Status EmbeddedTable::PutGroup(std::span<const klip::Put>* puts) {
  std::vector<Change> changes;
  changes.reserve(std::min(puts->size(), kCommitRows));
  for (size_t bytes = 0; changes.size() < std::min(puts->size(), kCommitRows) && bytes < kCommitBytes;) {
    AddChanges((*puts)[changes.size()], &changes);
    bytes += BytesOf(changes.back());
  }
  KLIP_RETURN_IF_ERROR(Run({.kind = WriteKind::kBatch, .changes = changes}).status());
  *puts = puts->subspan(changes.size());
  return Status::Ok();
}

namespace {

// An action of a Batch that is a separate operation.
struct Alone {
  EmbeddedTable* table;

  Expected<Result> operator()(const Get& get) const { return table->Get(get); }
  Expected<Result> operator()(const Increment& increment) const { return table->Increment(increment); }
  Expected<Result> operator()(const Append& append) const { return table->Append(append); }
  Expected<Result> operator()(const RowMutations& mutations) const { return table->Mutate(mutations); }
  Expected<Result> operator()(const CheckAndMutate& check) const {
    KLIP_ASSIGN_OR_RETURN(CheckAndMutateResult checked, table->CheckAndMutate(check));
    checked.result.set_exists(checked.success);
    return std::move(checked.result);
  }
  Expected<Result> operator()(const Put& put) const { return Done(table->Put(put)); }
  Expected<Result> operator()(const Delete& del) const { return Done(table->Delete(del)); }

  static Expected<Result> Done(const Status& status) { return status.ok() ? Expected<Result>(Result()) : status; }
};

// Actions that become one commit, with one fsync: those whose cells do not depend on stored ones.
class CommitGroup {
 public:
  // `steps`: whether RowMutations and CheckAndMutate may be in it. Hooks must see each as an operation of its own.
  CommitGroup(size_t most, bool steps) : steps_(steps) { changes_.reserve(most); }

  std::vector<Change>& changes() { return changes_; }

  // Adds the action; false: it must be in another commit.
  bool Add(const Action& action) {
    const size_t before = changes_.size();
    if (std::visit([this](const auto& one) { return Take(one); }, action)) {
      return true;
    }
    changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(before), changes_.end());
    return false;
  }

 private:
  bool Take(const Put& put) { return TakePlain(put); }
  bool Take(const Delete& del) { return !DeletesNewestVersion(del) && TakePlain(del); }
  bool Take(const RowMutations& mutations) { return TakeStep(mutations, nullptr); }
  bool Take(const CheckAndMutate& check) {
    return std::visit([&](const auto& action) { return action.row == check.row && TakeStep(action, &check.condition); },
                      check.action);
  }
  template <typename Other>
  bool Take(const Other& /*other*/) const {
    return false;
  }

  template <typename One>
  bool TakePlain(const One& mutation) {
    if (has_steps_ && !rows_.insert(mutation.row).second) {
      return false;
    }
    changes_.emplace_back(&mutation);
    return true;
  }

  // All changes of a commit have one time, and see none of its others, so a step's row occurs once in it.
  template <typename Action>
  bool TakeStep(const Action& action, const RowCondition* condition) {
    const size_t before = changes_.size();
    if (!steps_ || !TakeChangesOf(action) || changes_.size() == before) {
      return false;
    }
    for (size_t i = before; i < changes_.size(); ++i) {
      if (ReadsRow(changes_[i])) {
        return false;
      }
      changes_[i].condition = condition;
      changes_[i].joined = i > before;
    }
    if (!has_steps_) {
      has_steps_ = true;
      for (size_t i = 0; i < before; ++i) {
        rows_.insert(changes_[i].row);
      }
    }
    return rows_.insert(changes_[before].row).second;
  }
  bool TakeChangesOf(const RowMutations& mutations) {
    std::vector<Change> changes;
    const bool taken = TakeChanges(mutations, &changes).ok();
    changes_.insert(changes_.end(), changes.begin(), changes.end());
    return taken;
  }
  template <typename One>
  bool TakeChangesOf(const One& mutation) {
    AddChanges(mutation, &changes_);
    return true;
  }

  const bool steps_;
  bool has_steps_ = false;
  std::unordered_set<std::string_view> rows_;  // once there is a step
  std::vector<Change> changes_;
};

Expected<Result> OutcomeOf(const Change& change, const Status& written) {
  const Status& status = change.status.ok() ? written : change.status;
  if (!status.ok()) {
    return status;
  }
  Result result;
  if (change.condition != nullptr) {
    result.set_exists(!change.left_out);
  }
  return result;
}

}  // namespace

std::vector<Expected<Result>> EmbeddedTable::Batch(std::span<const Action> actions) {
  std::vector<Expected<Result>> outcomes;
  outcomes.reserve(actions.size());
  while (!actions.empty()) {
    size_t count = BatchGroup(actions, &outcomes);
    if (count == 0) {
      outcomes.push_back(std::visit(Alone{this}, actions.front()));
      count = 1;
    }
    actions = actions.subspan(count);
  }
  return outcomes;
}

// The first actions that can be one commit, without rejected ones. Returns how many were taken.
size_t EmbeddedTable::BatchGroup(std::span<const Action> actions, std::vector<Expected<Result>>* outcomes) {
  const size_t most = std::min(actions.size(), kCommitRows);
  const Expected<InfoPtr> info = slot_->Current();
  CommitGroup group(most, info.ok() && (*info)->hooks == nullptr);
  std::vector<Change>& changes = group.changes();
  size_t taken = 0;
  size_t counted = 0;
  for (size_t bytes = 0; taken < most && bytes < kCommitBytes && group.Add(actions[taken]); ++taken) {
    for (; counted < changes.size(); ++counted) {
      bytes += BytesOf(changes[counted]);
    }
  }
  if (taken == 0) {
    return 0;
  }
  const Status written = Run({.kind = WriteKind::kBatch, .changes = changes, .each_by_itself = true}).status();
  for (const Change& change : changes) {
    if (!change.joined) {
      outcomes->push_back(OutcomeOf(change, written));
    }
  }
  return taken;
}

Status EmbeddedTable::Replicate(std::span<const Cell> cells, const engine::ClusterIds& clusters) {
  while (!cells.empty()) {
    const std::span<const Cell> commit = cells.first(std::min(cells.size(), kCommitCells));
    std::vector<Change> changes;
    for (size_t begin = 0, end = 0; begin < commit.size(); begin = end) {
      const auto of_row = [&](const Cell& cell) { return cell.row == commit[begin].row; };
      end = static_cast<size_t>(std::ranges::find_if_not(commit.subspan(begin), of_row) - commit.begin());
      changes.emplace_back(commit.subspan(begin, end - begin));
    }
    KLIP_RETURN_IF_ERROR(Run({.kind = WriteKind::kReplicated, .changes = changes, .clusters = &clusters}).status());
    cells = cells.subspan(commit.size());
  }
  return Status::Ok();
}

Expected<bool> EmbeddedConnection::Apply(const AtomicBatch& batch) { return Apply(batch, {}); }

Expected<bool> EmbeddedConnection::Apply(const AtomicBatch& batch, const Numbered& number) {
  KLIP_ASSIGN_OR_RETURN(AtomicChanges all, ChangesOf(&shared_, batch));
  WriteRequest request = {.kind = WriteKind::kAtomicBatch,
                          .tables = all.tables,
                          .changes = all.changes,
                          .conditions = all.conditions,
                          .nonce = number.nonce,
                          .repeated = number.repeated,
                          .written = number.written};
  if (batch.durability != Durability::kUseDefault) {
    request.durability = batch.durability;
  }
  return WriteOperation(&shared_, request).Run();
}

}  // namespace klip::table
