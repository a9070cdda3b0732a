#include "server/node/watched_filter.h"

#include <string>
#include <utility>
#include <vector>

#include "klip/filter_state.h"

namespace klip::server {
namespace {

using filter::FilterState;

// The current state, if any.
struct Current {
  FilterState* state = nullptr;
};

class WatchedState final : public FilterState {
 public:
  WatchedState(std::unique_ptr<FilterState> state, std::shared_ptr<Current> current)
      : state_(std::move(state)), current_(std::move(current)) {
    current_->state = state_.get();
  }
  ~WatchedState() override {
    if (current_->state == state_.get()) {
      current_->state = nullptr;
    }
  }

  void Reset() override { state_->Reset(); }
  bool FilterAllRemaining() override { return state_->FilterAllRemaining(); }
  bool FilterRowKey(std::string_view row) override { return state_->FilterRowKey(row); }
  filter::ReturnCode FilterCell(const Cell& cell) override { return state_->FilterCell(cell); }
  filter::HintKind Hints() const override { return state_->Hints(); }
  void ShowEveryCell() override { state_->ShowEveryCell(); }
  bool NextHint(const Cell& current, filter::CellHint* hint) override { return state_->NextHint(current, hint); }
  void TransformCell(Cell* cell, Result* result) override { state_->TransformCell(cell, result); }
  void FilterRowCells(std::vector<Cell>* cells) override { state_->FilterRowCells(cells); }
  bool FilterRow() override { return state_->FilterRow(); }
  bool HasFilterRow() const override { return state_->HasFilterRow(); }
  bool AllowsBatch() const override { return state_->AllowsBatch(); }
  bool IsFamilyEssential(std::string_view family) const override { return state_->IsFamilyEssential(family); }
  const Status* Error() const override { return state_->Error(); }

 private:
  const std::unique_ptr<FilterState> state_;
  const std::shared_ptr<Current> current_;
};

class Inner final : public Filter {
 public:
  Inner(FilterPtr filter, std::shared_ptr<Current> current)
      : filter_(std::move(filter)), current_(std::move(current)) {}

  std::string_view name() const override { return filter_->name(); }
  std::string ToString() const override { return filter_->ToString(); }
  std::unique_ptr<FilterState> NewState(bool reversed) const override {
    return std::make_unique<WatchedState>(filter_->NewState(reversed), current_);
  }
  bool RemembersRows() const override { return filter_->RemembersRows(); }
  FilterNeeds Needs() const override { return filter_->Needs(); }
  std::shared_ptr<const filter::RowSet> Rows(bool reversed, bool* exact) const override {
    return filter_->Rows(reversed, exact);
  }
  void Accept(filter::FilterVisitor* visitor) const override { filter_->Accept(visitor); }

 private:
  const FilterPtr filter_;
  const std::shared_ptr<Current> current_;
};

class Watched final : public WatchedFilter {
 public:
  explicit Watched(FilterPtr filter) : filter_(std::make_shared<Inner>(std::move(filter), current_)) {}

  FilterPtr filter() const override { return filter_; }
  bool Done() const override { return current_->state != nullptr && current_->state->FilterAllRemaining(); }

 private:
  const std::shared_ptr<Current> current_ = std::make_shared<Current>();
  const FilterPtr filter_;
};

}  // namespace

std::shared_ptr<WatchedFilter> Watch(FilterPtr filter) { return std::make_shared<Watched>(std::move(filter)); }

}  // namespace klip::server
