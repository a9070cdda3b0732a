#include "coprocessor/java_hooks.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "coprocessor/hooked_scanner.h"
#include "coprocessor/log_hooks.h"
#include "coprocessor/region_calls.h"
#include "coprocessor/store_hooks.h"
#include "klip/bytes.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"
#include "table/write/change.h"
#include "table/write/write_operation.h"

namespace klip::coprocessor {
namespace {

using table::Change;
using table::WriteContext;

constexpr uint8_t kFirst = 1;
constexpr uint8_t kLast = 2;

enum class Phase : uint8_t { kBefore = 1, kLocked, kIn, kWritten, kAfter, kComputed, kBeforeCommit };
enum class WriteFrameKind : uint8_t { kPlain, kCheckAndMutate, kEachByItself };
enum class Verdict : uint8_t { kAsItWas, kChanged, kBypassed, kBypassedWithResult, kFailed };
enum class Outcome : uint8_t { kConditionDidNotHold, kWritten, kFailed };

constexpr uint8_t kGetBypassed = 1;
constexpr uint8_t kGetChanged = 2;

const HookMask kBeforeCheck = HooksOf("preCheckAndMutate", "preCheckAndPut", "preCheckAndDelete");
const HookMask kLockedCheck =
    HooksOf("preCheckAndMutateAfterRowLock", "preCheckAndPutAfterRowLock", "preCheckAndDeleteAfterRowLock");
const HookMask kAfterCheck = HooksOf("postCheckAndMutate", "postCheckAndPut", "postCheckAndDelete");
const HookMask kBeforeBatch = HooksOf("preBatchMutate");
const HookMask kAfterBatch = HooksOf("postBatchMutate");
const HookMask kBeforeLog = HooksOf("preWALAppend");
const HookMask kAlways = HooksOf("postBatchMutateIndispensably");

// The hooks of one kind of mutation.
struct MutationHooks {
  HookMask before;
  HookMask after_row_lock;
  HookMask after;
  HookMask computed;
};

const MutationHooks& HooksFor(const Change& change) {
  static const MutationHooks kPut = {HooksOf("prePut"), {}, HooksOf("postPut")};
  static const MutationHooks kDelete = {HooksOf("preDelete"), HooksOf("prePrepareTimeStampForDeleteVersion"),
                                        HooksOf("postDelete")};
  static const MutationHooks kIncrement = {HooksOf("preIncrement"), HooksOf("preIncrementAfterRowLock"),
                                           HooksOf("postIncrement"), HooksOf("postIncrementBeforeWAL")};
  static const MutationHooks kAppend = {HooksOf("preAppend"), HooksOf("preAppendAfterRowLock"), HooksOf("postAppend"),
                                        HooksOf("postAppendBeforeWAL")};
  // Replicated cells: HBase's sink writes them as puts and deletes.
  static const MutationHooks kCells = {HooksOf("prePut", "preDelete"), {}, HooksOf("postPut", "postDelete")};
  static const MutationHooks* const kOf[] = {&kPut, &kDelete, &kIncrement, &kAppend, &kCells};
  return *kOf[change.source.index()];
}

void FillCells(std::span<const Cell> cells, rpc::Buffer* block, hbase::pb::MutationProto* message) {
  const bool deletes =
      std::all_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.type != CellType::kPut; });
  message->set_mutate_type(deletes ? hbase::pb::MutationProto::DELETE : hbase::pb::MutationProto::PUT);
  message->set_durability(hbase::pb::MutationProto::USE_DEFAULT);
  message->set_associated_cell_count(static_cast<int32_t>(cells.size()));
  for (const Cell& cell : cells) {
    rpc::AppendCell(cell, kCodec, block);
  }
}

