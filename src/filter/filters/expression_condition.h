// A condition on an SQL expression, for indexes that contain the expression. SQL checks the condition itself, so as a filter this passes
// every row: it only tells which entries of an index are wanted. It works in this process only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "klip/comparator.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip::filter {

class ExpressionCondition final : public Filter {
 public:
  // `identity`: of the expression (rowkey/index_expression.h). Its value is on the left: value `op` comparator.
  ExpressionCondition(std::string identity, CompareOp op, ComparatorPtr comparator)
      : identity_(std::move(identity)), op_(op), comparator_(std::move(comparator)) {}

  const std::string& identity() const { return identity_; }
  CompareOp op() const { return op_; }
  const Comparator& comparator() const { return *comparator_; }

  std::string_view name() const override { return "ExpressionCondition"; }
  std::string ToString() const override { return "ExpressionCondition(" + identity_ + ")"; }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  std::unique_ptr<FilterState> NewState(bool /*reversed*/) const override { return std::make_unique<State>(); }

 private:
  class State final : public FilterState {
   public:
    uint8_t Calls() const override { return 0; }
  };

  const std::string identity_;
  const CompareOp op_;
  const ComparatorPtr comparator_;
};

}  // namespace klip::filter
