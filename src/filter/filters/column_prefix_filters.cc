// ColumnPrefixFilter and MultipleColumnPrefixFilter.
#include <algorithm>
#include <utility>

#include "filter/common/column_hint.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class ColumnPrefixState final : public filter::FilterState {
 public:
  explicit ColumnPrefixState(std::string_view prefix) : prefix_(prefix) {}

  uint8_t Calls() const override { return 0; }
  ReturnCode FilterCell(const Cell& cell) override {
    const int order = cell.qualifier.substr(0, prefix_.size()).compare(prefix_);
    return order == 0 ? ReturnCode::kInclude : order < 0 ? ReturnCode::kSeekNextUsingHint : ReturnCode::kNextRow;
  }

  filter::HintKind Hints() const override { return filter::HintKind::kColumns; }

  bool NextHint(const Cell& current, filter::CellHint* hint) override {
    filter::HintColumn(current, prefix_, hint);
    return true;
  }

 private:
  std::string_view prefix_;  // belongs to the filter
};

class ColumnPrefix final : public Filter {
 public:
  explicit ColumnPrefix(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string_view name() const override { return "ColumnPrefixFilter"; }
  std::string ToString() const override { return filter::CallText(name(), {filter::Quoted(prefix_)}); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->ColumnPrefix(prefix_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<ColumnPrefixState>(prefix_);
  }

 private:
  std::string prefix_;
};

class MultipleColumnPrefixState final : public filter::FilterState {
 public:
  explicit MultipleColumnPrefixState(const std::vector<std::string>* prefixes) : prefixes_(*prefixes) {}

  // Only the largest prefix that is not greater than the column matters.
  ReturnCode FilterCell(const Cell& cell) override {
    if (prefixes_.empty()) {
      return ReturnCode::kInclude;
    }
    next_ = std::upper_bound(prefixes_.begin(), prefixes_.end(), cell.qualifier);
    if (next_ != prefixes_.begin() && cell.qualifier.starts_with(*std::prev(next_))) {
      return ReturnCode::kInclude;
    }
    return next_ == prefixes_.end() ? ReturnCode::kNextRow : ReturnCode::kSeekNextUsingHint;
  }

  filter::HintKind Hints() const override { return filter::HintKind::kColumns; }

  bool NextHint(const Cell& current, filter::CellHint* hint) override {
    filter::HintColumn(current, *next_, hint);
    return true;
  }

 private:
  const std::vector<std::string>& prefixes_;  // belongs to the filter, sorted
  std::vector<std::string>::const_iterator next_;
};

class MultipleColumnPrefix final : public Filter {
 public:
  explicit MultipleColumnPrefix(std::vector<std::string> prefixes) : prefixes_(std::move(prefixes)) {}

  std::string_view name() const override { return "MultipleColumnPrefixFilter"; }
  std::string ToString() const override { return filter::QuotedCallText(name(), prefixes_); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->MultipleColumnPrefix(prefixes_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<MultipleColumnPrefixState>(&prefixes_);
  }

 private:
  std::vector<std::string> prefixes_;
};

}  // namespace

FilterPtr ColumnPrefixFilter(std::string prefix) { return std::make_shared<ColumnPrefix>(std::move(prefix)); }

Expected<FilterPtr> MultipleColumnPrefixFilter(std::vector<std::string> prefixes) {
  std::sort(prefixes.begin(), prefixes.end());
  if (std::adjacent_find(prefixes.begin(), prefixes.end()) != prefixes.end()) {
    return Status(Code::kInvalidArgument, "prefixes must be distinct");
  }
  return FilterPtr(std::make_shared<MultipleColumnPrefix>(std::move(prefixes)));
}

}  // namespace klip
