#include "table/write/write_operation.h"

#include <algorithm>
#include <array>
#include <functional>

#include "engine/store/lock_table.h"
#include "engine/store/views.h"
#include "klip/bytes.h"
#include "klip/cancel.h"
#include "table/info/region_meter.h"
#include "table/read/shown_entries.h"
#include "table/write/index_update.h"
#include "table/write/row_clock.h"
#include "table/write/row_condition.h"

namespace klip::table {

std::string_view NameOf(WriteKind kind) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "put",   "delete",  "increment",    "append",     "row mutations", "check and mutate",
      "batch", "prepend", "atomic batch", "replicated", "bulk load",     "transaction"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

// The operation whose hooks run in this thread, with its locks held. Null: none, and a hook that runs now may wait.
thread_local const WriteOperation* locked_operation = nullptr;
thread_local bool nested_writes = false;

}  // namespace

bool HooksHoldLocks() { return locked_operation != nullptr; }

NestedWrites::NestedWrites() : outer_(std::exchange(nested_writes, true)) {}
NestedWrites::~NestedWrites() { nested_writes = outer_; }

// The operation as the hooks of one table see it.
class WriteOperation::HookView final : public WriteContext {
 public:
  HookView(WriteOperation* operation, uint32_t table, std::shared_ptr<OperationHooks> hooks)
      : operation_(*operation), table_(table), hooks_(std::move(hooks)) {}

  OperationHooks& hooks() const { return *hooks_; }
  // Hides changes that others have omitted meanwhile.
  WriteContext& Refresh() {
    changes_.clear();
    for (Change& change : operation_.request_.changes) {
      if (change.table == table_ && change.status.ok() && !change.left_out) {
        changes_.push_back(&change);
      }
    }
    return *this;
  }

  const Caller& caller() const override { return Caller::Current(); }
  WriteKind kind() const override { return operation_.request_.kind; }
  const TableInfo& table() const override { return *operation_.tables_[table_].info; }
  std::span<Change* const> changes() const override { return changes_; }
  bool written() const override { return operation_.written_; }
  const RowCondition* condition() const override {
    const WriteRequest& request = operation_.request_;
    return request.kind == WriteKind::kCheckAndMutate ? request.conditions.front().condition : nullptr;
  }
  Result* result() override { return operation_.request_.result; }
  std::unique_ptr<State>& state() override { return state_; }
  bool each_by_itself() const override { return operation_.request_.each_by_itself; }
  void LeaveOut(Change* change) override { change->left_out = true; }
  void SetCompanion(Change* change, std::optional<Mutation> mutation) override {
    operation_.companions_.remove_if([change](const auto& one) { return one.first == change; });
    if (mutation.has_value()) {
      operation_.companions_.emplace_back(change, *std::move(mutation));
    }
  }
  void Answer(bool success) override { operation_.answer_ = success; }

  Mutation* Edit(Change* change) override {
    return std::visit(
        [&]<typename Source>(const Source& source) -> Mutation* {
          if constexpr (std::is_pointer_v<Source>) {
            return Take(change, *source);
          } else {
            return nullptr;
          }
        },
        ChangeSource(change->source));
  }
  bool Replace(Change* change, Mutation mutation) override {
    const bool may = !std::holds_alternative<std::span<const Cell>>(change->source);
    if (may) {
      Take(change, std::move(mutation));
    }
    return may;
  }

  void Add(std::string_view table, Mutation mutation) override {
    operation_.additions_.emplace_back(table, std::move(mutation));
  }

