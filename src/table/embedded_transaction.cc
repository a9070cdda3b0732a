#include "table/embedded_transaction.h"

#include <algorithm>
#include <limits>
#include <set>

#include "engine/store/lock_table.h"
#include "engine/store/views.h"
#include "filter/rows/row_ranges.h"
#include "klip/bytes.h"
#include "klip/cancel.h"
#include "rowkey/column_filter.h"
#include "table/embedded_connection.h"
#include "table/transaction_table.h"
#include "table/write/atomic_changes.h"
#include "table/write/index_update.h"
#include "table/write/row_clock.h"
#include "table/write/row_condition.h"

namespace klip::table {
namespace {

Status Conflict(std::string what) {
  return {Code::kTransactionConflict, std::move(what) + " since the transaction began: run it again"};
}

bool SameFamilies(const engine::TableView& a, const engine::TableView& b) {
  return std::ranges::equal(a.families, b.families, {}, &engine::Family::id, &engine::Family::id);
}

// The cells of a change with known timestamps, as Put or Delete.
Change ChangeOf(const Mutation& mutation) {
  return std::visit([](const auto& one) { return Change(&one); }, mutation);
}

}  // namespace

Expected<std::unique_ptr<Transaction>> EmbeddedConnection::Begin(const TransactionOptions& options) {
  if (options.max_age_ms < 0 || options.max_bytes < 0) {
    return Status(Code::kInvalidArgument, "a transaction's max_age_ms and max_bytes are not negative");
  }
  if (HooksHoldLocks()) {
    return Status(Code::kUnsupported, "a hook that is called with rows locked begins a transaction");
  }
  return std::unique_ptr<Transaction>(std::make_unique<EmbeddedTransaction>(&shared_, options));
}

EmbeddedTransaction::EmbeddedTransaction(Shared* shared, const TransactionOptions& options)
    : shared_(shared), options_(options), version_(shared->store->views().Version()) {
  shared->conflicts.Watch(&shared->store->locks());  // before the view is taken, so that all later writes are noted
  const auto take_view = [&] { view_ = std::make_shared<const engine::ReadView>(*shared->store, options.max_age_ms); };
  if (options.isolation == IsolationLevel::kSerializable) {
    begin_ = shared->commits.Open(&shared->store->locks(), take_view);
  } else {
    take_view();
  }
}

EmbeddedTransaction::~EmbeddedTransaction() { End(); }

void EmbeddedTransaction::End() {
  if (begin_ != 0) {
    shared_->commits.Close(begin_);
    begin_ = 0;
  }
  reads_.clear();
  view_.reset();
  log_.clear();
  savepoints_.clear();
}

void EmbeddedTransaction::Rollback() { End(); }

Status EmbeddedTransaction::CheckOpen() const {
  if (view_ == nullptr) {
    return {Code::kDoNotRetry, "the transaction is over"};
  }
  return view_->CheckAge();
}

Expected<std::unique_ptr<Table>> EmbeddedTransaction::GetTable(std::string_view name) {
  KLIP_RETURN_IF_ERROR(CheckOpen());
  KLIP_ASSIGN_OR_RETURN(SlotPtr slot, shared_->FindSlot(name));
  if (slot->shows_index()) {
    return Status(
        Code::kUnsupported,
        "'" + slot->name() + "' cannot be read in a transaction, which would not notice conflicts with its reads");
  }
  slots_.emplace(slot->name(), slot);
  return std::unique_ptr<Table>(std::make_unique<TransactionTable>(this, std::move(slot)));
}

// The table as it was when the transaction first used it. An index that was created after Begin has no entries that the
// view can see, so reads must not use it.
Expected<InfoPtr> EmbeddedTransaction::InfoOf(TableSlot* slot) {
  KLIP_RETURN_IF_ERROR(CheckOpen());
  InfoPtr& info = tables_[slot];
  if (info == nullptr) {
    KLIP_ASSIGN_OR_RETURN(InfoPtr now, slot->Current());
    if (now->indexes != nullptr && shared_->store->views().Version() != version_) {
      return Conflict("some table, perhaps '" + now->name() + "', was changed");
    }
    info = std::move(now);
  }
  KLIP_RETURN_IF_ERROR(info->CheckEnabled());
  return info;
}

Expected<ReadOperation> EmbeddedTransaction::Read(TableSlot* slot) {
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, InfoOf(slot));
  return ReadOperation::In(shared_, std::move(info), view_);
}

void EmbeddedTransaction::NoteRow(TableSlot* slot, std::string_view row) {
  constexpr size_t kMostRows = 100'000;  // TUNING: some 10 MB; beyond that, the whole table counts as read
  if (begin_ == 0) {
    return;
  }
  ReadRows& read = reads_[slot->name()];
  read.rows.emplace(row);
  if (read.rows.size() > kMostRows) {
    read.rows.clear();
    read.ranges.assign(1, {});
  }
}