void WriteMutation(const Change& change, FrameWriter* out) {
  hbase::pb::MutationProto message;
  const messages::MutationOutput output = {.cells = out->cells(), .codec = kCodec};
  std::visit(
      [&]<typename Source>(const Source& source) {
        if constexpr (std::is_pointer_v<Source>) {
          messages::FillMutation(*source, output, &message);
        } else {
          FillCells(source, output.cells, &message);
        }
      },
      change.source);
  out->Message(message);
}

// The number of an operation of a session.
uint32_t NextNumber() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

}  // namespace

// A write from its first hook to its last. Holds a session, since the host keeps the operation's objects with it.
class JavaHooks::Write final : public WriteContext::State {
 public:
  Write(Host::Lease lease, OpenTablePtr open) : lease_(std::move(lease)), open_(std::move(open)) {}

  ~Write() override {
    if (begun_ && !ended_) {
      lease_.Send(Method::kRelease, FrameWriter().U32(number_));
    }
  }

  const HookMask& hooks() const { return open_->hooks; }

  // Whether a change of the operation has a hook of `which`, even if hooks have omitted the change.
  bool Wants(const WriteContext& write, HookMask MutationHooks::* which) const {
    const auto wants = [&](const MutationHooks* of) { return (of->*which & hooks()).any(); };
    return begun_
               ? std::any_of(sent_hooks_.begin(), sent_hooks_.end(), wants)
               : std::ranges::any_of(write.changes(), [&](const Change* change) { return wants(&HooksFor(*change)); });
  }

  // Whether a phase after the commit has a hook.
  bool WantsAfter(const WriteContext& write) const {
    const bool checks = write.condition() != nullptr;
    return ((!checks || write.written()) && ((hooks() & kAlways).any() || Wants(write, &MutationHooks::after))) ||
           (checks && (hooks() & kAfterCheck).any());
  }

  // Whether no phase after the first one has a hook.
  bool EndsEarly(const WriteContext& write) const {
    return write.condition() == nullptr && (hooks() & (kBeforeBatch | kBeforeLog | kAfterBatch | kAlways)).none() &&
           !Wants(write, &MutationHooks::after_row_lock) && !Wants(write, &MutationHooks::after) &&
           !Wants(write, &MutationHooks::computed);
  }

  // Calls the host, and applies its answer to the changes.
  Status Ask(WriteContext& write, Phase phase, uint8_t flags = 0);
  Status AskAfter(WriteContext& write);
  // The operation has its locks, or had them.
  void NoteLocked() { locked_ = true; }
  // As HBase does if it could not write a batch.
  void TellFailure(WriteContext& write) {
    failed_ = true;
    if (locked_ && (hooks() & kAlways).any()) {
      (void)AskAfter(write);
    }
  }
  Status AskComputed(WriteContext& write, const Change& change, std::vector<ComputedCell>* cells);
  Status AskBeforeCommit(WriteContext& write);

 private:
  FrameWriter Begin(WriteContext& write, Phase phase, uint8_t flags);
  void WriteGroups(WriteContext& write, FrameWriter* out);
  Status ReadVerdicts(WriteContext& write, FrameReader* answer);
  Status ReadAdditions(WriteContext& write, FrameReader* answer);
  Status Replace(WriteContext& write, Change* change, FrameReader* answer);
  static Status ReadFailure(FrameReader* answer);

  Host::Lease lease_;
  const OpenTablePtr open_;
  std::vector<Change*> sent_;                     // in the host's order
  std::vector<const MutationHooks*> sent_hooks_;  // of these, as they were sent
  uint32_t number_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  bool locked_ = false;
  bool failed_ = false;  // a hook has failed the call after the commit, or nothing was written
};

FrameWriter JavaHooks::Write::Begin(WriteContext& write, Phase phase, uint8_t flags) {
  FrameWriter out;
  if (!begun_) {
    number_ = NextNumber();
  }
  out.U8(static_cast<uint8_t>(phase)).U8(static_cast<uint8_t>(flags | (begun_ ? 0 : kFirst))).U32(number_);
  if (!begun_) {
    begun_ = true;
    WriteCaller(&out);
    WriteGroups(write, &out);
  }
  ended_ = (flags & kLast) != 0;
  return out;
}

