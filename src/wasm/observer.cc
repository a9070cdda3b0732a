#include "wasm/observer.h"

#include <utility>

#include "wasm/frames.h"
#include "wasm/module_scanner.h"

namespace klip::wasm {
namespace {

BytesWriter BatchArgument(const BatchEvent& event) {
  BytesWriter argument = BeginArgument(event);
  argument.U32(event.mutations().size());
  for (const MutationRef& mutation : event.mutations()) {
    WriteMutation(mutation, &argument);
  }
  return argument;
}

class ModuleObserver final : public Observer {
 public:
  explicit ModuleObserver(std::shared_ptr<Module> module) : module_(std::move(module)) {}

  Status PrePut(ChangeEvent& event, const Put& put) override { return Before(Hook::kPrePut, event, &put); }
  Status PreDelete(ChangeEvent& event, const Delete& del) override { return Before(Hook::kPreDelete, event, &del); }
  Status PreIncrement(ChangeEvent& event, const Increment& increment) override {
    return Before(Hook::kPreIncrement, event, &increment);
  }
  Status PreAppend(ChangeEvent& event, const Append& append) override {
    return Before(Hook::kPreAppend, event, &append);
  }
  Status PreBatchMutate(BatchEvent& event) override { return Batch(Hook::kPreBatchMutate, event, /*early=*/true); }
  // Its error is only counted as a failure.
  void PostBatchMutate(BatchEvent& event) override { (void)Batch(Hook::kPostBatchMutate, event, /*early=*/false); }
  Status PreCheckAndMutate(BatchEvent& event, const RowCondition& condition) override {
    return Check(Hook::kPreCheckAndMutate, event, condition, /*early=*/true);
  }
  Status PreCheckAndMutateAfterRowLock(BatchEvent& event, const RowCondition& condition) override {
    return Check(Hook::kPreCheckAndMutateAfterRowLock, event, condition, /*early=*/true);
  }
  Status PostCheckAndMutate(BatchEvent& event, const RowCondition& condition) override {
    return Check(Hook::kPostCheckAndMutate, event, condition, /*early=*/false);
  }
  Status PostPut(ChangeEvent& event, const Put& put) override { return After(Hook::kPostPut, event, &put); }
  Status PostDelete(ChangeEvent& event, const Delete& del) override { return After(Hook::kPostDelete, event, &del); }
  Status PostIncrement(ChangeEvent& event, const Increment& increment) override {
    return After(Hook::kPostIncrement, event, &increment);
  }
  Status PostAppend(ChangeEvent& event, const Append& append) override {
    return After(Hook::kPostAppend, event, &append);
  }

  Status PostIncrementBeforeWal(ChangeEvent& event, const Increment& increment,
                                std::vector<ComputedCell>* cells) override {
    return Computed(Hook::kPostIncrementBeforeWal, event, &increment, cells);
  }
  Status PostAppendBeforeWal(ChangeEvent& event, const Append& append, std::vector<ComputedCell>* cells) override {
    return Computed(Hook::kPostAppendBeforeWal, event, &append, cells);
  }

  Status PreBulkLoad(BulkLoadEvent& event) override { return BulkLoad(Hook::kPreBulkLoad, event); }
  Status PostBulkLoad(BulkLoadEvent& event) override { return BulkLoad(Hook::kPostBulkLoad, event); }

  Expected<bool> PreGet(CoprocessorContext& context, Get* get, Result* result) override {
    if (!module_->Has(Hook::kPreGet)) {
      return false;
    }
    return Read(Hook::kPreGet, context, *get, {}, result);
  }
  Status PostGet(CoprocessorContext& context, const Get& get, Result* result) override {
    return module_->Has(Hook::kPostGet) ? Read(Hook::kPostGet, context, get, *result, result).status() : Status::Ok();
  }
  Status PreScannerOpen(CoprocessorContext& context, Scan* scan) override {
    return module_->Has(Hook::kPreScannerOpen) ? ChangeScan(context, scan) : Status::Ok();
  }
  Expected<std::unique_ptr<ResultScanner>> PostScannerOpen(CoprocessorContext& context, const Scan& /*scan*/,
                                                           std::unique_ptr<ResultScanner> scanner) override {
    return module_->Has(Hook::kPostScannerNext) || module_->Has(Hook::kPostScannerClose)
               ? MakeModuleScanner(module_, context, std::move(scanner))
               : std::move(scanner);
  }

