#include <algorithm>
#include <utility>

#include "filter/common/compare.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

// Sees the column's versions before the version limit, so timestamps of versions that the scan does not return count.
class DependentColumnState final : public filter::ComparingState {
 public:
  explicit DependentColumnState(const DependentColumn* condition)
      : ComparingState(condition->op, condition->comparator.get()), condition_(*condition) {}

  void Reset() override { timestamps_.clear(); }

  ReturnCode FilterCell(const Cell& cell) override {
    if (!SameBytes(cell.qualifier, condition_.qualifier) || !SameBytes(cell.family, condition_.family)) {
      return ReturnCode::kInclude;
    }
    if (condition_.comparator != nullptr && !Keeps(cell.value)) {
      return ReturnCode::kSkip;
    }
    timestamps_.push_back(cell.timestamp_ms);
    return condition_.drop_column ? ReturnCode::kSkip : ReturnCode::kInclude;
  }

  // Versions come newest first.
  void FilterRowCells(std::vector<Cell>* cells) override {
    std::erase_if(*cells, [this](const Cell& cell) {
      return !std::binary_search(timestamps_.begin(), timestamps_.end(), cell.timestamp_ms, std::greater<>());
    });
  }

  bool HasFilterRow() const override { return true; }

 private:
  const DependentColumn& condition_;  // belongs to the filter
  std::vector<int64_t> timestamps_;
};

class Dependent final : public Filter {
 public:
  explicit Dependent(DependentColumn condition) : condition_(std::move(condition)) {}

  std::string_view name() const override { return "DependentColumnFilter"; }

  std::string ToString() const override {
    std::vector<std::string> arguments = {filter::Quoted(condition_.family), filter::Quoted(condition_.qualifier),
                                          std::string(filter::BoolText(condition_.drop_column))};
    if (condition_.comparator != nullptr) {
      arguments.emplace_back(filter::OpText(condition_.op));
      arguments.push_back(filter::Quoted(condition_.comparator->ToString()));
    }
    return filter::CallText(name(), arguments);
  }

  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Dependent(condition_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<DependentColumnState>(&condition_);
  }

 private:
  DependentColumn condition_;
};

}  // namespace

FilterPtr DependentColumnFilter(DependentColumn condition) { return std::make_shared<Dependent>(std::move(condition)); }

}  // namespace klip
