// Many actions in one call. Puts and deletes that follow each other are written as one commit.
#include <algorithm>
#include <string>
#include <utility>

#include "table/embedded_table.h"

namespace klip::table {
namespace {

// TUNING: one commit of this size costs little more per row than a larger one, and holds its locks only briefly.
constexpr size_t kGroupRows = 1024;
constexpr size_t kGroupBytes = 1 << 20;

size_t BytesOf(const Put& put) {
  size_t bytes = put.row.size() * put.columns.size();
  for (const Put::Column& column : put.columns) {
    bytes += column.qualifier.size() + column.value.size();
  }
  return bytes;
}

}  // namespace

Status EmbeddedTable::Put(std::span<const klip::Put> puts) {
  while (!puts.empty()) {
    KLIP_RETURN_IF_ERROR(PutGroup(&puts));
  }
  return Status::Ok();
}

// Writes as many puts from the front as make one commit, and takes them off.
Status EmbeddedTable::PutGroup(std::span<const klip::Put>* puts) {
  const auto writing = store().LockForWrite(name());
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Writable());
  const Durability durability = info->Resolve(puts->front().durability);
  std::vector<engine::RowName> rows;
  rows.reserve(std::min(puts->size(), kGroupRows));
  size_t bytes = 0;
  for (const klip::Put& put : *puts) {
    if (rows.size() == kGroupRows || bytes >= kGroupBytes || info->Resolve(put.durability) != durability) {
      break;
    }
    KLIP_RETURN_IF_ERROR(CheckMutation(*info, shared_->limits, put));
    rows.push_back({name(), put.row});
    bytes += BytesOf(put);
  }
  ScratchWrites writes;
  const engine::RowLocks locks = store().LockRows(rows);
  const int64_t now_ms = store().NowMs();
  const WriteStep step = {store(), *info, shared_->limits, now_ms, now_ms, writes.get()};
  for (const klip::Put& put : puts->first(rows.size())) {
    AddPut(step, put);
  }
  KLIP_RETURN_IF_ERROR(store().Write(writes.get(), durability));
  *puts = puts->subspan(rows.size());
  return Status::Ok();
}

namespace {

// An action whose cells do not depend on what is stored.
bool IsPlainWrite(const Action& action) {
  if (const auto* del = std::get_if<Delete>(&action)) {
    return !ReadsRow(*del);
  }
  return std::holds_alternative<Put>(action);
}

size_t BytesOf(const Action& action) {
  const auto* put = std::get_if<Put>(&action);
  return put != nullptr ? BytesOf(*put) : std::get<Delete>(action).row.size();
}

Status CheckPlain(const TableInfo& info, const Limits& limits, const Action& action) {
  const auto* put = std::get_if<Put>(&action);
  return put != nullptr ? CheckMutation(info, limits, *put) : CheckMutation(info, limits, std::get<Delete>(action));
}

Status AddPlain(const WriteStep& step, const Action& action) {
  if (const auto* put = std::get_if<Put>(&action)) {
    AddPut(step, *put);
    return Status::Ok();
  }
  return AddDelete(step, std::get<Delete>(action));
}

struct PlainWrite {
  const std::string& row;
  Durability durability;
};

PlainWrite PlainOf(const Action& action) {
  if (const auto* put = std::get_if<Put>(&action)) {
    return {put->row, put->durability};
  }
  const auto& del = std::get<Delete>(action);
  return {del.row, del.durability};
}

}  // namespace

std::vector<Expected<Result>> EmbeddedTable::Batch(std::span<const Action> actions) {
  std::vector<Expected<Result>> outcomes;
  outcomes.reserve(actions.size());
  while (!actions.empty()) {
    size_t count = 0;
    size_t bytes = 0;
    while (count < actions.size() && count < kGroupRows && bytes < kGroupBytes && IsPlainWrite(actions[count])) {
      bytes += BytesOf(actions[count]);
      ++count;
    }
    if (count > 0) {
      BatchGroup(actions.first(count), &outcomes);
    } else {
      outcomes.push_back(RunAction(actions.front()));
      count = 1;
    }
    actions = actions.subspan(count);
  }
  return outcomes;
}

// One commit of plain writes; those that are refused are left out of it.
void EmbeddedTable::BatchGroup(std::span<const Action> actions, std::vector<Expected<Result>>* outcomes) {
  const auto writing = store().LockForWrite(name());
  const Expected<InfoPtr> writable = Writable();
  std::vector<Status> states;
  states.reserve(actions.size());
  std::vector<engine::RowName> rows;
  Durability durability = Durability::kSkipWal;
  for (const Action& action : actions) {
    states.push_back(writable.ok() ? CheckPlain(**writable, shared_->limits, action) : writable.status());
    if (states.back().ok()) {
      const PlainWrite plain = PlainOf(action);
      rows.push_back({name(), plain.row});
      durability = Stronger(durability, (*writable)->Resolve(plain.durability));
    }
  }
  if (!rows.empty()) {
    ScratchWrites writes;
    const engine::RowLocks locks = store().LockRows(rows);
    const int64_t now_ms = store().NowMs();
    const WriteStep step = {store(), **writable, shared_->limits, now_ms, now_ms, writes.get()};
    Status written;
    for (size_t i = 0; i < actions.size() && written.ok(); ++i) {
      if (states[i].ok()) {
        written = AddPlain(step, actions[i]);
      }
    }
    if (written.ok()) {
      written = store().Write(writes.get(), durability);
    }
    for (Status& state : states) {
      if (state.ok()) {
        state = written;
      }
    }
  }
  for (Status& state : states) {
    if (state.ok()) {
      outcomes->emplace_back(Result());
    } else {
      outcomes->emplace_back(std::move(state));
    }
  }
}

Expected<Result> EmbeddedTable::RunAction(const Action& action) {
  if (const auto* get = std::get_if<klip::Get>(&action)) {
    return Get(*get);
  }
  if (const auto* put = std::get_if<klip::Put>(&action)) {
    KLIP_RETURN_IF_ERROR(Put(*put));
    return Result();
  }
  if (const auto* del = std::get_if<klip::Delete>(&action)) {
    KLIP_RETURN_IF_ERROR(Delete(*del));
    return Result();
  }
  if (const auto* increment = std::get_if<klip::Increment>(&action)) {
    return Increment(*increment);
  }
  if (const auto* append = std::get_if<klip::Append>(&action)) {
    return Append(*append);
  }
  if (const auto* several = std::get_if<RowMutations>(&action)) {
    return Mutate(*several);
  }
  KLIP_ASSIGN_OR_RETURN(CheckAndMutateResult checked, CheckAndMutate(std::get<klip::CheckAndMutate>(action)));
  checked.result.set_exists(checked.success);
  return std::move(checked.result);
}

}  // namespace klip::table
