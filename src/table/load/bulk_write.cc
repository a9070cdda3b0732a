#include "table/load/bulk_write.h"

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "engine/store/file_loads.h"
#include "engine/store/lock_table.h"
#include "table/load/loaded_entries.h"
#include "table/read/row_source.h"
#include "table/write/write_operation.h"

namespace klip::table {

class BulkWrite::HookView final : public WriteContext {
 public:
  HookView(const BulkWrite& write, bool written) : write_(write), written_(written) {}

  const Caller& caller() const override { return Caller::Current(); }
  WriteKind kind() const override { return WriteKind::kBulkLoad; }
  const TableInfo& table() const override { return *write_.info_; }
  std::span<Change* const> changes() const override { return {}; }
  LoadedFiles files() const override { return {write_.from_, write_.from_row_}; }
  bool written() const override { return written_; }
  const RowCondition* condition() const override { return nullptr; }
  Result* result() override { return nullptr; }
  std::unique_ptr<State>& state() override { return state_; }
  Mutation* Edit(Change* /*change*/) override { return nullptr; }
  void LeaveOut(Change* /*change*/) override {}  // there are none
  void Answer(bool /*success*/) override {}
  void Add(std::string_view table, Mutation /*mutation*/) override {
    refused_ = {Code::kUnsupported, "a hook of table '" + write_.info_->name() + "' adds a change of table '" +
                                        std::string(table) +
                                        "' to a bulk load: files and changes cannot be one commit"};
  }
  Status Get(std::string_view table, const klip::Get& get, Result* result) override {
    KLIP_RETURN_IF_ERROR(CheckGet(get));
    KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, write_.shared_->FindSlot(table));
    KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
    return RowSource(write_.shared_->store.get(), write_.shared_->settings.limits).Get(*info, get, result);
  }

  void ForEachCell(const std::function<void(const Cell& cell)>& /*take*/) const override {}
  bool logged() const override { return false; }

  const Status& refused() const { return refused_; }

 private:
  const BulkWrite& write_;
  const bool written_;
  Status refused_;
  std::unique_ptr<State> state_;  // of one call: a bulk load keeps no other state
};

template <typename Call>
Status BulkWrite::CallHooks(bool written, Call call) {
  if (info_->hooks == nullptr) {
    return Status::Ok();
  }
  for (const std::shared_ptr<OperationHooks>& hooks : *info_->hooks) {
    HookView view(*this, written);
    KLIP_RETURN_IF_ERROR(call(*hooks, view));
    KLIP_RETURN_IF_ERROR(view.refused());
  }
  return Status::Ok();
}

Expected<std::unique_ptr<BulkWrite>> BulkWrite::Open(Shared* shared, std::string_view table, const LoadedFiles& from) {
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared->FindSlot(table));
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, slot->Current());
  KLIP_RETURN_IF_ERROR(info->CheckWritable());
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<engine::FileLoader> files, shared->store->loads().NewFileLoader(info->view));
  std::unique_ptr<BulkWrite> write(new BulkWrite(shared, slot, std::move(info), from, std::move(files)));
  KLIP_RETURN_IF_ERROR(
      write->CallHooks(false, [](OperationHooks& hooks, WriteContext& view) { return hooks.BeforeWrite(view); }));
  return write;
}

Status BulkWrite::AddRow(std::string_view row, std::span<const Cell> cells) {
  ++rows_;
  return files_->AddRow(row, cells);
}

Status BulkWrite::Commit() {
  {
    auto writing = shared_->store->locks().LockForWrite(info_->name());
    std::unique_lock<engine::TableLock> alone;
    KLIP_ASSIGN_OR_RETURN(InfoPtr now, slot_->Current());
    if (now->indexes != nullptr) {
      writing.unlock();
      alone = std::unique_lock(shared_->store->locks().ForTable(info_->name()));
      KLIP_ASSIGN_OR_RETURN(now, slot_->Current());
    }
    KLIP_RETURN_IF_ERROR(now->CheckWritable());
    KLIP_RETURN_IF_ERROR(
        CallHooks(false, [](OperationHooks& hooks, WriteContext& view) { return hooks.InWrite(view); }));
    if (now->indexes != nullptr) {
      KLIP_RETURN_IF_ERROR(LoadedEntries(shared_, now.get(), files_.get()).Run());
    }
    KLIP_RETURN_IF_ERROR(files_->Finish());
    shared_->conflicts.NoteTable(info_->name(), shared_->store->LastSequence());
    KLIP_RETURN_IF_ERROR(
        CallHooks(true, [](OperationHooks& hooks, WriteContext& view) { return hooks.Written(view); }));
  }
  timer_.Finish(NameOf(WriteKind::kBulkLoad), info_->name(), rows_);
  return CallHooks(true, [](OperationHooks& hooks, WriteContext& view) { return hooks.AfterWrite(view); });
}

}  // namespace klip::table
