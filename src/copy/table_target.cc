#include "copy/table_target.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "model/tags.h"

namespace klip::copy {
namespace {

// TUNING: a batch to a cluster goes to all servers at once, in calls of 2 MB; a larger one would only take memory.
constexpr size_t kBatchActions = 5000;
constexpr int64_t kBatchBytes = 4 << 20;

class FileWriter final : public ChunkWriter {
 public:
  explicit FileWriter(std::unique_ptr<BulkLoader> loader) : loader_(std::move(loader)) {}

  Status Add(const Result& cells, CopyCounts* /*counts*/) override { return loader_->Add(cells.cells()); }
  Expected<std::string> Finish() override {
    KLIP_RETURN_IF_ERROR(loader_->Finish());
    return std::string();
  }

 private:
  std::unique_ptr<BulkLoader> loader_;
};

// Puts and deletes of one piece of a row.
class Actions {
 public:
  void Add(const Result& cells, CopyCounts* counts) {
    const std::string row(cells.row());
    std::map<int64_t, Put> puts;  // by the cells' own TTL; nearly always one
    Delete markers = {.row = row};
    for (const Cell& cell : cells) {
      bytes_ += BytesOf(cell);
      if (cell.type != CellType::kPut) {
        markers.markers.push_back(
            {cell.type, std::string(cell.family), std::string(cell.qualifier), cell.timestamp_ms});
        continue;
      }
      const int64_t ttl_ms = std::max<int64_t>(0, model::TtlFromTags(cell.tags));
      if (!cell.tags.empty() && cell.tags != model::TtlTag(ttl_ms)) {
        ++counts->tags_left_out;
      }
      Put& put = puts.try_emplace(ttl_ms, Put{.row = row, .ttl_ms = ttl_ms}).first->second;
      put.Add(std::string(cell.family), std::string(cell.qualifier), std::string(cell.value), cell.timestamp_ms);
    }
    for (auto& [ttl_ms, put] : puts) {
      list_.emplace_back(std::move(put));
    }
    if (!markers.markers.empty()) {
      list_.emplace_back(std::move(markers));
    }
  }

  bool full() const { return list_.size() >= kBatchActions || bytes_ >= kBatchBytes; }

  Status Write(Table* table) {
    if (list_.empty()) {
      return Status::Ok();
    }
    std::vector<Expected<Result>> outcomes = table->Batch(list_);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      if (!outcomes[i].ok()) {
        return {outcomes[i].status().code(),
                "writing row '" + ToStringBinary(RowOf(list_[i])) + "': " + outcomes[i].status().message()};
      }
    }
    list_.clear();
    bytes_ = 0;
    return Status::Ok();
  }

 private:
  static const std::string& RowOf(const Action& action) {
    return std::visit([](const auto& one) -> const std::string& { return one.row; }, action);
  }

  std::vector<Action> list_;
  int64_t bytes_ = 0;
};

class BatchWriter final : public ChunkWriter {
 public:
  BatchWriter(Table* table, bool in_write_order) : table_(table), in_write_order_(in_write_order) {}

  Status Add(const Result& cells, CopyCounts* counts) override {
    // The n-th pieces of all rows are written together: they belong to different rows, so their order does not matter.
    step_ = in_write_order_ && cells.row() == row_ ? step_ + 1 : 0;
    if (step_ == steps_.size() || (in_write_order_ && step_ == 0 && IsFull())) {
      KLIP_RETURN_IF_ERROR(Flush());
      step_ = 0;
    }
    if (in_write_order_) {
      row_.assign(cells.row());
    }
    steps_[step_].Add(cells, counts);
    return !in_write_order_ && IsFull() ? Flush() : Status::Ok();
  }

  Expected<std::string> Finish() override {
    KLIP_RETURN_IF_ERROR(Flush());
    return std::string();
  }

 private:
  bool IsFull() const { return std::ranges::any_of(steps_, &Actions::full); }

  Status Flush() {
    for (Actions& step : steps_) {
      KLIP_RETURN_IF_ERROR(step.Write(table_));
    }
    return Status::Ok();
  }

  Table* const table_;
  const bool in_write_order_;
  std::array<Actions, 3> steps_;  // only the first, unless in write order
  size_t step_ = 0;
  std::string row_;
};

}  // namespace

Expected<std::unique_ptr<ChunkWriter>> TableTarget::NewChunk() {
  if (!in_write_order_) {
    Expected<std::unique_ptr<BulkLoader>> loader = connection_->NewBulkLoader(table_->name());
    if (loader.ok()) {
      return std::unique_ptr<ChunkWriter>(std::make_unique<FileWriter>(*std::move(loader)));
    }
    if (loader.status().code() != Code::kUnsupported) {
      return loader.status();
    }
  }
  return std::unique_ptr<ChunkWriter>(std::make_unique<BatchWriter>(table_, in_write_order_));
}

}  // namespace klip::copy