void JavaHooks::Write::WriteGroups(WriteContext& write, FrameWriter* out) {
  // As in HBase, an exception in a hook fails all mutations of a batch, and a status only one.
  const bool checks = write.condition() != nullptr;
  out->U8(static_cast<uint8_t>(checks                   ? WriteFrameKind::kCheckAndMutate
                               : write.each_by_itself() ? WriteFrameKind::kEachByItself
                                                        : WriteFrameKind::kPlain));
  hbase::pb::Condition condition;
  const bool has_condition = checks && !write.changes().empty() &&
                             messages::FillCondition(write.changes().front()->row, *write.condition(), &condition).ok();
  out->U8(has_condition ? 1 : 0);
  if (has_condition) {
    out->Message(condition);
  }
  std::map<size_t, std::vector<Change*>> by_region;
  for (Change* const change : write.changes()) {
    const engine::Region& region = open_->view->RegionOf(change->row);
    by_region[static_cast<size_t>(&region - open_->view->regions->data())].push_back(change);
  }
  out->U32(by_region.size());
  for (const auto& [region, changes] : by_region) {
    out->U64(open_->regions[region]->id).U32(changes.size());
    for (Change* const change : changes) {
      WriteMutation(*change, out);
      sent_.push_back(change);
      sent_hooks_.push_back(&HooksFor(*change));
    }
  }
}

Status JavaHooks::Write::Ask(WriteContext& write, Phase phase, uint8_t flags) {
  FrameWriter call = Begin(write, phase, flags);
  Expected<FrameReader> called = lease_.Call(Method::kWrite, call);
  failed_ = failed_ || !called.ok();
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, std::move(called));
  if (phase == Phase::kWritten) {
    return answer.status();
  }
  if (phase != Phase::kIn && answer.U8() != 0) {
    const bool success = answer.U8() != 0;
    const Result result = answer.Answer();
    KLIP_RETURN_IF_ERROR(answer.status());
    write.Answer(success);
    if (write.result() != nullptr) {
      *write.result() = result.Clone();
    }
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(ReadVerdicts(write, &answer));
  return phase == Phase::kIn ? ReadAdditions(write, &answer) : Status::Ok();
}

Status JavaHooks::Write::ReadVerdicts(WriteContext& write, FrameReader* answer) {
  for (Change* const change : sent_) {
    switch (static_cast<Verdict>(answer->U8())) {
      case Verdict::kAsItWas:
        break;
      case Verdict::kChanged:
        KLIP_RETURN_IF_ERROR(Replace(write, change, answer));
        break;
      case Verdict::kBypassed:
        write.LeaveOut(change);
        break;
      case Verdict::kBypassedWithResult: {
        const Result result = answer->Answer();
        for (const Cell& cell : result) {
          if (write.result() != nullptr) {
            write.result()->AppendCopy(cell);
          }
        }
        write.LeaveOut(change);
        break;
      }
      case Verdict::kFailed:
        change->status = ReadFailure(answer);
        if (!write.each_by_itself()) {
          return change->status;
        }
        break;
      default:
        return {Code::kIoError, "the coprocessor host answered with a verdict that klip does not know"};
    }
  }
  return answer->status();
}

Status JavaHooks::Write::ReadFailure(FrameReader* answer) {
  std::string java_class(answer->Text());
  std::string message(answer->Text());
  const bool retryable = answer->U8() == 0;
  KLIP_RETURN_IF_ERROR(answer->status());
  return Status::OfJava(std::move(java_class), std::move(message), retryable);
}

