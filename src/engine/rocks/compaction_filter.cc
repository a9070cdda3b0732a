#include "engine/rocks/compaction_filter.h"

#include <string>
#include <string_view>
#include <utility>

#include "rocksdb/compaction_filter.h"

#include "engine/layout/cell_key.h"
#include "engine/view/open_snapshots.h"
#include "engine/view/table_view.h"
#include "model/compaction_matcher.h"

namespace klip::engine {
namespace {

class CellFilter final : public rocksdb::CompactionFilter {
 public:
  CellFilter(const model::FamilyPolicy& policy, int64_t now_ms, bool major) : matcher_(policy, now_ms, major) {}

  const char* Name() const override { return "klip.CellFilter"; }

  Decision FilterV2(int /*level*/, const rocksdb::Slice& key, ValueType type, const rocksdb::Slice& value,
                    std::string* /*new_value*/, std::string* /*skip_until*/) const override {
    CellKeyView cell;
    CellValueView stored;
    if (type != ValueType::kValue || !ParseCellKey({key.data(), key.size()}, &cell) ||
        !ParseCellValue({value.data(), value.size()}, &stored)) {
      return Decision::kKeep;  // damaged: reads report it, and a compaction must not hide it
    }
    if (!in_row_ || row_ != cell.escaped_row) {
      in_row_ = true;
      row_.assign(cell.escaped_row);
      matcher_.StartRow();
    }
    const int64_t ttl_ms = stored.tags.empty() ? -1 : TtlFromTags(stored.tags);
    return matcher_.Keep({cell.escaped_qualifier, cell.timestamp_ms, cell.type, ttl_ms, stored.sequence})
               ? Decision::kKeep
               : Decision::kRemove;
  }

 private:
  // One thread uses a filter; its methods are const only because RocksDB's are.
  mutable model::CompactionMatcher matcher_;
  mutable bool in_row_ = false;
  mutable std::string row_;
};

class CellFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  explicit CellFilterFactory(std::shared_ptr<FamilyState> state) : state_(std::move(state)) {}

  const char* Name() const override { return "klip.CellFilterFactory"; }

  bool ShouldFilterTableFileCreation(rocksdb::TableFileCreationReason reason) const override {
    return reason == rocksdb::TableFileCreationReason::kFlush ||
           reason == rocksdb::TableFileCreationReason::kCompaction;
  }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override {
    const bool keeps_all = state_->KeepsAll();
    if (keeps_all && !context.is_manual_compaction) {
      return nullptr;
    }
    // The input files are fixed by now: a snapshot that is opened later sees all of them, and so also their surplus
    // cells.
    if (state_->open_snapshots != nullptr && state_->open_snapshots->Any()) {
      return nullptr;
    }
    const std::shared_ptr<const model::FamilyPolicy> policy =
        (keeps_all ? state_->asked_policy : state_->policy).load();
    if (policy == nullptr || !state_->clock_ms) {
      return nullptr;
    }
    if (policy->new_version_behavior && context.reason == rocksdb::TableFileCreationReason::kFlush) {
      return nullptr;  // as in HBase, a flush keeps masked cells
    }
    const bool asked_for = context.is_manual_compaction && !state_->truncating.load(std::memory_order_acquire);
    const bool major = context.is_full_compaction && asked_for;
    return std::make_unique<CellFilter>(*policy, state_->clock_ms(), major);
  }

 private:
  std::shared_ptr<FamilyState> state_;
};

}  // namespace

std::shared_ptr<rocksdb::CompactionFilterFactory> NewCompactionFilterFactory(std::shared_ptr<FamilyState> state) {
  return std::make_shared<CellFilterFactory>(std::move(state));
}

}  // namespace klip::engine
