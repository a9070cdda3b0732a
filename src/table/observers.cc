#include "table/observers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "table/coprocessor_context.h"
#include "table/info/table_info.h"
#include "table/write/change.h"
#include "table/write/write_operation.h"

namespace klip::table {
namespace {

// A change as observers see it during the whole operation.
struct Observed {
  Change* change = nullptr;
  size_t kind = 0;              // index of the mutation's type in Mutation
  std::string_view row;         // of the request
  Mutation* edited = nullptr;   // null: not edited
  bool bypassed = false;        // by an observer
  std::vector<Mutation> cells;  // the puts and deletes that correspond to cells written unchanged
};

struct ObservedWrite final : WriteContext::State {
  std::vector<Observed> changes;
};

// Puts and markers of one row.
std::vector<Mutation> MutationsOf(std::span<const Cell> cells) {
  Put put = {.row = std::string(cells.front().row)};
  Delete del = {.row = put.row};
  for (const Cell& cell : cells) {
    if (cell.type == CellType::kPut) {
      put.columns.push_back({std::string(cell.family), std::string(cell.qualifier), std::string(cell.value),
                             cell.timestamp_ms, std::string(cell.tags)});
    } else {
      del.markers.push_back({cell.type, std::string(cell.family), std::string(cell.qualifier), cell.timestamp_ms});
    }
  }
  std::vector<Mutation> mutations;
  if (!put.columns.empty()) {
    mutations.emplace_back(std::move(put));
  }
  if (!del.markers.empty()) {
    mutations.emplace_back(std::move(del));
  }
  return mutations;
}

Observed Observe(Change* change) {
  Observed observed = {.change = change, .kind = change->source.index(), .row = change->row};
  if (const auto* cells = std::get_if<std::span<const Cell>>(&change->source); cells != nullptr) {
    observed.cells = MutationsOf(*cells);
  }
  return observed;
}

// The change's current state.
std::vector<MutationRef> RefsOf(const Observed& observed) {
  std::vector<MutationRef> refs;
  for (const Mutation& one : observed.cells) {
    std::visit([&refs](const auto& mutation) { refs.emplace_back(&mutation); }, one);
  }
  std::visit(
      [&refs]<typename Source>(const Source& source) {
        if constexpr (std::is_pointer_v<Source>) {
          refs.emplace_back(source);
        }
      },
      observed.change->source);
  return refs;
}

Mutation* EditOf(WriteContext* write, Observed* observed) {
  if (observed->edited == nullptr && write != nullptr) {
    observed->edited = write->Edit(observed->change);
  }
  return write == nullptr ? nullptr : observed->edited;
}

void BypassOf(WriteContext* write, Observed* observed) {
  if (write != nullptr) {
    observed->bypassed = true;
    write->LeaveOut(observed->change);
  }
}

// Whether a client's request can be written in its place.
Status CheckEdit(const Observed& observed) {
  if (observed.edited == nullptr) {
    return Status::Ok();
  }
  const std::string& row = std::visit([](const auto& one) -> const std::string& { return one.row; }, *observed.edited);
  return observed.edited->index() == observed.kind && row == observed.row
             ? Status::Ok()
             : Status(Code::kDoNotRetry, "an observer has changed the row or the kind of a mutation of row " +
                                             ToStringBinary(observed.row));
}

class ChangeEventOf final : public ContextOf<ChangeEvent> {
 public:
  // `write` null: it is written already.
  ChangeEventOf(const Attached& attached, const TableDescriptor& table, bool locked, WriteContext* write,
                Observed* observed, Result* result)
      : ContextOf(attached, table, locked), write_(write), observed_(observed), result_(result) {}

  Mutation* Edit() override { return EditOf(write_, observed_); }
  void Bypass() override { BypassOf(write_, observed_); }
  Result* result() override { return result_; }

