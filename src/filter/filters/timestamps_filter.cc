#include <algorithm>
#include <utility>

#include "filter/common/column_hint.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class TimestampsState final : public filter::FilterState {
 public:
  TimestampsState(const std::vector<int64_t>* timestamps, bool can_hint)
      : timestamps_(*timestamps), can_hint_(can_hint) {}

  uint8_t Calls() const override { return 0; }
  ReturnCode FilterCell(const Cell& cell) override {
    next_ = std::lower_bound(timestamps_.begin(), timestamps_.end(), cell.timestamp_ms);
    if (next_ != timestamps_.end() && *next_ == cell.timestamp_ms) {
      return ReturnCode::kInclude;
    }
    if (next_ == timestamps_.begin()) {
      return ReturnCode::kNextCol;
    }
    return can_hint_ ? ReturnCode::kSeekNextUsingHint : ReturnCode::kSkip;
  }

  filter::HintKind Hints() const override { return can_hint_ ? filter::HintKind::kColumns : filter::HintKind::kNone; }

  bool NextHint(const Cell& current, filter::CellHint* hint) override {
    filter::HintColumn(current, current.qualifier, hint);
    hint->timestamp_ms = *std::prev(next_);
    return true;
  }

 private:
  const std::vector<int64_t>& timestamps_;  // belongs to the filter, sorted
  bool can_hint_;
  std::vector<int64_t>::const_iterator next_;
};

class Timestamps final : public Filter {
 public:
  Timestamps(std::vector<int64_t> timestamps, bool can_hint)
      : timestamps_(std::move(timestamps)), can_hint_(can_hint) {}

  std::string_view name() const override { return "TimestampsFilter"; }

  std::string ToString() const override {
    std::vector<std::string> arguments;
    for (const int64_t timestamp : timestamps_) {
      arguments.push_back(std::to_string(timestamp));
    }
    if (can_hint_) {
      arguments.emplace_back("true");
    }
    return filter::CallText(name(), arguments);
  }

  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Timestamps(timestamps_, can_hint_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<TimestampsState>(&timestamps_, can_hint_);
  }

 private:
  std::vector<int64_t> timestamps_;
  bool can_hint_;
};

}  // namespace

Expected<FilterPtr> TimestampsFilter(std::vector<int64_t> timestamps_ms, bool can_hint) {
  std::sort(timestamps_ms.begin(), timestamps_ms.end());
  timestamps_ms.erase(std::unique(timestamps_ms.begin(), timestamps_ms.end()), timestamps_ms.end());
  if (!timestamps_ms.empty() && timestamps_ms.front() < 0) {
    return Status(Code::kInvalidArgument, "must be positive " + std::to_string(timestamps_ms.front()));
  }
  return FilterPtr(std::make_shared<Timestamps>(std::move(timestamps_ms), can_hint));
}

}  // namespace klip
