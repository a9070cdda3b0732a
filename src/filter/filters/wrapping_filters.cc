// SkipFilter and WhileMatchFilter. As in HBase, neither passes its filter's hints on, nor tells the filter that the scan
// is reversed.
#include <algorithm>
#include <utility>

#include "filter/common/visitors.h"
#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

using filter::ReturnCode;
using StatePtr = std::unique_ptr<filter::FilterState>;

// Every family is essential to both: any cell may drop the row.
class SkipState final : public filter::FilterState {
 public:
  explicit SkipState(StatePtr inner) : inner_(std::move(inner)) {}

  void Reset() override {
    inner_->Reset();
    drops_row_ = false;
  }

  ReturnCode FilterCell(const Cell& cell) override {
    const ReturnCode code = inner_->FilterCell(cell);
    drops_row_ |= code != ReturnCode::kInclude;
    return code;
  }

  void TransformCell(Cell* cell, Result* result) override { inner_->TransformCell(cell, result); }
  bool FilterRow() override { return drops_row_; }
  bool HasFilterRow() const override { return true; }
  void ShowEveryCell() override { inner_->ShowEveryCell(); }
  const Status* Error() const override { return inner_->Error(); }

 private:
  StatePtr inner_;
  bool drops_row_ = false;
};

class WhileMatchState final : public filter::FilterState {
 public:
  explicit WhileMatchState(StatePtr inner) : inner_(std::move(inner)) {}

  void Reset() override { inner_->Reset(); }
  bool FilterAllRemaining() override { return done_ || inner_->FilterAllRemaining(); }

  bool FilterRowKey(std::string_view row) override {
    if (FilterAllRemaining()) {
      return true;
    }
    const bool dropped = inner_->FilterRowKey(row);
    done_ |= dropped;
    return dropped;
  }

  ReturnCode FilterCell(const Cell& cell) override {
    const ReturnCode code = inner_->FilterCell(cell);
    done_ |= code != ReturnCode::kInclude;
    return code;
  }

  void TransformCell(Cell* cell, Result* result) override { inner_->TransformCell(cell, result); }

  bool FilterRow() override {
    const bool dropped = inner_->FilterRow();
    done_ |= dropped;
    return dropped;
  }

  bool HasFilterRow() const override { return true; }
  void ShowEveryCell() override { inner_->ShowEveryCell(); }
  const Status* Error() const override { return inner_->Error(); }

 private:
  StatePtr inner_;
  bool done_ = false;
};

class Skip final : public Filter {
 public:
  explicit Skip(FilterPtr inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return "SkipFilter"; }
  std::string ToString() const override { return "(SKIP " + inner_->ToString() + ")"; }
  bool RemembersRows() const override { return inner_->RemembersRows(); }
  FilterNeeds Needs() const override { return std::max(inner_->Needs(), FilterNeeds::kEveryCell); }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Wrapper(*this, *inner_); }

  StatePtr NewState(bool /*reversed*/) const override { return std::make_unique<SkipState>(inner_->NewState(false)); }

 private:
  FilterPtr inner_;
};

class WhileMatch final : public Filter {
 public:
  explicit WhileMatch(FilterPtr inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return "WhileMatchFilter"; }
  std::string ToString() const override { return "(WHILE " + inner_->ToString() + ")"; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Wrapper(*this, *inner_); }

  StatePtr NewState(bool /*reversed*/) const override {
    return std::make_unique<WhileMatchState>(inner_->NewState(false));
  }

 private:
  FilterPtr inner_;
};

class FilterAllState final : public filter::FilterState {
 public:
  bool FilterAllRemaining() override { return true; }
  bool FilterRowKey(std::string_view /*row*/) override { return true; }
  bool FilterRow() override { return true; }
  bool HasFilterRow() const override { return true; }
};

class FilterAll final : public Filter {
 public:
  std::string_view name() const override { return "FilterAllFilter"; }
  std::string ToString() const override { return "FilterAllFilter()"; }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Plain(*this); }
  StatePtr NewState(bool /*reversed*/) const override { return std::make_unique<FilterAllState>(); }

  std::shared_ptr<const filter::RowSet> Rows(bool /*reversed*/, bool* exact) const override {
    *exact = true;
    return filter::RowSet::None();
  }
};

// No filter passes everything, like an empty list.
FilterPtr OrAll(FilterPtr filter) {
  return filter != nullptr ? std::move(filter) : FilterList(ListOperator::kMustPassAll, {});
}

}  // namespace

FilterPtr SkipFilter(FilterPtr filter) { return std::make_shared<Skip>(OrAll(std::move(filter))); }
FilterPtr WhileMatchFilter(FilterPtr filter) { return std::make_shared<WhileMatch>(OrAll(std::move(filter))); }
FilterPtr FilterAllFilter() { return std::make_shared<FilterAll>(); }

}  // namespace klip
