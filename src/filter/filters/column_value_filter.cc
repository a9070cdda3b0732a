#include <utility>

#include "filter/common/compare.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class ColumnValueState final : public filter::ComparingState {
 public:
  ColumnValueState(std::string_view family, std::string_view qualifier, CompareOp op, const Comparator* comparator)
      : ComparingState(op, comparator), family_(family), qualifier_(qualifier) {}

  void Reset() override { found_ = false; }

  ReturnCode FilterCell(const Cell& cell) override {
    if (!SameBytes(cell.qualifier, qualifier_) || !SameBytes(cell.family, family_)) {
      return found_ ? ReturnCode::kNextRow : ReturnCode::kNextCol;
    }
    found_ = true;
    return Keeps(cell.value) ? ReturnCode::kInclude : ReturnCode::kSkip;
  }

  bool IsFamilyEssential(std::string_view family) const override { return family == family_; }

 private:
  std::string_view family_;     // belongs to the filter
  std::string_view qualifier_;  // belongs to the filter
  bool found_ = false;
};

class ColumnValue final : public Filter {
 public:
  ColumnValue(std::string family, std::string qualifier, CompareOp op, ComparatorPtr comparator)
      : family_(std::move(family)),
        qualifier_(std::move(qualifier)),
        op_(op),
        comparator_(comparator != nullptr ? std::move(comparator) : NullComparator()) {}

  std::string_view name() const override { return "ColumnValueFilter"; }
  std::string ToString() const override {
    return filter::CallText(name(), {filter::Quoted(family_), filter::Quoted(qualifier_), filter::OpText(op_),
                                     filter::Quoted(comparator_->ToString())});
  }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override {
    visitor->ColumnValue(family_, qualifier_, op_, *comparator_);
  }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<ColumnValueState>(family_, qualifier_, op_, comparator_.get());
  }

 private:
  std::string family_;
  std::string qualifier_;
  CompareOp op_;
  ComparatorPtr comparator_;
};

}  // namespace

FilterPtr ColumnValueFilter(std::string family, std::string qualifier, CompareOp op, ComparatorPtr comparator) {
  return std::make_shared<ColumnValue>(std::move(family), std::move(qualifier), op, std::move(comparator));
}

}  // namespace klip