// Takes the mutation as changed by hooks, who may have put delete markers into a Put.
Status JavaHooks::Write::Replace(WriteContext& write, Change* change, FrameReader* answer) {
  hbase::pb::MutationProto message;
  std::vector<Mutation> changed;
  answer->Message(&message);
  KLIP_RETURN_IF_ERROR(answer->status());
  KLIP_RETURN_IF_ERROR(messages::AddMutations(message, answer->cells(), &changed));
  const auto of_row = [change](const Mutation& one) { return messages::RowOf(one) == change->row; };
  if (changed.empty() || !std::ranges::all_of(changed, of_row) || !write.Replace(change, std::move(changed.front()))) {
    return {Code::kDoNotRetry, "a coprocessor changed a mutation of row " + ToStringBinary(change->row) +
                                   " in a way that klip cannot write: its row must stay, and replicated edits are "
                                   "written as they are"};
  }
  change->left_out = false;
  write.SetCompanion(change, changed.size() > 1 ? std::optional(std::move(changed.back())) : std::nullopt);
  return Status::Ok();
}

// Adds the hooks' additional mutations to the commit.
Status JavaHooks::Write::ReadAdditions(WriteContext& write, FrameReader* answer) {
  for (uint32_t count = answer->U32(); count > 0 && answer->status().ok(); --count) {
    answer->U32();  // the mutation to which it was added
    hbase::pb::MutationProto message;
    std::vector<Mutation> added;
    answer->Message(&message);
    KLIP_RETURN_IF_ERROR(answer->status());
    KLIP_RETURN_IF_ERROR(messages::AddMutations(message, answer->cells(), &added));
    for (Mutation& mutation : added) {
      write.Add(write.table().name(), std::move(mutation));
    }
  }
  return answer->status();
}

Status JavaHooks::Write::AskAfter(WriteContext& write) {
  if (sent_.empty() && write.changes().empty()) {
    return Status::Ok();
  }
  FrameWriter call = Begin(write, Phase::kAfter, kLast);
  call.U8(static_cast<uint8_t>(failed_           ? Outcome::kFailed
                               : write.written() ? Outcome::kWritten
                                                 : Outcome::kConditionDidNotHold));
  const bool one = sent_.size() == 1;
  for (const Change* const change : sent_) {
    const bool done = write.written() && !failed_ && change->status.ok() && !change->left_out;
    call.U8(done ? 1 : 0);
    call.Answer(one && write.result() != nullptr ? write.result()->Clone() : Result());
  }
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease_.Call(Method::kWrite, call));
  for (size_t i = 0; i < sent_.size(); ++i) {
    if (answer.U8() != 0) {
      Result changed = answer.Answer();
      if (one && write.result() != nullptr) {
        *write.result() = std::move(changed);
      }
    }
  }
  if (answer.U8() != 0) {
    write.Answer(answer.U8() != 0);
  }
  return answer.status();
}

Status JavaHooks::Write::AskComputed(WriteContext& write, const Change& change, std::vector<ComputedCell>* cells) {
  FrameWriter call = Begin(write, Phase::kComputed, 0);
  call.U32(static_cast<size_t>(std::ranges::find(sent_, &change) - sent_.begin())).U32(cells->size());
  for (const ComputedCell& cell : *cells) {
    call.U8(cell.old != nullptr ? 1 : 0);
    if (cell.old != nullptr) {
      rpc::AppendCell(*cell.old, kCodec, call.cells());
    }
    rpc::AppendCell({change.row, cell.family, cell.qualifier, cell.timestamp_ms, CellType::kPut, cell.value, cell.tags},
                    kCodec, call.cells());
  }
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease_.Call(Method::kWrite, call));
  std::vector<ComputedCell> changed;
  Cell cell;
  while (answer.cells()->Next(&cell)) {
    if (cell.row != change.row || cell.type != CellType::kPut) {
      return {Code::kDoNotRetry, "a coprocessor replaced a new cell of row " + ToStringBinary(change.row) +
                                     " by a cell of another row or by a delete marker"};
    }
    changed.push_back({nullptr, std::string(cell.family), std::string(cell.qualifier), cell.timestamp_ms,
                       std::string(cell.value), std::string(cell.tags)});
  }
  *cells = std::move(changed);
  return answer.status();
}