 private:
  Status Before(Hook hook, ChangeEvent& event, MutationRef mutation) {
    return module_->Has(hook) ? Change(hook, event, mutation, /*early=*/true) : Status::Ok();
  }
  Status After(Hook hook, ChangeEvent& event, MutationRef mutation) {
    return module_->Has(hook) ? Change(hook, event, mutation, /*early=*/false) : Status::Ok();
  }
  Status Change(Hook hook, ChangeEvent& event, MutationRef mutation, bool early);
  Status Batch(Hook hook, BatchEvent& event, bool early);
  Status Check(Hook hook, BatchEvent& event, const RowCondition& condition, bool early);
  Status Computed(Hook hook, ChangeEvent& event, MutationRef mutation, std::vector<ComputedCell>* cells);
  Status BulkLoad(Hook hook, BulkLoadEvent& event);
  // Returns whether the module has answered.
  Expected<bool> Read(Hook hook, CoprocessorContext& context, const Get& get, const Result& stored, Result* result);
  Status ChangeScan(CoprocessorContext& context, Scan* scan);
  // Stores the module's answer, which must be a row.
  Status Store(Hook hook, const CallTarget& target, Result* result) const {
    return CheckAnswer(hook, ReadStored(target.answer, result));
  }
  // Adds the module's name to an error of parsing it.
  Status CheckAnswer(Hook hook, const Status& status) const;

  const std::shared_ptr<Module> module_;
};

Status ModuleObserver::Change(Hook hook, ChangeEvent& event, MutationRef mutation, bool early) {
  BytesWriter argument = BeginArgument(event);
  const Result* const result = event.result();
  const bool has_result = !early && result != nullptr && mutation.index() > 1;
  argument.U32(has_result ? 2 : 1);
  WriteMutation(mutation, &argument);
  if (has_result) {
    WriteStored(result->row(), *result, &argument);
  }
  CallTarget target = {.context = &event, .change = &event, .early = early};
  KLIP_RETURN_IF_ERROR(module_->Call(hook, argument.bytes(), &target));
  return target.answered && event.result() != nullptr ? Store(hook, target, event.result()) : Status::Ok();
}

Status ModuleObserver::Batch(Hook hook, BatchEvent& event, bool early) {
  if (!module_->Has(hook)) {
    return Status::Ok();
  }
  CallTarget target = {.context = &event, .batch = &event, .early = early};
  return module_->Call(hook, BatchArgument(event).bytes(), &target);
}

Status ModuleObserver::Check(Hook hook, BatchEvent& event, const RowCondition& condition, bool early) {
  if (!module_->Has(hook)) {
    return Status::Ok();
  }
  BytesWriter argument = BatchArgument(event);
  WriteCondition(condition, !early && event.written(), &argument);
  CallTarget target = {.context = &event, .batch = &event, .early = early};
  KLIP_RETURN_IF_ERROR(module_->Call(hook, argument.bytes(), &target));
  if (!target.answered) {
    return Status::Ok();
  }
  const Expected<bool> answer = ReadTruth(target.answer);
  KLIP_RETURN_IF_ERROR(CheckAnswer(hook, answer.status()));
  event.Answer(*answer);
  return Status::Ok();
}

// The mutation, the cells that it replaces and the new ones, as three rows.
Status ModuleObserver::Computed(Hook hook, ChangeEvent& event, MutationRef mutation, std::vector<ComputedCell>* cells) {
  if (!module_->Has(hook)) {
    return Status::Ok();
  }
  const std::string_view row = std::visit([](const auto* one) { return std::string_view(one->row); }, mutation);
  Result before;
  Result after;
  for (const ComputedCell& cell : *cells) {
    if (cell.old != nullptr) {
      before.AppendCopy(*cell.old);
    }
    after.AppendCopy({row, cell.family, cell.qualifier, cell.timestamp_ms, CellType::kPut, cell.value, cell.tags});
  }
  BytesWriter argument = BeginArgument(event);
  argument.U32(3);
  WriteMutation(mutation, &argument);
  WriteStored(row, before, &argument);
  WriteStored(row, after, &argument);
  CallTarget target = {.context = &event, .change = &event};
  KLIP_RETURN_IF_ERROR(module_->Call(hook, argument.bytes(), &target));
  if (!target.answered) {
    return Status::Ok();
  }
  Result changed;
  KLIP_RETURN_IF_ERROR(Store(hook, target, &changed));
  cells->clear();
  for (const Cell& cell : changed) {
    if (cell.row != row || cell.type != CellType::kPut) {
      return CheckAnswer(hook, {Code::kDoNotRetry, "a new cell of another row, or a delete marker"});
    }
    cells->push_back({nullptr, std::string(cell.family), std::string(cell.qualifier), cell.timestamp_ms,
                      std::string(cell.value), std::string(cell.tags)});
  }
  return Status::Ok();
}

// The files as a row: a cell for each, with its family, and its path as the value.
Status ModuleObserver::BulkLoad(Hook hook, BulkLoadEvent& event) {
  if (!module_->Has(hook)) {
    return Status::Ok();
  }
  Result files;
  for (const LoadedFile& file : event.files()) {
    files.AppendCopy({event.start_key(), file.family, "", kLatestTimestamp, CellType::kPut, file.path, {}});
  }
  BytesWriter argument = BeginArgument(event);
  argument.U32(1);
  WriteStored(event.start_key(), files, &argument);
  CallTarget target = {.context = &event};
  return module_->Call(hook, argument.bytes(), &target);
}

Expected<bool> ModuleObserver::Read(Hook hook, CoprocessorContext& context, const Get& get, const Result& stored,
                                    Result* result) {
  BytesWriter argument = BeginArgument(context);
  argument.U32(1);
  WriteStored(get.row, stored, &argument);
  CallTarget target = {.context = &context};
  KLIP_RETURN_IF_ERROR(module_->Call(hook, argument.bytes(), &target));
  if (target.answered) {
    KLIP_RETURN_IF_ERROR(Store(hook, target, result));
  }
  return target.answered;
}

Status ModuleObserver::ChangeScan(CoprocessorContext& context, Scan* scan) {
  BytesWriter argument = BeginArgument(context);
  argument.U32(0);
  WriteScan(*scan, &argument);
  CallTarget target = {.context = &context};
  KLIP_RETURN_IF_ERROR(module_->Call(Hook::kPreScannerOpen, argument.bytes(), &target));
  return target.answered ? CheckAnswer(Hook::kPreScannerOpen, ReadScan(target.answer, scan)) : Status::Ok();
}

Status ModuleObserver::CheckAnswer(Hook hook, const Status& status) const {
  const ModuleSpec& spec = module_->spec();
  return status.ok() ? status
                     : Status(Code::kDoNotRetry, "table " + spec.table + ": module " + spec.name + ", " +
                                                     std::string(NameOf(hook)) + ": " + status.message());
}

class RefusingObserver final : public Observer {
 public:
  explicit RefusingObserver(Status why) : why_(std::move(why)) {}

