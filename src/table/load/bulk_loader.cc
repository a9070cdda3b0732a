#include "table/load/bulk_loader.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "table/load/bulk_write.h"
#include "table/write/cells.h"

namespace klip::table {
namespace {

// HBase's order within a row: family, qualifier, newest first, markers before puts.
bool Before(const Cell& a, const Cell& b) {
  if (a.family != b.family) {
    return a.family < b.family;
  }
  if (a.qualifier != b.qualifier) {
    return a.qualifier < b.qualifier;
  }
  return a.timestamp_ms != b.timestamp_ms ? a.timestamp_ms > b.timestamp_ms : a.type > b.type;
}

bool SameKey(const Cell& a, const Cell& b) { return !Before(a, b) && !Before(b, a); }

class SortedLoader final : public BulkLoader {
 public:
  explicit SortedLoader(std::unique_ptr<BulkWrite> write) : write_(std::move(write)), now_ms_(write_->NowMs()) {}

  Status Add(const Put& put) override {
    KLIP_RETURN_IF_ERROR(CheckMutation(write_->table(), write_->limits(), put));
    if (any_ && put.row <= last_row_) {
      return {Code::kInvalidArgument, "rows of a bulk load must ascend: '" + ToStringBinary(put.row) +
                                          "' is not above '" + ToStringBinary(last_row_) + "'"};
    }
    SetCells(put);
    KLIP_RETURN_IF_ERROR(write_->AddRow(put.row, cells_));
    last_row_ = put.row;
    any_ = true;
    return Status::Ok();
  }

  Status Add(std::span<const Cell> cells) override {
    if (cells.empty()) {
      return Status::Ok();
    }
    KLIP_RETURN_IF_ERROR(CheckCells(write_->table(), write_->limits(), cells));
    if (std::ranges::adjacent_find(cells, SameKey) != cells.end()) {
      cells_.clear();
      std::ranges::unique_copy(cells, std::back_inserter(cells_), SameKey);
      cells = cells_;
    }
    KLIP_RETURN_IF_ERROR(write_->AddRow(cells.front().row, cells));
    last_row_ = cells.front().row;
    any_ = true;
    return Status::Ok();
  }

  Status Finish() override { return write_->Commit(); }

 private:
  void SetCells(const Put& put) {
    const int64_t put_ms = put.timestamp_ms == kLatestTimestamp ? now_ms_ : put.timestamp_ms;
    cells_.clear();
    tags_.clear();
    tags_.reserve(put.columns.size());  // cells are views of its elements
    for (const Put::Column& column : put.columns) {
      tags_.push_back(TagsFor(put.ttl_ms, column.tags));
      cells_.push_back({put.row, column.family, column.qualifier,
                        column.timestamp_ms == kLatestTimestamp ? put_ms : column.timestamp_ms, CellType::kPut,
                        column.value, tags_.back()});
    }
    if (!std::is_sorted(cells_.begin(), cells_.end(), Before)) {
      std::stable_sort(cells_.begin(), cells_.end(), Before);
    }
    // Of several cells with the same column and timestamp, the last one counts.
    auto kept = std::unique(cells_.rbegin(), cells_.rend(), SameKey);
    cells_.erase(cells_.begin(), kept.base());
  }

  const std::unique_ptr<BulkWrite> write_;
  const int64_t now_ms_;  // of all cells without a timestamp: the whole load has one time
  std::string last_row_;
  bool any_ = false;
  std::vector<std::string> tags_;
  std::vector<Cell> cells_;
};

}  // namespace

Expected<std::unique_ptr<BulkLoader>> MakeBulkLoader(Shared* shared, std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<BulkWrite> write, BulkWrite::Open(shared, table));
  return std::unique_ptr<BulkLoader>(std::make_unique<SortedLoader>(std::move(write)));
}

}  // namespace klip::table