Status JavaHooks::Write::AskBeforeCommit(WriteContext& write) {
  FrameWriter call = Begin(write, Phase::kBeforeCommit, 0);
  const std::vector<RegionEdit> edits = EditsOf(write);
  call.U32(edits.size());
  for (const RegionEdit& edit : edits) {
    call.U64(open_->RegionOf(edit.region->start_key)->id).U32(edit.cells);
    call.cells()->Append(edit.block.view());
  }
  return lease_.Call(Method::kWrite, call).status();
}

Expected<OpenTablePtr> JavaHooks::Open(Host::Lease* lease, const engine::TablePtr& view) {
  OpenTablePtr open = open_.load();
  if (open != nullptr && open->view == view && open->generation == lease->generation()) {
    return open;
  }
  KLIP_ASSIGN_OR_RETURN(open, OpenRegions(host_, lease, view));
  open_.store(open);
  host_->CloseRegions(view->descriptor.name, view.get());
  return open;
}

Expected<JavaHooks::Write*> JavaHooks::WriteOf(WriteContext& write) {
  if (write.state() == nullptr) {
    KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
    KLIP_ASSIGN_OR_RETURN(OpenTablePtr open, Open(&lease, write.table().view));
    write.state() = std::make_unique<Write>(std::move(lease), std::move(open));
  }
  return static_cast<Write*>(write.state().get());
}

// Calls one of the hooks of a load of HFiles into one region. HBase has no hooks for klip's own loads of sorted rows.
Status JavaHooks::CallBulk(WriteContext& write, std::string_view hook) {
  const table::LoadedFiles from = write.files();
  if (from.files.empty()) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  KLIP_ASSIGN_OR_RETURN(const OpenTablePtr open, Open(&lease, write.table().view));
  if ((open->hooks & HooksOf(hook)).none()) {
    return Status::Ok();
  }
  FrameWriter call = BeginEvent(hook, *open->RegionOf(from.row));
  call.U32(from.files.size());
  for (const LoadedFile& file : from.files) {
    call.Text(file.family).Text(file.path);
  }
  return lease.Call(Method::kRegionEvent, call).status();
}

Status JavaHooks::BeforeWrite(WriteContext& write) {
  if (write.kind() == table::WriteKind::kBulkLoad) {
    return CallBulk(write, "preBulkLoadHFile");
  }
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  const bool wanted =
      write.condition() != nullptr ? (java->hooks() & kBeforeCheck).any() : java->Wants(write, &MutationHooks::before);
  return wanted ? java->Ask(write, Phase::kBefore, java->EndsEarly(write) ? kLast : 0) : Status::Ok();
}

Status JavaHooks::Locked(WriteContext& write) {
  if (write.condition() == nullptr) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  const LockedScope locked;
  return (java->hooks() & kLockedCheck).any() ? java->Ask(write, Phase::kLocked) : Status::Ok();
}

Status JavaHooks::InWrite(WriteContext& write) {
  if (write.kind() == table::WriteKind::kBulkLoad) {
    const LockedScope locked;
    return CallBulk(write, "preCommitStoreFile");
  }
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  const bool wanted = (java->hooks() & kBeforeBatch).any() || java->Wants(write, &MutationHooks::after_row_lock) ||
                      (write.condition() != nullptr && java->Wants(write, &MutationHooks::before));
  const LockedScope locked;
  java->NoteLocked();
  return wanted ? java->Ask(write, Phase::kIn) : Status::Ok();
}

Status JavaHooks::Computed(WriteContext& write, const Change& change, std::vector<ComputedCell>* cells) {
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  const LockedScope locked;
  return (HooksFor(change).computed & java->hooks()).any() ? java->AskComputed(write, change, cells) : Status::Ok();
}

Status JavaHooks::BeforeCommit(WriteContext& write) {
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  const LockedScope locked;
  return (java->hooks() & kBeforeLog).any() && write.logged() ? java->AskBeforeCommit(write) : Status::Ok();
}

