#include <utility>

#include "filter/compare.h"
#include "filter/filter_state.h"
#include "filter/filter_text.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class SingleColumnValueState final : public filter::FilterState {
 public:
  explicit SingleColumnValueState(const SingleColumnValue* condition) : condition_(*condition) {}

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
    if (cell.family != condition_.family || cell.qualifier != condition_.qualifier) {
      return ReturnCode::kInclude;
    }
    found_ = true;
    matched_ = filter::Keeps(condition_.op, condition_.comparator->CompareTo(cell.value));
    return matched_ || !condition_.latest_version_only ? ReturnCode::kInclude : ReturnCode::kNextRow;
  }

  bool FilterRow() override { return found_ ? !matched_ : condition_.filter_if_missing; }
  bool HasFilterRow() const override { return true; }

  bool IsFamilyEssential(std::string_view family) const override {
    return !condition_.filter_if_missing || family == condition_.family;
  }

 private:
  const SingleColumnValue& condition_;  // of the filter
  bool found_ = false;
  bool matched_ = false;
};

class SingleColumn final : public Filter {
 public:
  explicit SingleColumn(SingleColumnValue condition) : condition_(std::move(condition)) {
    if (condition_.comparator == nullptr) {
      condition_.comparator = NullComparator();
    }
  }

  std::string_view name() const override { return "SingleColumnValueFilter"; }

  std::string ToString() const override {
    std::string out = "SingleColumnValueFilter(" + filter::Quoted(condition_.family) + "," +
                      filter::Quoted(condition_.qualifier) + "," + std::string(filter::OpText(condition_.op)) + "," +
                      filter::Quoted(condition_.comparator->ToString());
    if (condition_.filter_if_missing || !condition_.latest_version_only) {
      out += condition_.filter_if_missing ? ",true" : ",false";
      out += condition_.latest_version_only ? ",true" : ",false";
    }
    return out + ")";
  }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<SingleColumnValueState>(&condition_);
  }

 private:
  SingleColumnValue condition_;
};

}  // namespace

FilterPtr SingleColumnValueFilter(SingleColumnValue condition) {
  return std::make_shared<SingleColumn>(std::move(condition));
}

}  // namespace klip
