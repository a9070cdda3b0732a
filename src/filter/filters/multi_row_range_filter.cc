// MultiRowRangeFilter, with HBase's rules for merging its ranges.
#include <algorithm>
#include <utility>

#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "filter/filters/row_set_state.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::RowSet;

class MultiRowRange final : public Filter {
 public:
  explicit MultiRowRange(std::vector<RowRange> ranges)
      : ranges_(std::move(ranges)), rows_(RowSet::FromRanges(ranges_)) {}

  std::string_view name() const override { return "MultiRowRangeFilter"; }

  // The arguments of ColumnRangeFilter, for each range.
  std::string ToString() const override {
    std::vector<std::string> arguments;
    for (const RowRange& range : ranges_) {
      arguments.push_back(filter::Quoted(range.start));
      arguments.emplace_back(filter::BoolText(range.include_start));
      arguments.push_back(filter::Quoted(range.stop));
      arguments.emplace_back(filter::BoolText(range.include_stop));
    }
    return filter::CallText(name(), arguments);
  }

  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->MultiRowRange(ranges_); }

  std::unique_ptr<filter::FilterState> NewState(bool reversed) const override {
    return std::make_unique<filter::RowSetState>(rows_, reversed, /*drops_row=*/false);
  }

  std::shared_ptr<const RowSet> Rows(bool /*reversed*/, bool* exact) const override {
    *exact = true;
    return rows_;
  }

 private:
  std::vector<RowRange> ranges_;
  std::shared_ptr<const RowSet> rows_;
};

bool IsValid(const RowRange& range) {
  return range.start.empty() || range.stop.empty() || range.start < range.stop ||
         (range.start == range.stop && range.include_stop);
}

// As in HBase, ranges with the same start row are merged in the order given, and the first decides whether that row is
// included.
std::vector<RowRange> SortAndMerge(std::vector<RowRange> ranges) {
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const RowRange& a, const RowRange& b) { return a.start < b.start; });
  std::vector<RowRange> out;
  for (RowRange& range : ranges) {
    RowRange* last = out.empty() ? nullptr : &out.back();
    bool apart = last == nullptr ||
                 (!last->stop.empty() && (last->stop < range.start ||
                                          (last->stop == range.start && !last->include_stop && !range.include_start)));
    if (apart) {
      out.push_back(std::move(range));
    } else if (!last->stop.empty() && (range.stop.empty() || range.stop > last->stop)) {
      last->stop = std::move(range.stop);
      last->include_stop = range.include_stop;
    } else if (last->stop == range.stop) {
      last->include_stop = last->include_stop || range.include_stop;
    }
  }
  return out;
}

}  // namespace

Expected<FilterPtr> MultiRowRangeFilter(std::vector<RowRange> ranges) {
  if (ranges.empty()) {
    return Status(Code::kInvalidArgument, "No ranges found.");
  }
  size_t invalid = 0;
  std::string lines;
  for (const RowRange& range : ranges) {
    if (!IsValid(range)) {
      ++invalid;
      lines += "Invalid range: start row => " + range.start + ", stop row => " + range.stop + "\n";
    }
  }
  if (invalid > 0) {
    return Status(Code::kInvalidArgument, std::to_string(invalid) + " invaild ranges.\n" + lines);
  }
  return FilterPtr(std::make_shared<MultiRowRange>(SortAndMerge(std::move(ranges))));
}

Expected<FilterPtr> MultiRowPrefixFilter(const std::vector<std::string>& prefixes) {
  std::vector<RowRange> ranges;
  ranges.reserve(prefixes.size());
  for (const std::string& prefix : prefixes) {
    ranges.push_back({.start = prefix, .stop = PrefixSuccessor(prefix)});
  }
  return MultiRowRangeFilter(std::move(ranges));
}

}  // namespace klip
