// Connection::Apply: conditions and changes of many rows and tables as one step.
#include <algorithm>
#include <map>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "table/embedded_connection.h"
#include "table/row_condition.h"
#include "table/write_step.h"

namespace klip::table {
namespace {

// The tables of a batch, locked against being altered: by name in the catalog, which is the order of locking.
class BatchTables {
 public:
  Status Open(Shared* shared, const AtomicBatch& batch) {
    for (const AtomicBatch::Condition& condition : batch.conditions) {
      KLIP_RETURN_IF_ERROR(Name(shared, condition.table));
    }
    for (const AtomicBatch::Step& step : batch.steps) {
      KLIP_RETURN_IF_ERROR(Name(shared, step.table));
    }
    for (auto& [name, info] : tables_) {
      locks_.push_back(shared->store->LockForWrite(name));
      KLIP_ASSIGN_OR_RETURN(info, shared->SlotOf(name)->Current());
      KLIP_RETURN_IF_ERROR(info->CheckEnabled());
    }
    return Status::Ok();
  }

  // REQUIRES: `table` is one of the batch's.
  const TableInfo& Of(const std::string& table) const { return *tables_.find(names_.find(table)->second)->second; }

 private:
  // A table may go by several names ("t", "default:t"): it is locked once.
  Status Name(Shared* shared, const std::string& table) {
    if (!names_.contains(table)) {
      KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, shared->store->GetTable(table));
      names_.emplace(table, view->descriptor.name);
      tables_.emplace(view->descriptor.name, nullptr);
    }
    return Status::Ok();
  }

  std::map<std::string, std::string> names_;  // as given -> as in the catalog
  std::map<std::string, InfoPtr> tables_;
  std::vector<std::shared_lock<engine::TableLock>> locks_;
};

Status CheckAll(const BatchTables& tables, const Limits& limits, const AtomicBatch& batch) {
  for (const AtomicBatch::Condition& condition : batch.conditions) {
    KLIP_RETURN_IF_ERROR(CheckCondition(tables.Of(condition.table), condition.row, condition.condition));
  }
  for (const AtomicBatch::Step& step : batch.steps) {
    const TableInfo& info = tables.Of(step.table);
    KLIP_RETURN_IF_ERROR(info.CheckWritable());
    KLIP_RETURN_IF_ERROR(CheckMutation(info, limits, step.mutation));
  }
  return Status::Ok();
}

std::vector<engine::RowName> RowsOf(const BatchTables& tables, const AtomicBatch& batch) {
  std::vector<engine::RowName> rows;
  rows.reserve(batch.conditions.size() + batch.steps.size());
  for (const AtomicBatch::Condition& condition : batch.conditions) {
    rows.push_back({tables.Of(condition.table).name(), condition.row});
  }
  for (const AtomicBatch::Step& step : batch.steps) {
    rows.push_back({tables.Of(step.table).name(), RowOf(step.mutation)});
  }
  return rows;
}

Durability DurabilityOfBatch(const BatchTables& tables, const AtomicBatch& batch) {
  if (batch.durability != Durability::kUseDefault) {
    return batch.durability;
  }
  Durability strongest = Durability::kSkipWal;
  for (const AtomicBatch::Step& step : batch.steps) {
    strongest = Stronger(strongest, tables.Of(step.table).Resolve(DurabilityOf(step.mutation)));
  }
  return strongest;
}

}  // namespace

Expected<bool> EmbeddedConnection::Apply(const AtomicBatch& batch, const engine::Nonce& nonce) {
  engine::Store& store = *shared_.store;
  BatchTables tables;
  KLIP_RETURN_IF_ERROR(tables.Open(&shared_, batch));
  KLIP_RETURN_IF_ERROR(CheckAll(tables, shared_.limits, batch));
  const engine::RowLocks locks = store.LockRows(RowsOf(tables, batch));
  int64_t newest_seen_ms = 0;
  for (const AtomicBatch::Condition& condition : batch.conditions) {
    KLIP_ASSIGN_OR_RETURN(const ConditionOutcome outcome, Evaluate(store, tables.Of(condition.table), shared_.limits,
                                                                   condition.row, condition.condition));
    if (!outcome.holds) {
      return false;
    }
    newest_seen_ms = std::max(newest_seen_ms, outcome.cell_ms);
  }
  ScratchWrites writes;
  Result ignored;
  const int64_t now_ms = store.NowMs();
  for (const AtomicBatch::Step& step : batch.steps) {
    const WriteStep write = {
        store, tables.Of(step.table), shared_.limits, now_ms, std::max(now_ms, newest_seen_ms), writes.get()};
    KLIP_RETURN_IF_ERROR(AddMutation(write, step.mutation, &ignored));
  }
  if (!writes->empty()) {
    writes->AddNonce(nonce, now_ms);
    KLIP_RETURN_IF_ERROR(store.Write(writes.get(), DurabilityOfBatch(tables, batch)));
  }
  return true;
}

}  // namespace klip::table