  Status Get(std::string_view table, const klip::Get& get, Result* result) override {
    KLIP_RETURN_IF_ERROR(CheckGet(get));
    KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, operation_.shared_->FindSlot(table));
    KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
    return info->shown.index != nullptr ? GetShownEntry(operation_.source_, info, get, result)
                                        : operation_.source_.Get(*info, get, result);
  }

  void ForEachCell(const std::function<void(const Cell& cell)>& take) const override {
    (*operation_.writes_)
        ->ForEachCell(operation_.tables_[table_].info->view->families,
                      [&take](const Cell& cell, uint64_t /*sequence*/) { take(cell); });
  }
  bool logged() const override {
    return operation_.request_.durability.value_or(operation_.durability_) != Durability::kSkipWal;
  }
  bool Sees(const Change& change) const { return change.table == table_; }

 private:
  // Keeps the mutation, and makes it that of the change.
  Mutation* Take(Change* change, Mutation mutation) {
    Mutation& kept = operation_.edited_.emplace_back(std::move(mutation));
    std::visit(
        [&](const auto& one) {
          change->source = &one;
          change->row = one.row;
        },
        kept);
    return &kept;
  }

  WriteOperation& operation_;
  const uint32_t table_;
  const std::shared_ptr<OperationHooks> hooks_;
  std::vector<Change*> changes_;
  std::unique_ptr<State> state_;
};

WriteOperation::WriteOperation(Shared* shared, const WriteRequest& request)
    : shared_(shared),
      request_(request),
      source_(shared->store.get(), shared->settings.limits),
      timer_(shared->settings.slow),
      heat_(static_cast<int64_t>(request.changes.size())),
      outer_(locked_operation) {
  tables_.reserve(request.tables.size());
  for (const SlotPtr& slot : request.tables) {
    tables_.push_back({.slot = slot.get()});
  }
}

WriteOperation::~WriteOperation() = default;

Expected<bool> WriteOperation::Run() {
  KLIP_RETURN_IF_ERROR(Prepare());
  if (answer_.has_value()) {
    return *answer_;
  }
  if (const Status status = RunLocked(); !status.ok()) {
    Unlock();
    (void)CallHooks([](OperationHooks& hooks, WriteContext& view) {
      hooks.Failed(view);
      return Status::Ok();
    });
    return status;
  }
  const Status finished = Finish();
  KLIP_RETURN_IF_ERROR(written_status_);
  KLIP_RETURN_IF_ERROR(finished);
  return answer_.value_or(written_);
}

Status WriteOperation::RunLocked() {
  constexpr int kMostTries = 3;
  Outcome outcome = Outcome::kLockMore;
  for (int tries = 0; outcome == Outcome::kLockMore; ++tries) {
    if (tries == kMostTries) {
      return {Code::kRegionTooBusy, "rows that a hook or a unique index of table '" + tables_.front().slot->name() +
                                        "' writes stayed locked during " + std::to_string(kMostTries) + " tries"};
    }
    KLIP_RETURN_IF_ERROR(Lock());
    KLIP_ASSIGN_OR_RETURN(outcome, Apply());
    if (outcome == Outcome::kApplied) {
      KLIP_RETURN_IF_ERROR(Commit());
    }
    Unlock();
  }
  return Status::Ok();
}

Status WriteOperation::Prepare() {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  if (outer_ != nullptr && !nested_writes) [[unlikely]] {
    return {Code::kUnsupported, "a hook wrote while rows are locked: it must add its changes to the operation"};
  }
  KLIP_RETURN_IF_ERROR(LookUpTables());
  KLIP_RETURN_IF_ERROR(Check());
  if (!has_hooks_) {
    return Status::Ok();
  }
  ViewHooks();
  KLIP_RETURN_IF_ERROR(CallHooks([](OperationHooks& hooks, WriteContext& view) { return hooks.BeforeWrite(view); }));
  return edited_.empty() ? Status::Ok() : Check();
}

Status WriteOperation::Lock() {
  LockTables();
  if (shared_->store->views().Version() != version_) {  // some table has changed meanwhile, perhaps one of these
    KLIP_RETURN_IF_ERROR(LookUpTables());
    KLIP_RETURN_IF_ERROR(Check());
  }
  return LockRows();
}