  Status PrePut(ChangeEvent& /*event*/, const Put& /*put*/) override { return why_; }
  Status PreDelete(ChangeEvent& /*event*/, const Delete& /*del*/) override { return why_; }
  Status PreIncrement(ChangeEvent& /*event*/, const Increment& /*increment*/) override { return why_; }
  Status PreAppend(ChangeEvent& /*event*/, const Append& /*append*/) override { return why_; }
  Status PreCheckAndMutate(BatchEvent& /*event*/, const RowCondition& /*condition*/) override { return why_; }
  Status PreBulkLoad(BulkLoadEvent& /*event*/) override { return why_; }
  Expected<bool> PreGet(CoprocessorContext& /*context*/, Get* /*get*/, Result* /*result*/) override { return why_; }
  Status PreScannerOpen(CoprocessorContext& /*context*/, Scan* /*scan*/) override { return why_; }

 private:
  const Status why_;
};

}  // namespace

std::shared_ptr<Observer> MakeObserver(std::shared_ptr<Module> module) {
  return std::make_shared<ModuleObserver>(std::move(module));
}

std::shared_ptr<Observer> MakeRefusingObserver(Status why) {
  return std::make_shared<RefusingObserver>(std::move(why));
}

Expected<std::string> CallModule(Module* module, EndpointContext& context, std::string_view method,
                                 std::string_view request) {
  BytesWriter argument = BeginArgument(context);
  argument.Bytes(context.start_key()).Bytes(context.end_key()).Bytes(method).Bytes(request);
  CallTarget target = {.context = &context};
  KLIP_RETURN_IF_ERROR(module->Call(Hook::kCall, argument.bytes(), &target));
  return std::move(target.answer);
}

}  // namespace klip::wasm
