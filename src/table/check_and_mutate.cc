// CheckAndMutate: a condition and a change of one row under one lock.
#include <algorithm>
#include <string>
#include <utility>

#include "klip/bytes.h"
#include "table/embedded_table.h"
#include "table/row_condition.h"
#include "table/row_mutations.h"

namespace klip::table {
namespace {

using CheckedAction = decltype(klip::CheckAndMutate::action);

const std::string& RowOfAction(const CheckedAction& action) {
  return std::visit([](const auto& one) -> const std::string& { return one.row; }, action);
}

Status CheckAction(const TableInfo& info, const Limits& limits, const CheckedAction& action) {
  if (const auto* several = std::get_if<RowMutations>(&action)) {
    return CheckMutations(info, limits, *several);
  }
  return std::visit(
      [&](const auto& one) -> Status {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, RowMutations>) {
          return Status::Ok();
        } else {
          return CheckMutation(info, limits, one);
        }
      },
      action);
}

Status AddAction(const WriteStep& step, const CheckedAction& action, Result* result) {
  if (const auto* put = std::get_if<Put>(&action)) {
    AddPut(step, *put);
    return Status::Ok();
  }
  if (const auto* del = std::get_if<Delete>(&action)) {
    return AddDelete(step, *del);
  }
  if (const auto* increment = std::get_if<Increment>(&action)) {
    return AddIncrement(step, *increment, result);
  }
  if (const auto* append = std::get_if<Append>(&action)) {
    return AddAppend(step, *append, result);
  }
  return AddMutations(step, std::get<RowMutations>(action), result);
}

Durability DurabilityOfAction(const TableInfo& info, const CheckedAction& action) {
  return std::visit(
      [&](const auto& one) {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, RowMutations>) {
          return StrongestOf(info, one);
        } else {
          return info.Resolve(one.durability);
        }
      },
      action);
}

}  // namespace

Expected<CheckAndMutateResult> EmbeddedTable::CheckAndMutate(const klip::CheckAndMutate& check,
                                                             const engine::Nonce& nonce) {
  const auto writing = store().LockForWrite(name());
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Writable());
  KLIP_RETURN_IF_ERROR(CheckCondition(*info, check.row, check.condition));
  if (const std::string& row = RowOfAction(check.action); row != check.row) {
    return Status(Code::kInvalidArgument, "The row of the action <" + ToStringBinary(row) +
                                              "> doesn't match the original one <" + ToStringBinary(check.row) + ">");
  }
  KLIP_RETURN_IF_ERROR(CheckAction(*info, shared_->limits, check.action));
  const engine::RowLocks lock = LockRow(check.row);
  KLIP_ASSIGN_OR_RETURN(const ConditionOutcome outcome,
                        Evaluate(store(), *info, shared_->limits, check.row, check.condition));
  CheckAndMutateResult result;
  if (!outcome.holds) {
    return result;
  }
  result.success = true;
  ScratchWrites writes;
  const int64_t now_ms = store().NowMs();
  // A put must not be hidden by the cell that was just seen.
  const WriteStep step = {store(), *info, shared_->limits, now_ms, std::max(now_ms, outcome.cell_ms), writes.get()};
  KLIP_RETURN_IF_ERROR(AddAction(step, check.action, &result.result));
  if (!writes->empty()) {
    writes->AddNonce(nonce, now_ms);
    KLIP_RETURN_IF_ERROR(store().Write(writes.get(), DurabilityOfAction(*info, check.action)));
  }
  return result;
}

}  // namespace klip::table