 private:
  WriteContext* const write_;
  Observed* const observed_;
  Result* const result_;
};

class BulkLoadEventOf final : public ContextOf<BulkLoadEvent> {
 public:
  BulkLoadEventOf(const Attached& attached, const WriteContext& write)
      : ContextOf(attached, write.table().view->descriptor, /*locked=*/false),
        files_(write.files().files),
        start_key_(write.table().view->RegionOf(write.files().row).start_key) {}

  std::span<const LoadedFile> files() const override { return files_; }
  const std::string& start_key() const override { return start_key_; }

 private:
  const std::span<const LoadedFile> files_;
  const std::string& start_key_;
};

enum class Phase : uint8_t { kBefore, kIn, kWritten, kAfter };

class BatchEventOf final : public ContextOf<BatchEvent> {
 public:
  BatchEventOf(const Attached& attached, WriteContext& write, ObservedWrite* observed, Phase phase, bool locked)
      : ContextOf(attached, write.table().view->descriptor, locked), write_(write), phase_(phase) {
    for (Observed& one : observed->changes) {
      // After the commit, as for PostPut: changes that an observer has bypassed count as written.
      if (one.change->status.ok() && (!one.change->left_out || (phase == Phase::kAfter && one.bypassed))) {
        for (const MutationRef& ref : RefsOf(one)) {
          refs_.push_back(ref);
          owners_.push_back(&one);
        }
      }
    }
  }

  std::span<const MutationRef> mutations() const override { return refs_; }
  Mutation* Edit(size_t index) override {
    Mutation* const edited = EditOf(early(), owners_[index]);
    if (edited != nullptr) {
      std::visit([&](const auto& one) { refs_[index] = &one; }, *edited);
    }
    return edited;
  }
  void Bypass(size_t index) override { BypassOf(early(), owners_[index]); }
  Status Add(std::string_view table, Mutation mutation) override {
    if (phase_ != Phase::kIn) {
      return {Code::kUnsupported, "changes are added in PreBatchMutate"};
    }
    write_.Add(table, std::move(mutation));
    return Status::Ok();
  }
  Status Get(std::string_view table, const klip::Get& get, Result* result) override {
    return write_.Get(table, get, result);
  }
  void Answer(bool success) override {
    answered_ = true;
    write_.Answer(success);
  }
  bool written() const override { return write_.written(); }

  bool answered() const { return answered_; }
  // Checks what an observer has edited.
  Status Check() const {
    for (const Observed* const one : owners_) {
      KLIP_RETURN_IF_ERROR(CheckEdit(*one));
    }
    return Status::Ok();
  }

 private:
  WriteContext* early() { return phase_ < Phase::kWritten ? &write_ : nullptr; }

  WriteContext& write_;
  const Phase phase_;
  std::vector<MutationRef> refs_;
  std::vector<Observed*> owners_;  // of each mutation
  bool answered_ = false;
};

Status Pre(Observer& observer, ChangeEvent& event, const Put& put) { return observer.PrePut(event, put); }
Status Pre(Observer& observer, ChangeEvent& event, const Delete& del) { return observer.PreDelete(event, del); }
Status Pre(Observer& observer, ChangeEvent& event, const Increment& increment) {
  return observer.PreIncrement(event, increment);
}
Status Pre(Observer& observer, ChangeEvent& event, const Append& append) { return observer.PreAppend(event, append); }
Status Post(Observer& observer, ChangeEvent& event, const Put& put) { return observer.PostPut(event, put); }
Status Post(Observer& observer, ChangeEvent& event, const Delete& del) { return observer.PostDelete(event, del); }
Status Post(Observer& observer, ChangeEvent& event, const Increment& increment) {
  return observer.PostIncrement(event, increment);
}
Status Post(Observer& observer, ChangeEvent& event, const Append& append) { return observer.PostAppend(event, append); }

// The observers of one table, in order: one link of its chain of hooks.
class ObserverHooks final : public OperationHooks {
 public:
  using Observers = std::vector<std::shared_ptr<Observer>>;
  ObserverHooks(std::shared_ptr<const Attached> attached, Observers observers)
      : attached_(std::move(attached)), observers_(std::move(observers)) {}