Status EmbeddedTransaction::NoteScan(TableSlot* slot, const TableInfo& info, const Scan& scan) {
  if (begin_ == 0) {
    return Status::Ok();
  }
  const RowKeySchema* schema = info.schema.has_value() ? &*info.schema : nullptr;
  KLIP_ASSIGN_OR_RETURN(const Scan by_filter, rowkey::WithColumnFilter(scan, schema, /*mixed=*/true));
  KLIP_ASSIGN_OR_RETURN(rowkey::ScanNeeds needs, rowkey::NeedsOf(by_filter, info.name(), schema, {.jumps = true}));
  reads_[slot->name()].ranges.push_back({rowkey::RangeOf(scan), std::move(needs.rows)});
  return Status::Ok();
}

Expected<bool> EmbeddedTransaction::Apply(const AtomicBatch& batch) {
  KLIP_ASSIGN_OR_RETURN(AtomicChanges all, ChangesOf(shared_, batch));
  for (const SlotPtr& slot : all.tables) {
    slots_.emplace(slot->name(), slot);
  }
  return Write(
      {.kind = WriteKind::kAtomicBatch, .tables = all.tables, .changes = all.changes, .conditions = all.conditions});
}

Expected<std::vector<InfoPtr>> EmbeddedTransaction::Check(const WriteRequest& request) {
  std::vector<InfoPtr> tables;
  for (const SlotPtr& slot : request.tables) {
    KLIP_ASSIGN_OR_RETURN(InfoPtr info, InfoOf(slot.get()));
    tables.push_back(std::move(info));
  }
  for (const Condition& condition : request.conditions) {
    KLIP_RETURN_IF_ERROR(CheckCondition(*tables[condition.table], condition.row, *condition.condition));
  }
  for (const Change& change : request.changes) {
    const TableInfo& info = *tables[change.table];
    KLIP_RETURN_IF_ERROR(info.CheckWritable());
    KLIP_RETURN_IF_ERROR(CheckChange(info, shared_->settings.limits, change));
    if (info.indexes != nullptr) {
      KLIP_RETURN_IF_ERROR(CheckIndexed(*info.indexes, change));
    }
  }
  return tables;
}

Expected<bool> EmbeddedTransaction::Write(const WriteRequest& request) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  if (HooksHoldLocks()) {
    return Status(Code::kUnsupported, "a hook wrote in a transaction while rows are locked");
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<InfoPtr> tables, Check(request));
  int64_t seen_ms = 0;
  for (const Condition& condition : request.conditions) {
    NoteRow(request.tables[condition.table].get(), condition.row);
    KLIP_ASSIGN_OR_RETURN(const ConditionOutcome outcome,
                          Evaluate(source(), *tables[condition.table], condition.row, *condition.condition));
    if (!outcome.holds) {
      return false;
    }
    seen_ms = std::max(seen_ms, outcome.cell_ms);
  }
  GiveTimes(request);
  std::vector<Logged> resolved;
  KLIP_RETURN_IF_ERROR(Resolve(request, tables, seen_ms, &resolved));
  KLIP_RETURN_IF_ERROR(Lay(std::move(resolved)));
  for (const Change& change : request.changes) {
    if (IsDelete(change)) {
      TimesOf(request.tables[change.table].get(), change.row).deleted = true;
    }
  }
  return true;
}

// The first timestamp of a row is later than those of all its writes that the view can see.
EmbeddedTransaction::RowTimes& EmbeddedTransaction::TimesOf(TableSlot* slot, std::string_view row) {
  const auto [at, added] = times_.try_emplace({slot, std::string(row)});
  if (added) {
    const int64_t now_ms = shared_->store->NowMs();
    at->second.first_ms = now_ms;
    if (shared_->settings.row_clock) {
      const engine::RowLockId id = engine::RowLockIdOf(slot->name(), row);
      const engine::RowLocks lock = shared_->store->locks().LockRows({id});
      at->second.first_ms = TimeOfChange(lock.TimeOf(id), now_ms, /*is_delete=*/false, /*counts=*/true);
    }
  }
  return at->second;
}

// As in a WriteOperation, all changes of a row in one request get the same timestamp.
void EmbeddedTransaction::GiveTimes(const WriteRequest& request) {
  for (const Change& change : request.changes) {
    RowTimes& times = TimesOf(request.tables[change.table].get(), change.row);
    if (times.deleted && !IsDelete(change) && shared_->settings.row_clock) {
      ++times.after_ms;
      times.deleted = false;
    }
  }
}

