#include <utility>

#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

class InclusiveStopState final : public filter::FilterState {
 public:
  InclusiveStopState(std::string_view stop, bool reversed) : stop_(stop), reversed_(reversed) {}

  bool FilterAllRemaining() override { return done_; }

  bool FilterRowKey(std::string_view row) override {
    done_ = done_ || (reversed_ ? row < stop_ : row > stop_);
    return done_;
  }

  filter::ReturnCode FilterCell(const Cell& /*cell*/) override {
    return done_ ? filter::ReturnCode::kNextRow : filter::ReturnCode::kInclude;
  }

 private:
  std::string_view stop_;  // belongs to the filter
  bool reversed_;
  bool done_ = false;
};

class InclusiveStop final : public Filter {
 public:
  explicit InclusiveStop(std::string stop) : stop_(std::move(stop)) {}

  std::string_view name() const override { return "InclusiveStopFilter"; }
  std::string ToString() const override { return filter::CallText(name(), {filter::Quoted(stop_)}); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->InclusiveStop(stop_); }

  std::unique_ptr<filter::FilterState> NewState(bool reversed) const override {
    return std::make_unique<InclusiveStopState>(stop_, reversed);
  }

  std::shared_ptr<const filter::RowSet> Rows(bool reversed, bool* exact) const override {
    *exact = true;
    if (reversed) {
      return filter::RowSet::FromRanges({{.start = stop_}});
    }
    if (stop_.empty()) {  // every row is above it
      return filter::RowSet::None();
    }
    return filter::RowSet::FromRanges({{.stop = stop_, .include_stop = true}});
  }

 private:
  std::string stop_;
};

}  // namespace

FilterPtr InclusiveStopFilter(std::string stop_row) { return std::make_shared<InclusiveStop>(std::move(stop_row)); }

}  // namespace klip