Status WriteOperation::LockRows() {
  std::vector<engine::RowLockId> ids = added_locks_;
  ids.reserve(ids.size() + request_.changes.size() + request_.conditions.size());
  for (Change& change : request_.changes) {
    change.lock = engine::RowLockIdOf(tables_[change.table].slot->name(), change.row);
    ids.push_back(change.lock);
  }
  for (const Condition& condition : request_.conditions) {
    ids.push_back(engine::RowLockIdOf(tables_[condition.table].slot->name(), condition.row));
  }
  const engine::RowLockId busy =
      shared_->store->locks().LockRowsWithin(engine::kRowLockWait, WithoutOuter(std::move(ids)), &rows_);
  return busy == 0 ? Status::Ok() : TimedOut(busy);
}

// The locks that this operation has to take by itself.
std::vector<engine::RowLockId> WriteOperation::WithoutOuter(std::vector<engine::RowLockId> ids) const {
  for (const WriteOperation* outer = outer_; outer != nullptr; outer = outer->outer_) {
    std::erase_if(ids, [outer](engine::RowLockId id) { return outer->rows_.Holds(id); });
  }
  return ids;
}

// HBase's error.
Status WriteOperation::TimedOut(engine::RowLockId busy) const {
  std::string_view row;
  const TableInfo* info = tables_.front().info.get();
  for (const std::span<const Change> changes :
       {std::span<const Change>(request_.changes), std::span<const Change>(added_)}) {
    for (const Change& change : changes) {
      if (change.lock == busy) {
        row = change.row;
        info = &InfoOf(change);
      }
    }
  }
  for (const Condition& condition : request_.conditions) {
    if (engine::RowLockIdOf(tables_[condition.table].slot->name(), condition.row) == busy) {
      row = condition.row;
      info = tables_[condition.table].info.get();
    }
  }
  return Status::OfJava("java.io.IOException",
                        "Timed out waiting for lock for row: " + ToStringBinary(row) + " in region " +
                            info->view->EncodedNameOf(info->view->RegionOf(row)),
                        /*retryable=*/true);
}

// One that an outer operation shares must not be locked again: a change of the table may wait for it.
void WriteOperation::LockTable(TableUse* table) {
  for (const WriteOperation* outer = outer_; outer != nullptr; outer = outer->outer_) {
    if (std::ranges::any_of(outer->tables_,
                            [table](const TableUse& use) { return use.slot == table->slot && use.lock.owns_lock(); })) {
      return;
    }
  }
  table->lock = shared_->store->locks().LockForWrite(table->slot->name());
}

void WriteOperation::LockTables() {
  if (tables_.size() == 1) {  // nearly always
    LockTable(&tables_.front());
    return;
  }
  std::vector<TableUse*> by_name;
  for (TableUse& table : tables_) {
    by_name.push_back(&table);
  }
  std::sort(by_name.begin(), by_name.end(),
            [](const TableUse* a, const TableUse* b) { return a->slot->name() < b->slot->name(); });
  std::ranges::for_each(by_name, [this](TableUse* table) { LockTable(table); });
}