Status EmbeddedTransaction::Resolve(const WriteRequest& request, const std::vector<InfoPtr>& tables, int64_t seen_ms,
                                    std::vector<Logged>* resolved) {
  for (const Change& change : request.changes) {
    TableSlot* const slot = request.tables[change.table].get();
    const RowTimes times = TimesOf(slot, change.row);
    const Logged as = {.slot = slot, .mutation = {}, .after_ms = times.after_ms};
    if (ReadsRow(change)) {
      KLIP_RETURN_IF_ERROR(ResolveCells(*tables[change.table], change, times, as, request.result, resolved));
      continue;
    }
    Logged& logged = resolved->emplace_back(as);
    if (const auto* put = std::get_if<const Put*>(&change.source); put != nullptr) {
      Put& copy = logged.mutation.emplace<Put>(**put);
      if (copy.timestamp_ms == kLatestTimestamp && seen_ms > times.now_ms()) {
        copy.timestamp_ms = seen_ms;  // a put must not be hidden by a cell that a condition saw
      }
    } else {
      logged.mutation.emplace<Delete>(*std::get<const Delete*>(change.source));
    }
  }
  return Status::Ok();
}

// For a change whose cells depend on stored ones. Cells with the transaction's own timestamps keep them open: they move
// with its commit.
Status EmbeddedTransaction::ResolveCells(const TableInfo& info, const Change& change, RowTimes times, Logged as,
                                         Result* result, std::vector<Logged>* resolved) const {
  const RowSource from = source();
  ScratchWrites cells;
  WriteStep step = {.source = from,
                    .info = info,
                    .limits = shared_->settings.limits,
                    .now_ms = times.now_ms(),
                    .put_ms = times.now_ms(),
                    .writes = cells.get(),
                    .result = result};
  KLIP_RETURN_IF_ERROR(AddCells(&step, change));
  const bool is_delete = IsDelete(change);
  Put put = {.row = std::string(change.row), .durability = DurabilityOf(info, change)};
  Delete markers = {.row = put.row, .durability = put.durability};
  for (const engine::Family& family : info.view->families) {
    cells->ForEachCell(family, [&](const Cell& cell, uint64_t /*sequence*/) {
      const std::string& name = family.descriptor.name;
      // The new cell of a counter that the transaction wrote before would be one later; it replaces that cell instead.
      const bool own = cell.timestamp_ms >= times.first_ms && cell.timestamp_ms <= times.now_ms() + (is_delete ? 0 : 1);
      const int64_t at_ms = own ? kLatestTimestamp : cell.timestamp_ms;
      if (!is_delete) {
        put.columns.push_back(
            {name, std::string(cell.qualifier), std::string(cell.value), at_ms, std::string(cell.tags)});
      } else if (own && cell.type == CellType::kDelete) {
        Logged& one = resolved->emplace_back(as);
        one.after_ms = cell.timestamp_ms - times.first_ms;
        one.own_version = true;
        Delete del = {.row = put.row, .durability = put.durability};
        del.AddColumn(name, std::string(cell.qualifier));
        one.mutation = std::move(del);
      } else {
        markers.markers.push_back({cell.type, name, std::string(cell.qualifier), at_ms});
      }
    });
  }
  if (!is_delete) {
    as.mutation = std::move(put);
    resolved->push_back(std::move(as));
  } else if (!markers.markers.empty()) {
    as.mutation = std::move(markers);
    resolved->push_back(std::move(as));
  }
  return Status::Ok();
}

// Adds the changes to the overlay, with their effects on indexes, and to the log.
Status EmbeddedTransaction::Lay(std::vector<Logged> resolved) {
  const RowSource from = source();
  ScratchWrites cells;
  std::set<TableSlot*> slots;
  for (const Logged& logged : resolved) {
    const RowTimes& times = TimesOf(logged.slot, RowOf(logged.mutation));
    WriteStep step = {.source = from,
                      .info = *tables_[logged.slot],
                      .limits = shared_->settings.limits,
                      .now_ms = times.first_ms + logged.after_ms,
                      .put_ms = times.first_ms + logged.after_ms,
                      .own_version = logged.own_version,
                      .writes = cells.get()};
    KLIP_RETURN_IF_ERROR(AddCells(&step, ChangeOf(logged.mutation)));
    slots.insert(logged.slot);
  }
  std::vector<IndexUpdate> updates;
  for (TableSlot* const slot : slots) {
    if (const InfoPtr& info = tables_[slot]; info->indexes != nullptr) {
      IndexUpdate& update = updates.emplace_back(from, info.get(), view_->now_ms());
      KLIP_RETURN_IF_ERROR(update.Collect(*cells.get()));
    }
  }
  for (const IndexUpdate& update : updates) {
    KLIP_RETURN_IF_ERROR(update.CheckUnique());
    update.AddTo(cells.get());
  }
  if (view_->overlay().bytes() + cells->size_bytes() > static_cast<size_t>(options_.max_bytes)) {
    return {Code::kDoNotRetry, "the transaction writes more than " + std::to_string(options_.max_bytes) +
                                   " bytes (TransactionOptions::max_bytes)"};
  }
  KLIP_RETURN_IF_ERROR(view_->overlay().Add(*cells.get()));
  std::ranges::move(resolved, std::back_inserter(log_));
  return Status::Ok();
}

