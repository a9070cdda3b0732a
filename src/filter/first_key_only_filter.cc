#include "filter/filter_state.h"
#include "klip/filter.h"

namespace klip {
namespace {

class FirstKeyOnlyState final : public filter::FilterState {
 public:
  void Reset() override { found_ = false; }

  filter::ReturnCode FilterCell(const Cell& /*cell*/) override {
    if (found_) {
      return filter::ReturnCode::kNextRow;
    }
    found_ = true;
    return filter::ReturnCode::kInclude;
  }

 private:
  bool found_ = false;
};

class FirstKeyOnly final : public Filter {
 public:
  std::string_view name() const override { return "FirstKeyOnlyFilter"; }
  std::string ToString() const override { return "FirstKeyOnlyFilter()"; }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<FirstKeyOnlyState>();
  }
};

}  // namespace

FilterPtr FirstKeyOnlyFilter() { return std::make_shared<FirstKeyOnly>(); }

}  // namespace klip
