#include <utility>

#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "filter/rows/row_set.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

using filter::ReturnCode;

class PrefixState final : public filter::FilterState {
 public:
  PrefixState(std::string_view prefix, bool reversed) : prefix_(prefix), reversed_(reversed) {}

  void Reset() override { drops_row_ = true; }
  bool FilterAllRemaining() override { return passed_; }

  // Does not drop a row before the prefix, so that its first cell gives the hint.
  bool FilterRowKey(std::string_view row) override {
    if (passed_) {
      return true;
    }
    int order = row.substr(0, prefix_.size()).compare(prefix_);
    passed_ = reversed_ ? order < 0 : order > 0;
    before_ = reversed_ ? order > 0 : order < 0;
    drops_row_ = order != 0;
    return passed_;
  }

  ReturnCode FilterCell(const Cell& /*cell*/) override {
    if (before_) {
      return ReturnCode::kSeekNextUsingHint;
    }
    return drops_row_ ? ReturnCode::kNextRow : ReturnCode::kInclude;
  }

  filter::HintKind Hints() const override { return filter::HintKind::kRows; }

  bool NextHint(const Cell& /*current*/, filter::CellHint* hint) override {
    *hint = filter::CellHint();
    hint->row = reversed_ ? PrefixSuccessor(prefix_) : std::string(prefix_);
    return true;
  }

  bool FilterRow() override { return drops_row_; }

 private:
  std::string_view prefix_;  // belongs to the filter
  bool reversed_;
  bool passed_ = false;
  bool before_ = false;
  bool drops_row_ = true;
};

class Prefix final : public Filter {
 public:
  explicit Prefix(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string_view name() const override { return "PrefixFilter"; }
  std::string ToString() const override { return filter::CallText(name(), {filter::Quoted(prefix_)}); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Prefix(prefix_); }

  std::unique_ptr<filter::FilterState> NewState(bool reversed) const override {
    return std::make_unique<PrefixState>(prefix_, reversed);
  }

  std::shared_ptr<const filter::RowSet> Rows(bool /*reversed*/, bool* exact) const override {
    *exact = true;
    return filter::RowSet::FromRanges({{.start = prefix_, .stop = PrefixSuccessor(prefix_)}});
  }

 private:
  std::string prefix_;
};

}  // namespace

FilterPtr PrefixFilter(std::string prefix) { return std::make_shared<Prefix>(std::move(prefix)); }

}  // namespace klip