Expected<WriteOperation::Outcome> WriteOperation::Apply() {
  added_locks_.clear();
  if (has_hooks_ && !request_.conditions.empty()) {
    KLIP_RETURN_IF_ERROR(CallLockedHooks([](OperationHooks& hooks, WriteContext& view) { return hooks.Locked(view); }));
    KLIP_RETURN_IF_ERROR(edited_.empty() ? Status::Ok() : Check());
    if (answer_.has_value()) {
      return Outcome::kNothing;
    }
  }
  KLIP_ASSIGN_OR_RETURN(const bool holds, ConditionsHold());
  if (!holds) {
    return Outcome::kNothing;
  }
  if (has_hooks_) {
    additions_.clear();
    KLIP_RETURN_IF_ERROR(
        CallLockedHooks([](OperationHooks& hooks, WriteContext& view) { return hooks.InWrite(view); }));
    KLIP_RETURN_IF_ERROR(edited_.empty() ? Status::Ok() : Check());
    KLIP_ASSIGN_OR_RETURN(const Outcome locked, LockAdded());
    if (locked == Outcome::kLockMore) {
      return locked;
    }
  }
  writes_.emplace();
  now_ms_ = shared_->store->NowMs();
  SetTimes();
  if (request_.clusters != nullptr) {
    (*writes_)->BeginReplicated(*request_.clusters);
  }
  KLIP_RETURN_IF_ERROR(ForEachChange([this](Change* change) { return AddCellsOf(change); }));
  if (request_.clusters != nullptr) {
    (*writes_)->EndReplicated();
  }
  const bool indexed =
      std::ranges::any_of(tables_, [](const TableUse& table) { return table.info->indexes != nullptr; });
  return indexed ? UpdateIndexes() : Outcome::kApplied;
}

Expected<WriteOperation::Outcome> WriteOperation::UpdateIndexes() {
  index_updates_.clear();
  for (const TableUse& table : tables_) {
    if (table.info->indexes != nullptr) {
      IndexUpdate& update = index_updates_.emplace_back(source_, table.info.get(), now_ms_);
      KLIP_RETURN_IF_ERROR(update.Collect(*writes_->get()));
      const std::vector<engine::RowLockId> ids = update.UniqueLocks();
      added_locks_.insert(added_locks_.end(), ids.begin(), ids.end());
    }
  }
  if (!added_locks_.empty() && !shared_->store->locks().TryLockRows(WithoutOuter(added_locks_), &rows_)) {
    return Outcome::kLockMore;
  }
  for (const IndexUpdate& update : index_updates_) {
    KLIP_RETURN_IF_ERROR(update.CheckUnique());
    update.AddTo(writes_->get());
  }
  return Outcome::kApplied;
}

Status WriteOperation::Commit() {
  if (has_hooks_) {
    KLIP_RETURN_IF_ERROR(
        CallLockedHooks([](OperationHooks& hooks, WriteContext& view) { return hooks.BeforeCommit(view); }));
  }
  const CommitLog::Place place = shared_->commits.open() ? Log() : 0;
  if (const Status status = WriteAll(place); !status.ok()) {
    if (place != 0) {
      shared_->commits.TakeBack(place);
    }
    return status;
  }
  std::ranges::for_each(index_updates_, &IndexUpdate::Count);
  written_ = true;
  written_bytes_ = (*writes_)->size_bytes();
  if (request_.written != nullptr) {
    *request_.written = true;
  }
  if (has_hooks_) {
    written_status_ = CallLockedHooks([](OperationHooks& hooks, WriteContext& view) { return hooks.Written(view); });
  }
  return Status::Ok();
}

CommitLog::Place WriteOperation::Log() {
  std::vector<CommitLog::Row> rows;
  (void)ForEachChange([&](Change* change) {
    rows.push_back({InfoOf(*change).name(), std::string(change->row)});
    return Status::Ok();
  });
  return shared_->commits.Add(std::move(rows));
}

Status WriteOperation::WriteAll(CommitLog::Place place) {
  const bool noted = shared_->conflicts.watched();
  if (request_.transaction != nullptr) {
    KLIP_RETURN_IF_ERROR(request_.transaction->validate(place));
  }
  if ((*writes_)->empty()) {
    return Status::Ok();
  }
  (*writes_)->AddNonce(request_.nonce, now_ms_);
  KLIP_RETURN_IF_ERROR(shared_->store->Write(writes_->get(), request_.durability.value_or(durability_)));
  if (noted) {
    NoteRows();
  }
  return Status::Ok();
}

void WriteOperation::NoteRows() {
  const uint64_t sequence = shared_->store->LastSequence();
  (void)ForEachChange([&](Change* change) {
    shared_->conflicts.Note(InfoOf(*change).name(), change->row, sequence);
    return Status::Ok();
  });
}

