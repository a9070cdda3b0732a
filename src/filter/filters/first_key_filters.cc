// FirstKeyOnlyFilter and FirstKeyValueMatchingQualifiersFilter: the beginning of each row.
#include <algorithm>
#include <utility>

#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

using filter::ReturnCode;

class FirstKeyOnlyState final : public filter::FilterState {
 public:
  uint8_t Calls() const override { return filter::kReset; }
  void Reset() override { found_ = false; }

  ReturnCode FilterCell(const Cell& /*cell*/) override {
    return std::exchange(found_, true) ? ReturnCode::kNextRow : ReturnCode::kInclude;
  }

 private:
  bool found_ = false;
};

class FirstKeyOnly final : public Filter {
 public:
  std::string_view name() const override { return "FirstKeyOnlyFilter"; }
  std::string ToString() const override { return "FirstKeyOnlyFilter()"; }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Plain(*this); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<FirstKeyOnlyState>();
  }
};

class UpToQualifiersState final : public filter::FilterState {
 public:
  explicit UpToQualifiersState(const std::vector<std::string>* qualifiers) : qualifiers_(*qualifiers) {}

  void Reset() override { found_ = false; }

  ReturnCode FilterCell(const Cell& cell) override {
    if (found_) {
      return ReturnCode::kNextRow;
    }
    found_ = std::binary_search(qualifiers_.begin(), qualifiers_.end(), cell.qualifier);
    return ReturnCode::kInclude;
  }

 private:
  const std::vector<std::string>& qualifiers_;  // belongs to the filter, sorted
  bool found_ = false;
};

class UpToQualifiers final : public Filter {
 public:
  explicit UpToQualifiers(std::vector<std::string> qualifiers) : qualifiers_(std::move(qualifiers)) {
    std::sort(qualifiers_.begin(), qualifiers_.end());
    qualifiers_.erase(std::unique(qualifiers_.begin(), qualifiers_.end()), qualifiers_.end());
  }

  std::string_view name() const override { return "FirstKeyValueMatchingQualifiersFilter"; }
  std::string ToString() const override { return filter::QuotedCallText(name(), qualifiers_); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->FirstKeyValueMatchingQualifiers(qualifiers_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<UpToQualifiersState>(&qualifiers_);
  }

 private:
  std::vector<std::string> qualifiers_;
};

}  // namespace

FilterPtr FirstKeyOnlyFilter() { return std::make_shared<FirstKeyOnly>(); }

FilterPtr FirstKeyValueMatchingQualifiersFilter(std::vector<std::string> qualifiers) {
  return std::make_shared<UpToQualifiers>(std::move(qualifiers));
}

}  // namespace klip
