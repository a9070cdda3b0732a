// FamilyFilter, QualifierFilter and ValueFilter: one comparison per cell.
#include <optional>
#include <string>
#include <utility>

#include "filter/common/column_hint.h"
#include "filter/common/compare.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/bytes.h"
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

// HBase reads every column. Here, comparisons that follow the order of columns skip to the ones that pass.
class QualifierState final : public filter::ComparingState {
 public:
  QualifierState(CompareOp op, const Comparator* comparator) : ComparingState(op, comparator) {
    const std::string* bytes = comparator->OrderedBytes();
    const std::string* prefix = comparator->PrefixBytes();
    if (bytes != nullptr || prefix != nullptr) {
      SetRange(bytes != nullptr ? *bytes : *prefix, bytes != nullptr ? *bytes + '\0' : PrefixSuccessor(*prefix));
    }
  }

  ReturnCode FilterCell(const Cell& cell) override {
    if (!has_range_) {
      return Keeps(cell.qualifier) ? ReturnCode::kInclude : ReturnCode::kSkip;
    }
    if (cell.qualifier < low_) {
      return ReturnCode::kSeekNextUsingHint;
    }
    return high_.has_value() && cell.qualifier >= *high_ ? ReturnCode::kNextRow : ReturnCode::kInclude;
  }

  filter::HintKind Hints() const override {
    return low_.empty() ? filter::HintKind::kNone : filter::HintKind::kColumns;
  }

  void ShowEveryCell() override {
    has_range_ = false;
    low_.clear();
  }

  bool NextHint(const Cell& current, filter::CellHint* hint) override {
    filter::HintColumn(current, low_, hint);
    return true;
  }

 private:
  // The columns that compare as equal are [low, high); an empty high means no limit.
  void SetRange(const std::string& low, const std::string& high) {
    has_range_ =
        op() != CompareOp::kNotEqual && op() != CompareOp::kNoOp && (op() != CompareOp::kGreater || !high.empty());
    if (op() == CompareOp::kEqual || op() == CompareOp::kGreaterOrEqual) {
      low_ = low;
    } else if (op() == CompareOp::kGreater) {
      low_ = high;
    }
    if (op() == CompareOp::kLess) {
      high_ = low;
    } else if ((op() == CompareOp::kLessOrEqual || op() == CompareOp::kEqual) && !high.empty()) {
      high_ = high;
    }
  }

  bool has_range_ = false;
  std::string low_;
  std::optional<std::string> high_;
};

class ValueState final : public filter::ComparingState {
 public:
  using ComparingState::ComparingState;
  uint8_t Calls() const override { return ErrorCall(); }
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
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
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
