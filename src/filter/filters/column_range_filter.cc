#include <utility>

#include "filter/common/column_hint.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class ColumnRangeState final : public filter::FilterState {
 public:
  explicit ColumnRangeState(const ColumnRange* range) : range_(*range) {}

  uint8_t Calls() const override { return 0; }
  ReturnCode FilterCell(const Cell& cell) override {
    if (range_.min.has_value()) {
      const int order = cell.qualifier.compare(*range_.min);
      if (order < 0) {
        return ReturnCode::kSeekNextUsingHint;
      }
      if (order == 0 && !range_.include_min) {
        return ReturnCode::kNextCol;
      }
    }
    if (range_.max.has_value()) {
      const int order = cell.qualifier.compare(*range_.max);
      if (order > 0 || (order == 0 && !range_.include_max)) {
        return ReturnCode::kNextRow;
      }
    }
    return ReturnCode::kInclude;
  }

  filter::HintKind Hints() const override { return filter::HintKind::kColumns; }

  bool NextHint(const Cell& current, filter::CellHint* hint) override {
    filter::HintColumn(current, *range_.min, hint);
    return true;
  }

 private:
  const ColumnRange& range_;  // belongs to the filter
};

class ColumnRangeOf final : public Filter {
 public:
  explicit ColumnRangeOf(ColumnRange range) : range_(std::move(range)) {}

  std::string_view name() const override { return "ColumnRangeFilter"; }
  std::string ToString() const override {
    return filter::CallText(name(), {filter::Quoted(range_.min.value_or("")), filter::BoolText(range_.include_min),
                                     filter::Quoted(range_.max.value_or("")), filter::BoolText(range_.include_max)});
  }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->ColumnRange(range_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<ColumnRangeState>(&range_);
  }

 private:
  ColumnRange range_;
};

}  // namespace

FilterPtr ColumnRangeFilter(ColumnRange range) { return std::make_shared<ColumnRangeOf>(std::move(range)); }

}  // namespace klip