  Status BeforeWrite(WriteContext& write) override;
  Status Locked(WriteContext& write) override;
  Status InWrite(WriteContext& write) override;
  Status Computed(WriteContext& write, const Change& change, std::vector<ComputedCell>* cells) override;
  Status Written(WriteContext& write) override;
  Status AfterWrite(WriteContext& write) override;
  Status OnGet(const TableInfo& table, const klip::Get& get, const RunGet& run, Result* result) override;
  Expected<std::unique_ptr<ResultScanner>> OnScan(const TableInfo& table, const klip::Scan& scan,
                                                  const OpenScan& open) override;

 private:
  using OfChange = Status (*)(Observer&, ChangeEvent&, const MutationRef&);

  static ObservedWrite* StateOf(WriteContext& write);
  // Calls the hooks of single mutations.
  Status BeforeEach(WriteContext& write, bool locked);
  Status AfterEach(WriteContext& write);
  Status CallEach(WriteContext& write, Observed* observed, bool before, bool locked);
  // Calls `call(observer, event)` until one answers or fails.
  template <typename Call>
  Status CallBatch(WriteContext& write, Phase phase, bool locked, Call call);
  template <typename Call>
  Status CallBulk(WriteContext& write, Call call);

  const std::shared_ptr<const Attached> attached_;
  const Observers observers_;
};

ObservedWrite* ObserverHooks::StateOf(WriteContext& write) {
  if (write.state() == nullptr) {
    auto state = std::make_unique<ObservedWrite>();
    for (Change* const change : write.changes()) {
      state->changes.push_back(Observe(change));
    }
    write.state() = std::move(state);
  }
  return static_cast<ObservedWrite*>(write.state().get());
}

Status ObserverHooks::CallEach(WriteContext& write, Observed* observed, bool before, bool locked) {
  ChangeEventOf event(*attached_, write.table().view->descriptor, locked, before ? &write : nullptr, observed,
                      write.result());
  for (const std::shared_ptr<Observer>& observer : observers_) {
    for (const MutationRef& ref : RefsOf(*observed)) {
      KLIP_RETURN_IF_ERROR(std::visit(
          [&](const auto* one) { return before ? Pre(*observer, event, *one) : Post(*observer, event, *one); }, ref));
      KLIP_RETURN_IF_ERROR(CheckEdit(*observed));
    }
    if (before && observed->bypassed) {
      break;
    }
  }
  return Status::Ok();
}

Status ObserverHooks::BeforeEach(WriteContext& write, bool locked) {
  for (Observed& observed : StateOf(write)->changes) {
    if (observed.change->status.ok() && !observed.change->left_out) {
      KLIP_RETURN_IF_ERROR(CallEach(write, &observed, /*before=*/true, locked));
    }
  }
  return Status::Ok();
}

Status ObserverHooks::AfterEach(WriteContext& write) {
  for (Observed& observed : StateOf(write)->changes) {
    if (observed.change->status.ok() && (observed.bypassed || !observed.change->left_out)) {
      KLIP_RETURN_IF_ERROR(CallEach(write, &observed, /*before=*/false, /*locked=*/false));
    }
  }
  return Status::Ok();
}

template <typename Call>
Status ObserverHooks::CallBatch(WriteContext& write, Phase phase, bool locked, Call call) {
  for (const std::shared_ptr<Observer>& observer : observers_) {
    BatchEventOf event(*attached_, write, StateOf(write), phase, locked);
    KLIP_RETURN_IF_ERROR(call(*observer, event));
    KLIP_RETURN_IF_ERROR(event.Check());
    if (event.answered() && phase < Phase::kWritten) {
      break;
    }
  }
  return Status::Ok();
}

template <typename Call>
Status ObserverHooks::CallBulk(WriteContext& write, Call call) {
  BulkLoadEventOf event(*attached_, write);
  for (const std::shared_ptr<Observer>& observer : observers_) {
    KLIP_RETURN_IF_ERROR(call(*observer, event));
  }
  return Status::Ok();
}

Status ObserverHooks::BeforeWrite(WriteContext& write) {
  if (write.kind() == WriteKind::kBulkLoad) {
    return CallBulk(write, [](Observer& observer, BulkLoadEvent& event) { return observer.PreBulkLoad(event); });
  }
  if (write.condition() == nullptr) {
    return BeforeEach(write, /*locked=*/false);
  }
  return CallBatch(write, Phase::kBefore, /*locked=*/false, [&write](Observer& observer, BatchEvent& event) {
    return observer.PreCheckAndMutate(event, *write.condition());
  });
}

Status ObserverHooks::Locked(WriteContext& write) {
  if (write.condition() == nullptr) {
    return Status::Ok();
  }
  return CallBatch(write, Phase::kBefore, /*locked=*/true, [&write](Observer& observer, BatchEvent& event) {
    return observer.PreCheckAndMutateAfterRowLock(event, *write.condition());
  });
}

Status ObserverHooks::InWrite(WriteContext& write) {
  if (write.kind() == WriteKind::kBulkLoad) {
    return Status::Ok();
  }
  if (write.condition() != nullptr) {
    KLIP_RETURN_IF_ERROR(BeforeEach(write, /*locked=*/true));
  }
  return CallBatch(write, Phase::kIn, /*locked=*/true,
                   [](Observer& observer, BatchEvent& event) { return observer.PreBatchMutate(event); });
}

Status ObserverHooks::Computed(WriteContext& write, const Change& change, std::vector<ComputedCell>* cells) {
  std::vector<Observed>& changes = StateOf(write)->changes;
  const auto observed = std::ranges::find(changes, &change, &Observed::change);
  if (observed == changes.end()) {
    return Status::Ok();
  }
  ChangeEventOf event(*attached_, write.table().view->descriptor, /*locked=*/true, nullptr, &*observed, nullptr);
  for (const std::shared_ptr<Observer>& observer : observers_) {
    if (const auto* const increment = std::get_if<const Increment*>(&change.source); increment != nullptr) {
      KLIP_RETURN_IF_ERROR(observer->PostIncrementBeforeWal(event, **increment, cells));
    } else if (const auto* const append = std::get_if<const Append*>(&change.source); append != nullptr) {
      KLIP_RETURN_IF_ERROR(observer->PostAppendBeforeWal(event, **append, cells));
    }
  }
  return Status::Ok();
}

Status ObserverHooks::Written(WriteContext& write) {
  if (write.kind() == WriteKind::kBulkLoad) {
    return Status::Ok();
  }
  return CallBatch(write, Phase::kWritten, /*locked=*/true, [](Observer& observer, BatchEvent& event) {
    observer.PostBatchMutate(event);
    return Status::Ok();
  });
}

Status ObserverHooks::AfterWrite(WriteContext& write) {
  if (write.kind() == WriteKind::kBulkLoad) {
    return CallBulk(write, [](Observer& observer, BulkLoadEvent& event) { return observer.PostBulkLoad(event); });
  }
  if (write.written()) {
    KLIP_RETURN_IF_ERROR(AfterEach(write));
  }
  if (write.condition() == nullptr) {
    return Status::Ok();
  }
  return CallBatch(write, Phase::kAfter, /*locked=*/false, [&write](Observer& observer, BatchEvent& event) {
    return observer.PostCheckAndMutate(event, *write.condition());
  });
}

Status ObserverHooks::OnGet(const TableInfo& table, const klip::Get& get, const RunGet& run, Result* result) {
  ContextOf<CoprocessorContext> context(*attached_, table.view->descriptor, /*locked=*/false);
  klip::Get asked = get;
  for (const std::shared_ptr<Observer>& observer : observers_) {
    KLIP_ASSIGN_OR_RETURN(const bool answered, observer->PreGet(context, &asked, result));
    if (answered) {
      return Status::Ok();
    }
  }
  KLIP_RETURN_IF_ERROR(run(asked, result));
  for (const std::shared_ptr<Observer>& observer : observers_) {
    KLIP_RETURN_IF_ERROR(observer->PostGet(context, asked, result));
  }
  return Status::Ok();
}

Expected<std::unique_ptr<ResultScanner>> ObserverHooks::OnScan(const TableInfo& table, const klip::Scan& scan,
                                                               const OpenScan& open) {
  ContextOf<CoprocessorContext> context(*attached_, table.view->descriptor, /*locked=*/false);
  klip::Scan asked = scan;
  for (const std::shared_ptr<Observer>& observer : observers_) {
    KLIP_RETURN_IF_ERROR(observer->PreScannerOpen(context, &asked));
  }
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, open(asked));
  for (const std::shared_ptr<Observer>& observer : observers_) {
    KLIP_ASSIGN_OR_RETURN(scanner, observer->PostScannerOpen(context, asked, std::move(scanner)));
    if (scanner == nullptr) {
      return Status(Code::kDoNotRetry, "an observer of table '" + table.name() + "' has returned no scanner");
    }
  }
  return scanner;
}

// The observers of the program and of the table's modules, by priority; if equal, the program's come first.
ObserverHooks::Observers ObserversOf(const Attached& attached, const TableDescriptor& table) {
  std::vector<ObserverRegistration> all;
  for (const ObserverRegistration& one : attached.observers) {
    if (one.tables(table)) {
      all.push_back(one);
    }
  }
  if (attached.modules != nullptr) {
    std::ranges::move(attached.modules->ObserversOf(table), std::back_inserter(all));
    std::ranges::stable_sort(all, {}, &ObserverRegistration::priority);
  }
  ObserverHooks::Observers observers;
  for (ObserverRegistration& one : all) {
    observers.push_back(std::move(one.observer));
  }
  return observers;
}

}  // namespace