Expected<int64_t> EmbeddedTransaction::Savepoint() {
  KLIP_RETURN_IF_ERROR(CheckOpen());
  savepoints_.push_back({++last_savepoint_, log_.size(), view_->overlay().step()});
  return last_savepoint_;
}

Status EmbeddedTransaction::RollbackTo(int64_t savepoint) {
  KLIP_RETURN_IF_ERROR(CheckOpen());
  const auto mark = std::ranges::find(savepoints_, savepoint, &Mark::number);
  if (mark == savepoints_.end()) {
    return {Code::kInvalidArgument, "the transaction has no savepoint " + std::to_string(savepoint)};
  }
  log_.resize(mark->logged);
  view_->overlay().RollBackTo(mark->step);
  savepoints_.erase(mark + 1, savepoints_.end());
  return Status::Ok();
}

// REQUIRES: the tables and rows to be written are locked.
Status EmbeddedTransaction::Validate(CommitLog::Place place) const {
  KLIP_RETURN_IF_ERROR(view_->CheckAge());
  for (const auto& [slot, info] : tables_) {
    const Expected<InfoPtr> now = slot->Current();
    if (!now.ok() || !SameFamilies(*(*now)->view, *info->view)) {
      return Conflict("table '" + slot->name() + "' was changed");
    }
  }
  for (const Logged& logged : log_) {
    if (const std::string& row = RowOf(logged.mutation);
        shared_->conflicts.Written(logged.slot->name(), row, view_->sequence())) {
      return Conflict("row '" + ToStringBinary(row) + "' of table '" + logged.slot->name() + "' was written");
    }
  }
  return begin_ == 0 ? Status::Ok() : ValidateReads(place);
}

Status EmbeddedTransaction::ValidateReads(CommitLog::Place place) const {
  for (const auto& [table, read] : reads_) {
    if (shared_->conflicts.TableWritten(table, view_->sequence())) {
      return Conflict("rows of table '" + table + "' were loaded");
    }
  }
  CommitLog::Row row;
  if (!shared_->commits.Any(begin_, place, [this](const CommitLog::Row& one) { return HasRead(one); }, &row)) {
    return Status::Ok();
  }
  return row.table.empty() ? Conflict("too much was written")
                           : Conflict("row '" + ToStringBinary(row.row) + "' of table '" + row.table +
                                      "', which it has read, was written");
}

bool EmbeddedTransaction::HasRead(const CommitLog::Row& row) const {
  const auto read = reads_.find(row.table);
  return read != reads_.end() &&
         (read->second.rows.contains(row.row) || std::ranges::any_of(read->second.ranges, [&](const Range& one) {
            return filter::RangeContains(one.range, row.row) && (one.rows == nullptr || one.rows->Contains(row.row));
          }));
}

Status EmbeddedTransaction::Commit() {
  KLIP_RETURN_IF_ERROR(CheckOpen());
  Status status;
  if (!log_.empty()) {
    TransactionCommit commit = {.least_ms = 0, .validate = [this](CommitLog::Place place) { return Validate(place); }};
    std::map<std::string_view, uint32_t> index;  // of the slots_ that are written, in their order
    std::vector<SlotPtr> tables;
    for (const Logged& logged : log_) {
      index.emplace(logged.slot->name(), 0);
      commit.least_ms = std::max(commit.least_ms, TimesOf(logged.slot, RowOf(logged.mutation)).first_ms);
    }
    for (auto& [name, at] : index) {
      at = static_cast<uint32_t>(tables.size());
      tables.push_back(slots_.find(name)->second);
    }
    std::vector<Change> changes;
    for (const Logged& logged : log_) {
      Change& change = changes.emplace_back(ChangeOf(logged.mutation));
      change.table = index[logged.slot->name()];
      change.after_ms = logged.after_ms;
      change.own_version = logged.own_version;
    }
    status =
        WriteOperation(shared_,
                       {.kind = WriteKind::kTransaction, .tables = tables, .changes = changes, .transaction = &commit})
            .Run()
            .status();
  }
  End();
  return status;
}

}  // namespace klip::table
