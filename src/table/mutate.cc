// Writes of one row: put, delete, increment, append, and several of them as one step.
#include <utility>

#include "table/embedded_table.h"
#include "table/row_mutations.h"

namespace klip::table {
namespace {

Status AddCells(const WriteStep& step, const Put& put, Result* /*result*/) {
  AddPut(step, put);
  return Status::Ok();
}
Status AddCells(const WriteStep& step, const Delete& del, Result* /*result*/) { return AddDelete(step, del); }
Status AddCells(const WriteStep& step, const Increment& increment, Result* result) {
  return AddIncrement(step, increment, result);
}
Status AddCells(const WriteStep& step, const Append& append, Result* result) { return AddAppend(step, append, result); }

}  // namespace

Expected<InfoPtr> EmbeddedTable::Readable() const {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, slot_->Current());
  KLIP_RETURN_IF_ERROR(info->CheckEnabled());
  return info;
}

Expected<InfoPtr> EmbeddedTable::Writable() const {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, slot_->Current());
  KLIP_RETURN_IF_ERROR(info->CheckWritable());
  return info;
}

engine::RowLocks EmbeddedTable::LockRow(const std::string& row) const {
  const engine::RowName one = {name(), row};
  return store().LockRows({&one, 1});
}

template <typename One>
Status EmbeddedTable::WriteOne(const One& mutation, Result* result, const engine::Nonce& nonce) {
  const auto writing = store().LockForWrite(name());
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Writable());
  KLIP_RETURN_IF_ERROR(CheckMutation(*info, shared_->limits, mutation));
  ScratchWrites writes;
  const engine::RowLocks lock = LockRow(mutation.row);
  const int64_t now_ms = store().NowMs();
  KLIP_RETURN_IF_ERROR(AddCells({store(), *info, shared_->limits, now_ms, now_ms, writes.get()}, mutation, result));
  writes->AddNonce(nonce, now_ms);
  return store().Write(writes.get(), info->Resolve(mutation.durability));
}

Status EmbeddedTable::Put(const klip::Put& put) { return WriteOne(put, nullptr); }
Status EmbeddedTable::Delete(const klip::Delete& del) { return WriteOne(del, nullptr); }

Expected<Result> EmbeddedTable::Increment(const klip::Increment& increment, const engine::Nonce& nonce) {
  Result result;
  KLIP_RETURN_IF_ERROR(WriteOne(increment, &result, nonce));
  return result;
}

Expected<Result> EmbeddedTable::Append(const klip::Append& append, const engine::Nonce& nonce) {
  Result result;
  KLIP_RETURN_IF_ERROR(WriteOne(append, &result, nonce));
  return result;
}

Expected<Result> EmbeddedTable::Mutate(const RowMutations& mutations, const engine::Nonce& nonce) {
  const auto writing = store().LockForWrite(name());
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Writable());
  KLIP_RETURN_IF_ERROR(CheckMutations(*info, shared_->limits, mutations));
  Result result;
  ScratchWrites writes;
  const engine::RowLocks lock = LockRow(mutations.row);
  const int64_t now_ms = store().NowMs();
  KLIP_RETURN_IF_ERROR(
      AddMutations({store(), *info, shared_->limits, now_ms, now_ms, writes.get()}, mutations, &result));
  if (!writes->empty()) {
    writes->AddNonce(nonce, now_ms);
    KLIP_RETURN_IF_ERROR(store().Write(writes.get(), StrongestOf(*info, mutations)));
  }
  return result;
}

}  // namespace klip::table