Expected<std::shared_ptr<Attached>> Attach(const ConnectionOptions& options) {
  auto attached = std::make_shared<Attached>(options.observers, options.endpoints);
  for (const ObserverRegistration& one : attached->observers) {
    if (one.tables == nullptr || one.observer == nullptr || one.priority < kPriorityHighest) {
      return Status(Code::kInvalidArgument,
                    "an observer is registered without its tables or itself, or with a priority less than 0");
    }
  }
  for (const EndpointRegistration& one : attached->endpoints) {
    if (one.tables == nullptr || one.endpoint == nullptr || one.service.empty()) {
      return Status(Code::kInvalidArgument, "an endpoint is registered without its tables, a service or itself");
    }
  }
  std::ranges::stable_sort(attached->observers, {}, &ObserverRegistration::priority);
  if (!options.ignore_coprocessors) {
    attached->modules = std::make_shared<wasm::Modules>(options.wasm_runtime);
  }
  return attached;
}

HookSource ObserversBefore(std::shared_ptr<const Attached> attached, HookSource others) {
  if (attached->observers.empty() && attached->modules == nullptr) {
    return others;
  }
  return [attached = std::move(attached), others = std::move(others)](const TableDescriptor& table) -> HookChainPtr {
    HookChainPtr behind = others == nullptr ? nullptr : others(table);
    const ObserverHooks::Observers observers = ObserversOf(*attached, table);
    if (observers.empty()) {
      return behind;
    }
    auto chain = std::make_shared<HookChain>();
    chain->push_back(std::make_shared<ObserverHooks>(attached, observers));
    if (behind != nullptr) {
      chain->insert(chain->end(), behind->begin(), behind->end());
    }
    return chain;
  };
}

}  // namespace klip::table
