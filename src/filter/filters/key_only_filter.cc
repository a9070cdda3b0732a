#include <string>

#include "filter/common/visitors.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

class KeyOnlyState final : public filter::FilterState {
 public:
  explicit KeyOnlyState(bool length_as_value) : length_as_value_(length_as_value) {}

  uint8_t Calls() const override { return filter::kTransformCell; }
  void TransformCell(Cell* cell, Result* result) override {
    cell->tags = {};
    if (length_as_value_) {
      cell->value = result->Store(BigEndian<uint32_t>(static_cast<uint32_t>(cell->value.size())));
    } else {
      cell->value = {};
    }
  }

 private:
  bool length_as_value_;
};

class KeyOnly final : public Filter {
 public:
  explicit KeyOnly(bool length_as_value) : length_as_value_(length_as_value) {}

  std::string_view name() const override { return "KeyOnlyFilter"; }
  std::string ToString() const override { return length_as_value_ ? "KeyOnlyFilter(true)" : "KeyOnlyFilter()"; }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->KeyOnly(length_as_value_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<KeyOnlyState>(length_as_value_);
  }

 private:
  bool length_as_value_;
};

}  // namespace

FilterPtr KeyOnlyFilter(bool length_as_value) { return std::make_shared<KeyOnly>(length_as_value); }

}  // namespace klip
