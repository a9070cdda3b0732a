#include <charconv>
#include <random>

#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

class RandomRowState final : public filter::FilterState {
 public:
  explicit RandomRowState(float chance) : chance_(chance), random_(std::random_device()()) {}

  void Reset() override { drops_row_ = false; }

  bool FilterRowKey(std::string_view /*row*/) override {
    drops_row_ = chance_ < 0 || (chance_ <= 1 && !(uniform_(random_) < chance_));
    return drops_row_;
  }

  filter::ReturnCode FilterCell(const Cell& /*cell*/) override {
    return drops_row_ ? filter::ReturnCode::kNextRow : filter::ReturnCode::kInclude;
  }

  bool FilterRow() override { return drops_row_; }
  bool HasFilterRow() const override { return true; }

 private:
  float chance_;
  std::minstd_rand random_;
  std::uniform_real_distribution<float> uniform_;  // [0, 1)
  bool drops_row_ = false;
};

class RandomRow final : public Filter {
 public:
  explicit RandomRow(float chance) : chance_(chance) {}

  std::string_view name() const override { return "RandomRowFilter"; }

  std::string ToString() const override {
    char text[32];
    const char* end = std::to_chars(std::begin(text), std::end(text), chance_).ptr;
    return filter::CallText(name(), {std::string_view(text, static_cast<size_t>(end - text))});
  }

  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->RandomRow(chance_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<RandomRowState>(chance_);
  }

 private:
  float chance_;
};

}  // namespace

FilterPtr RandomRowFilter(float chance) { return std::make_shared<RandomRow>(chance); }

}  // namespace klip