Status WriteOperation::Finish() {
  Count();
  timer_.Finish(NameOf(request_.kind), tables_.empty() ? std::string_view() : tables_.front().slot->name(),
                static_cast<int64_t>(request_.changes.size()));
  return !has_hooks_ ? Status::Ok()
                     : CallHooks([](OperationHooks& hooks, WriteContext& view) { return hooks.AfterWrite(view); });
}

Status WriteOperation::LookUpTables() {
  version_ = shared_->store->views().Version();  // before the tables, so that a change in between is noticed
  has_hooks_ = false;
  for (TableUse& table : tables_) {
    KLIP_ASSIGN_OR_RETURN(table.info, table.slot->Current());
    KLIP_RETURN_IF_ERROR(table.info->CheckEnabled());
    has_hooks_ = has_hooks_ || table.info->hooks != nullptr;
  }
  return Status::Ok();
}

Status WriteOperation::Check() {
  for (const Condition& condition : request_.conditions) {
    KLIP_RETURN_IF_ERROR(CheckCondition(*tables_[condition.table].info, condition.row, *condition.condition));
  }
  for (Change& change : request_.changes) {
    if (!change.status.ok()) {
      continue;  // rejected before, perhaps by a hook
    }
    Status status = InfoOf(change).CheckWritable();
    if (status.ok() && change.condition != nullptr) {
      status = CheckCondition(InfoOf(change), change.row, *change.condition);
    }
    if (status.ok()) {
      status = CheckChange(InfoOf(change), shared_->settings.limits, change);
    }
    if (status.ok() && InfoOf(change).indexes != nullptr) {
      status = CheckIndexed(*InfoOf(change).indexes, change);
    }
    if (!request_.each_by_itself) {
      KLIP_RETURN_IF_ERROR(status);
    }
    change.status = std::move(status);
  }
  if (request_.each_by_itself) {
    RejectJoined();
  }
  return Status::Ok();
}

// Gives all changes that are joined the status of a rejected one.
void WriteOperation::RejectJoined() {
  const std::span<Change> changes = request_.changes;
  for (size_t i = 1; i < changes.size(); ++i) {
    if (changes[i].joined && !changes[i - 1].status.ok()) {
      changes[i].status = changes[i - 1].status;
    }
  }
  for (size_t i = changes.size(); i-- > 1;) {
    if (changes[i].joined && !changes[i].status.ok()) {
      changes[i - 1].status = changes[i].status;
    }
  }
}

Expected<bool> WriteOperation::ConditionsHold() {
  for (const Condition& condition : request_.conditions) {
    KLIP_ASSIGN_OR_RETURN(const ConditionOutcome outcome,
                          Evaluate(source_, *tables_[condition.table].info, condition.row, *condition.condition));
    if (!outcome.holds) {
      return false;
    }
    seen_ms_ = std::max(seen_ms_, outcome.cell_ms);
  }
  const Change* before = nullptr;
  for (Change& change : request_.changes) {
    if (change.joined) {
      change.left_out = before->left_out;
      change.seen_ms = before->seen_ms;
    } else if (change.condition != nullptr && change.status.ok() && !change.left_out) {
      KLIP_ASSIGN_OR_RETURN(const ConditionOutcome outcome,
                            Evaluate(source_, InfoOf(change), change.row, *change.condition));
      change.left_out = !outcome.holds;
      change.seen_ms = outcome.cell_ms;
    }
    before = &change;
  }
  return true;
}

