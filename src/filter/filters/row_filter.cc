// RowFilter. Comparisons that follow the order of rows become key ranges.
#include <utility>

#include "filter/common/compare.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "filter/rows/row_set.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::RowSet;

class RowState final : public filter::ComparingState {
 public:
  using ComparingState::ComparingState;

  void Reset() override { drops_row_ = false; }

  bool FilterRowKey(std::string_view row) override {
    drops_row_ = !Keeps(row);
    return drops_row_;
  }

  filter::ReturnCode FilterCell(const Cell& /*cell*/) override {
    return drops_row_ ? filter::ReturnCode::kNextRow : filter::ReturnCode::kInclude;
  }

  bool FilterRow() override { return drops_row_; }

 private:
  bool drops_row_ = false;
};

// The rows below, in and above [low, high) that the operator keeps. An empty `high` is the end of the table; no row is
// empty, so nothing is below an empty `low`.
std::shared_ptr<const RowSet> RowsOf(CompareOp op, const std::string& low, const std::string& high) {
  bool below = op == CompareOp::kLess || op == CompareOp::kLessOrEqual || op == CompareOp::kNotEqual;
  bool inside = op == CompareOp::kLessOrEqual || op == CompareOp::kEqual || op == CompareOp::kGreaterOrEqual;
  bool above = op == CompareOp::kGreater || op == CompareOp::kGreaterOrEqual || op == CompareOp::kNotEqual;
  std::vector<RowRange> ranges;
  if (below && !low.empty()) {
    ranges.push_back({.stop = low});
  }
  if (inside) {
    ranges.push_back({.start = low, .stop = high});
  }
  if (above && !high.empty()) {
    ranges.push_back({.start = high});
  }
  return RowSet::FromRanges(std::move(ranges));
}

class Row final : public Filter {
 public:
  Row(CompareOp op, ComparatorPtr comparator) : op_(op), comparator_(std::move(comparator)) {}

  std::string_view name() const override { return "RowFilter"; }

  std::string ToString() const override { return filter::CompareText(name(), op_, *comparator_); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Compare(*this, op_, *comparator_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<RowState>(op_, comparator_.get());
  }

  std::shared_ptr<const RowSet> Rows(bool /*reversed*/, bool* exact) const override {
    *exact = true;
    if (const std::string* bytes = comparator_->OrderedBytes(); bytes != nullptr) {
      return RowsOf(op_, *bytes, *bytes + '\0');
    }
    if (const std::string* prefix = comparator_->PrefixBytes(); prefix != nullptr) {
      return RowsOf(op_, *prefix, PrefixSuccessor(*prefix));
    }
    *exact = false;
    return op_ == CompareOp::kNoOp ? RowSet::None() : nullptr;
  }

 private:
  CompareOp op_;
  ComparatorPtr comparator_;
};

}  // namespace

FilterPtr RowFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_shared<Row>(op, comparator != nullptr ? std::move(comparator) : NullComparator());
}

}  // namespace klip
