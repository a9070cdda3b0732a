#include "copy/write_order.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace klip::copy {
namespace {

auto KeyOf(const Cell& cell) { return std::tie(cell.family, cell.qualifier, cell.timestamp_ms, cell.type); }

class WriteOrderReader final : public CellReader {
 public:
  WriteOrderReader(std::unique_ptr<ResultScanner> all, std::unique_ptr<ResultScanner> seen)
      : all_(std::move(all)), seen_(std::move(seen)) {}

  Expected<bool> Next(Result* cells) override {
    cells->Clear();
    while (cells->empty()) {
      if (step_ == Step::kNextRow) {
        KLIP_ASSIGN_OR_RETURN(const bool more, all_->Next(&row_));
        if (!more) {
          return false;
        }
        KLIP_RETURN_IF_ERROR(FindSeen());
      }
      for (const Cell& cell : row_) {
        if (StepOf(cell) == step_) {
          cells->AppendCopy(cell);
        }
      }
      step_ = step_ == Step::kSeen ? Step::kNextRow : static_cast<Step>(static_cast<int>(step_) + 1);
    }
    return true;
  }

 private:
  enum class Step { kHidden, kMarkers, kSeen, kNextRow };

  Step StepOf(const Cell& cell) const {
    if (cell.type != CellType::kPut) {
      return Step::kMarkers;
    }
    const bool seen = seen_row_.row() == row_.row() &&
                      std::ranges::any_of(seen_row_, [&](const Cell& one) { return KeyOf(one) == KeyOf(cell); });
    return seen ? Step::kSeen : Step::kHidden;
  }

  // Moves the scan of visible cells to the row.
  Status FindSeen() {
    step_ = Step::kHidden;
    while (!seen_ended_ && (seen_row_.empty() || seen_row_.row() < row_.row())) {
      KLIP_ASSIGN_OR_RETURN(const bool more, seen_->Next(&seen_row_));
      seen_ended_ = !more;
    }
    return Status::Ok();
  }

  const std::unique_ptr<ResultScanner> all_;
  const std::unique_ptr<ResultScanner> seen_;
  Result row_;
  Result seen_row_;  // at row_ or above
  bool seen_ended_ = false;
  Step step_ = Step::kNextRow;
};

}  // namespace

bool NeedsWriteOrder(const TableDescriptor& descriptor) {
  return std::ranges::any_of(descriptor.families, &FamilyDescriptor::new_version_behavior);
}

Expected<std::unique_ptr<CellReader>> OpenInWriteOrder(Table* table, Scan scan) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> all, table->Scan(scan));
  scan.raw = false;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> seen, table->Scan(scan));
  return std::unique_ptr<CellReader>(std::make_unique<WriteOrderReader>(std::move(all), std::move(seen)));
}

}  // namespace klip::copy
