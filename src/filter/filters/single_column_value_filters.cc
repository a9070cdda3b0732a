// SingleColumnValueFilter and SingleColumnValueExcludeFilter.
#include <utility>

#include "filter/common/compare.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class SingleColumnValueState final : public filter::ComparingState {
 public:
  SingleColumnValueState(const SingleColumnValue* condition, bool exclude)
      : ComparingState(condition->op, condition->comparator.get()), condition_(*condition), exclude_(exclude) {}

  uint8_t Calls() const override {
    return (exclude_ ? filter::kFilterRowCells : 0) | filter::kReset | filter::kFilterRow | ErrorCall();
  }
  void Reset() override {
    found_ = false;
    matched_ = false;
  }

  ReturnCode FilterCell(const Cell& cell) override {
    if (matched_) {
      return ReturnCode::kInclude;
    }
    if (found_ && condition_.latest_version_only) {
      return ReturnCode::kNextRow;
    }
    if (!IsColumn(cell)) {
      return ReturnCode::kInclude;
    }
    found_ = true;
    if (op() == CompareOp::kNoOp) {
      Refuse({Code::kDoNotRetry, "Unknown Compare op NO_OP"});
      return ReturnCode::kNextRow;
    }
    matched_ = Keeps(cell.value);
    return matched_ || !condition_.latest_version_only ? ReturnCode::kInclude : ReturnCode::kNextRow;
  }

  void FilterRowCells(std::vector<Cell>* cells) override {
    if (exclude_) {
      std::erase_if(*cells, [this](const Cell& cell) { return IsColumn(cell); });
    }
  }

  bool FilterRow() override { return found_ ? !matched_ : condition_.filter_if_missing; }
  bool HasFilterRow() const override { return true; }

  bool IsFamilyEssential(std::string_view family) const override {
    return !condition_.filter_if_missing || family == condition_.family;
  }

 private:
  bool IsColumn(const Cell& cell) const {
    return SameBytes(cell.qualifier, condition_.qualifier) && SameBytes(cell.family, condition_.family);
  }

  const SingleColumnValue& condition_;  // belongs to the filter
  bool exclude_;
  bool found_ = false;
  bool matched_ = false;
};

class SingleColumn final : public Filter {
 public:
  SingleColumn(SingleColumnValue condition, bool exclude) : condition_(std::move(condition)), exclude_(exclude) {
    if (condition_.comparator == nullptr) {
      condition_.comparator = NullComparator();
    }
  }

  std::string_view name() const override {
    return exclude_ ? "SingleColumnValueExcludeFilter" : "SingleColumnValueFilter";
  }

  // Prints both flags or none: the language takes four arguments or six.
  std::string ToString() const override {
    std::vector<std::string> arguments = {filter::Quoted(condition_.family), filter::Quoted(condition_.qualifier),
                                          std::string(filter::OpText(condition_.op)),
                                          filter::Quoted(condition_.comparator->ToString())};
    if (condition_.filter_if_missing || !condition_.latest_version_only) {
      arguments.emplace_back(filter::BoolText(condition_.filter_if_missing));
      arguments.emplace_back(filter::BoolText(condition_.latest_version_only));
    }
    return filter::CallText(name(), arguments);
  }

  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->SingleColumn(condition_, exclude_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<SingleColumnValueState>(&condition_, exclude_);
  }

 private:
  SingleColumnValue condition_;
  bool exclude_;
};

}  // namespace

FilterPtr SingleColumnValueFilter(SingleColumnValue condition) {
  return std::make_shared<SingleColumn>(std::move(condition), false);
}

FilterPtr SingleColumnValueExcludeFilter(SingleColumnValue condition) {
  return std::make_shared<SingleColumn>(std::move(condition), true);
}

}  // namespace klip
