// FamilyFilter, QualifierFilter and ValueFilter: one comparison per cell.
#include <utility>

#include "filter/compare.h"
#include "filter/filter_text.h"
#include "filter/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class FamilyState final : public filter::ComparingState {
 public:
  using ComparingState::ComparingState;
  ReturnCode FilterCell(const Cell& cell) override {
    return Keeps(cell.family) ? ReturnCode::kInclude : ReturnCode::kNextRow;
  }
};

class QualifierState final : public filter::ComparingState {
 public:
  using ComparingState::ComparingState;
  ReturnCode FilterCell(const Cell& cell) override {
    return Keeps(cell.qualifier) ? ReturnCode::kInclude : ReturnCode::kSkip;
  }
};

class ValueState final : public filter::ComparingState {
 public:
  using ComparingState::ComparingState;
  ReturnCode FilterCell(const Cell& cell) override {
    return Keeps(cell.value) ? ReturnCode::kInclude : ReturnCode::kSkip;
  }
};

template <typename State>
class Compare final : public Filter {
 public:
  Compare(std::string_view name, CompareOp op, ComparatorPtr comparator)
      : name_(name), op_(op), comparator_(comparator != nullptr ? std::move(comparator) : NullComparator()) {}

  std::string_view name() const override { return name_; }
  std::string ToString() const override { return filter::CompareText(name_, op_, *comparator_); }
  bool RemembersRows() const override { return false; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Compare(*this, op_, *comparator_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<State>(op_, comparator_.get());
  }

 private:
  std::string_view name_;
  CompareOp op_;
  ComparatorPtr comparator_;
};

}  // namespace

FilterPtr FamilyFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_shared<Compare<FamilyState>>("FamilyFilter", op, std::move(comparator));
}

FilterPtr QualifierFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_shared<Compare<QualifierState>>("QualifierFilter", op, std::move(comparator));
}

FilterPtr ValueFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_shared<Compare<ValueState>>("ValueFilter", op, std::move(comparator));
}

}  // namespace klip