Status JavaHooks::Written(WriteContext& write) {
  if (write.kind() == table::WriteKind::kBulkLoad) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  const LockedScope locked;
  return (java->hooks() & kAfterBatch).any() ? java->Ask(write, Phase::kWritten) : Status::Ok();
}

void JavaHooks::Failed(WriteContext& write) {
  if (write.state() != nullptr) {
    static_cast<Write*>(write.state().get())->TellFailure(write);
  }
}

Status JavaHooks::AfterWrite(WriteContext& write) {
  if (write.kind() == table::WriteKind::kBulkLoad) {
    KLIP_RETURN_IF_ERROR(CallBulk(write, "postCommitStoreFile"));
    return CallBulk(write, "postBulkLoadHFile");
  }
  KLIP_ASSIGN_OR_RETURN(Write* const java, WriteOf(write));
  return java->WantsAfter(write) ? java->AskAfter(write) : Status::Ok();
}

Status JavaHooks::OnGet(const table::TableInfo& table, const Get& get, const table::RunGet& run, Result* result) {
  static const HookMask kBefore = HooksOf("preGetOp", "preExists");
  static const HookMask kAfter = HooksOf("postGetOp", "postExists");
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  KLIP_ASSIGN_OR_RETURN(const OpenTablePtr open, Open(&lease, table.view));
  const OpenRegion& region = *open->RegionOf(get.row);
  const bool before = (region.hooks & kBefore).any();
  const bool after = (region.hooks & kAfter).any();
  if (!before && !after) {
    return run(get, result);
  }
  hbase::pb::Get message;
  KLIP_RETURN_IF_ERROR(messages::FillGet(get, &message));
  const uint32_t number = NextNumber();
  const auto begin = [&](FrameWriter* out, uint8_t phase, uint8_t flags) {
    out->U8(phase).U8(flags).U32(number);
    if ((flags & kFirst) != 0) {
      WriteCaller(out);
      out->U64(region.id).Message(message);
    }
  };
  Get asked = get;
  if (before) {
    FrameWriter call;
    begin(&call, 1, after ? kFirst : kFirst | kLast);
    KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease.Call(Method::kGet, call));
    const uint8_t bits = answer.U8();
    if ((bits & kGetBypassed) != 0) {
      *result = answer.Answer();
      return answer.status();
    }
    if ((bits & kGetChanged) != 0) {
      answer.Message(&message);
      KLIP_RETURN_IF_ERROR(answer.status());
      KLIP_ASSIGN_OR_RETURN(asked, messages::ToGet(message));
    }
  }
  if (after) {
    asked.check_existence_only = false;  // the hooks see what exists; the host answers whether it does
  }
  if (const Status got = run(asked, result); !got.ok()) {
    lease.Send(Method::kRelease, FrameWriter().U32(number));
    return got;
  }
  if (after) {
    FrameWriter call;
    begin(&call, 2, before ? kLast : kFirst | kLast);
    call.Answer(*result);
    KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease.Call(Method::kGet, call));
    if (answer.U8() != 0) {
      *result = answer.Answer();
    }
    return answer.status();
  }
  return Status::Ok();
}

Expected<std::unique_ptr<ResultScanner>> JavaHooks::OnScan(const table::TableInfo& table, const Scan& scan,
                                                           const table::OpenScan& open) {
  static const HookMask kScans = HooksOf("preScannerOpen", "postScannerOpen", "preScannerNext", "postScannerNext",
                                         "postScannerFilterRow", "preScannerClose", "postScannerClose");
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
  KLIP_ASSIGN_OR_RETURN(OpenTablePtr opened, Open(&lease, table.view));
  if ((opened->hooks & kScans).none()) {
    return open(scan);
  }
  return OpenHookedScan(host_, std::move(opened), scan, open);
}

}  // namespace klip::coprocessor