void WriteOperation::SetTimes() {
  const bool row_clock = shared_->settings.row_clock;
  int64_t latest_ms = request_.transaction == nullptr ? now_ms_ : request_.transaction->least_ms;
  (void)ForEachChange([&](Change* change) {
    change->given_ms =
        row_clock ? TimeOfChange(rows_.TimeOf(change->lock), now_ms_, IsDelete(*change), Counts(*change)) : now_ms_;
    latest_ms = std::max(latest_ms, change->given_ms);
    return Status::Ok();
  });
  if (request_.transaction != nullptr && row_clock) {
    (void)ForEachChange([&](Change* change) {
      change->given_ms = latest_ms;
      return Status::Ok();
    });
  } else if (latest_ms > now_ms_) {
    GiveRowsOneTime();
  }
}

// As in HBase, all changes of a row have the same timestamp: the latest that one of them needs.
void WriteOperation::GiveRowsOneTime() {
  std::vector<std::pair<engine::RowLockId, int64_t>> times;
  (void)ForEachChange([&](Change* change) {
    times.emplace_back(change->lock, change->given_ms);
    return Status::Ok();
  });
  std::ranges::sort(times, std::greater<>());
  (void)ForEachChange([&](Change* change) {
    const auto latest =
        std::ranges::lower_bound(times, change->lock, std::greater<>(), &std::pair<engine::RowLockId, int64_t>::first);
    change->given_ms = latest->second;
    return Status::Ok();
  });
}

Status WriteOperation::AddCellsOf(Change* change) {
  const int64_t time_ms = change->given_ms + change->after_ms;
  WriteStep step = {
      .source = source_,
      .info = InfoOf(*change),
      .limits = shared_->settings.limits,
      .now_ms = time_ms,
      .put_ms = std::max({time_ms, seen_ms_, change->seen_ms}),  // a cell that a condition saw must not hide a put
      .own_version = change->own_version,
      .repeated = request_.repeated,
      .writes = writes_->get(),
      .result = request_.result};
  OnComputed computed;
  if (has_hooks_ && Counts(*change) && !IsAdded(*change)) {
    computed = [&](std::vector<ComputedCell>* cells) { return CallComputed(*change, cells); };
    step.computed = &computed;
  }
  KLIP_RETURN_IF_ERROR(AddCells(&step, *change));
  if (shared_->settings.row_clock) {
    // Before the commit, since the locks are held until it is done. If it fails, the row's next write gets a slightly
    // later timestamp.
    const bool is_delete = IsDelete(*change);
    const int64_t newest_ms = std::max(is_delete ? time_ms : step.put_ms, step.newest_ms);
    Remember(newest_ms, now_ms_, is_delete, &rows_.TimeOf(change->lock));
  }
  durability_ = Stronger(durability_, DurabilityOf(InfoOf(*change), *change));
  return Status::Ok();
}

void WriteOperation::Unlock() {
  writes_.reset();
  rows_.Release();
  for (TableUse& table : tables_) {
    table.lock = {};
  }
}

void WriteOperation::Count() {
  for (uint32_t table = 0; table < tables_.size(); ++table) {
    RegionMeter meter(*tables_[table].info->view);
    for (const Condition& condition : request_.conditions) {
      if (condition.table == table) {
        meter.Read(condition.row);
      }
    }
    for (const Change& change : request_.changes) {
      if (written_ && change.table == table && change.status.ok() && !change.left_out) {
        meter.Write(change.row);
        heat_.Wrote(*tables_[table].info, change.row, written_bytes_ / request_.changes.size());
        if (Counts(change)) {
          meter.Read(change.row);
        }
      }
    }
  }
}

// The hooks of each table, in the order of the tables. Hooks added meanwhile see the next operations.
void WriteOperation::ViewHooks() {
  for (uint32_t table = 0; table < request_.tables.size(); ++table) {
    if (const HookChainPtr chain = tables_[table].info->hooks; chain != nullptr) {
      for (const std::shared_ptr<OperationHooks>& hooks : *chain) {
        views_.emplace_back(this, table, hooks);
      }
    }
  }
}

template <typename Call>
Status WriteOperation::CallHooks(Call call) {
  for (HookView& view : views_) {
    KLIP_RETURN_IF_ERROR(call(view.hooks(), view.Refresh()));
  }
  return Status::Ok();
}

template <typename Run>
Status WriteOperation::WithLocksHeld(Run run) {
  const WriteOperation* const outer = std::exchange(locked_operation, this);
  const bool nested = std::exchange(nested_writes, false);
  Status status = run();
  nested_writes = nested;
  locked_operation = outer;
  return status;
}

template <typename Call>
Status WriteOperation::CallLockedHooks(Call call) {
  return WithLocksHeld([&] { return CallHooks(call); });
}

Status WriteOperation::CallComputed(const Change& change, std::vector<ComputedCell>* cells) {
  return WithLocksHeld([&]() -> Status {
    for (HookView& view : views_) {
      if (view.Sees(change)) {
        KLIP_RETURN_IF_ERROR(view.hooks().Computed(view, change, cells));
      }
    }
    return Status::Ok();
  });
}

// Whether a hook has added the change.
bool WriteOperation::IsAdded(const Change& change) const {
  const std::less<const Change*> before;
  return !added_.empty() && !before(&change, &added_.front()) && !before(&added_.back(), &change);
}

template <typename Visit>
Status WriteOperation::ForEachChange(Visit visit) {
  for (Change& change : request_.changes) {
    if (change.status.ok() && !change.left_out) {
      KLIP_RETURN_IF_ERROR(visit(&change));
    }
  }
  for (Change& change : added_) {
    KLIP_RETURN_IF_ERROR(visit(&change));
  }
  return Status::Ok();
}

Status WriteOperation::AddChange(uint32_t table, const Mutation& mutation) {
  const TableUse& use = tables_[table];
  const size_t first = added_.size();
  AddChanges(mutation, &added_);
  for (size_t i = first; i < added_.size(); ++i) {
    added_[i].table = table;
    added_[i].lock = engine::RowLockIdOf(use.slot->name(), added_[i].row);
    added_locks_.push_back(added_[i].lock);
    KLIP_RETURN_IF_ERROR(use.info->CheckWritable());
    KLIP_RETURN_IF_ERROR(CheckChange(*use.info, shared_->settings.limits, added_[i]));
  }
  return Status::Ok();
}

// Converts what hooks have added to changes, and locks their rows if that needs no waiting.
Expected<WriteOperation::Outcome> WriteOperation::LockAdded() {
  added_.clear();
  bool locked = true;
  for (const auto& [change, mutation] : companions_) {
    if (change->status.ok() && !change->left_out) {
      KLIP_RETURN_IF_ERROR(AddChange(change->table, mutation));
    }
  }
  for (const auto& [name, mutation] : additions_) {
    KLIP_ASSIGN_OR_RETURN(const uint32_t index, IndexOfTable(name));
    TableUse& table = tables_[index];
    if (!table.lock.owns_lock()) {
      table.lock = shared_->store->locks().TryLockForWrite(table.slot->name());
      locked = locked && table.lock.owns_lock();
    }
    KLIP_RETURN_IF_ERROR(AddChange(index, mutation));
  }
  locked = locked && shared_->store->locks().TryLockRows(WithoutOuter(added_locks_), &rows_);
  return locked ? Outcome::kApplied : Outcome::kLockMore;
}

Expected<uint32_t> WriteOperation::IndexOfTable(std::string_view name) {
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared_->FindSlot(name));
  const auto at =
      std::find_if(tables_.begin(), tables_.end(), [&](const TableUse& use) { return use.slot == slot.get(); });
  const auto index = static_cast<uint32_t>(at - tables_.begin());
  if (at == tables_.end()) {
    KLIP_ASSIGN_OR_RETURN(InfoPtr info, slot->Current());
    tables_.push_back({.slot = slot.get(), .info = std::move(info)});
    added_tables_.push_back(slot);
  }
  return index;
}

}  // namespace klip::table
