#include "sql/exec/parameters.h"

#include <algorithm>
#include <utility>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

bool IsReal(Type type) { return IsNumber(type) && !IsWhole(type) && type != Type::kDecimal; }

// Whether the types of results do not depend on which of the two types a value has.
bool IsAlike(Type a, Type b) {
  return a == b || (IsWhole(a) && IsWhole(b)) || (IsReal(a) && IsReal(b)) || (IsText(a) && IsText(b)) ||
         (IsBytes(a) && IsBytes(b));
}

// Whether `converted` compares as `value` does. A text or number that became a value of another kind means that value.
bool IsSame(const Value& value, const Value& converted) {
  if (value.is_null() || converted.is_null()) {
    return value.is_null() == converted.is_null() || IsText(value.type()) || IsBytes(value.type());  // '' is NULL
  }
  if (value.is_array()) {
    return std::ranges::equal(value.array(), converted.array(), IsSame);
  }
  if (IsReal(value.type()) && IsReal(converted.type())) {
    return true;  // a FLOAT is compared with the nearest FLOAT
  }
  if (converted.type() == Type::kChar && IsText(value.type())) {
    return HeldChar(value.text()) == HeldChar(converted.text());
  }
  const bool comparable =
      (IsNumber(value.type()) && IsNumber(converted.type())) || (IsTime(value.type()) && IsTime(converted.type())) ||
      (IsText(value.type()) && IsText(converted.type())) || (IsBytes(value.type()) && IsBytes(converted.type()));
  return !comparable || CompareValues(value, converted) == 0;
}

bool FitsUse(const Value& value, const Slot::Use& use) {
  if (value.is_null()) {
    return use.compared;  // NULL decides the value of some calls, and the type of others
  }
  if (IsOneOf(value, use.type)) {
    return true;
  }
  if (!use.compared && !IsAlike(value.type(), use.type.type)) {
    return false;
  }
  const Expected<Value> converted = Convert(value, use.type);
  return converted.ok() && IsSame(value, *converted);
}

}  // namespace

Parameters::Parameters(size_t count, std::span<const DataType> types) : count_(count) {
  for (size_t i = 0; i < count; ++i) {
    slots_.push_back(std::make_shared<Slot>(i < types.size() ? types[i] : DataType()));
  }
}

BoundPtr Parameters::Read(size_t position) const {
  if (!fixed() || position >= count_) {
    return std::make_unique<SlotValue>(slots_[position]);
  }
  const Value& value = (*values_)[position];
  return MakeConstant(value.type() == Type::kDecimal && !value.is_array() ? Value::Number(Normalized(value.decimal()))
                                                                          : value);
}

int Parameters::Add(const DataType& type) {
  slots_.push_back(std::make_shared<Slot>(type));
  return static_cast<int>(slots_.size()) - 1;
}

std::vector<DataType> Parameters::Types() const {
  std::vector<DataType> types;
  for (const SlotPtr& slot : std::span(slots_).first(count_)) {
    types.push_back(slot->type().type == Type::kNull ? DataType{.type = Type::kVarchar} : slot->type());
  }
  return types;
}

bool Parameters::has_untyped() const { return std::ranges::any_of(slots_, &Slot::has_untyped); }

bool Parameters::Fit(std::span<const Value> values) const {
  if (needs_values_) {
    return false;
  }
  for (size_t i = 0; i < count_; ++i) {
    if (!std::ranges::all_of(slots_[i]->uses(), [&](const Slot::Use& use) { return FitsUse(values[i], use); })) {
      return false;
    }
  }
  return true;
}

void Parameters::Set(std::span<const Value> values) {
  for (size_t i = 0; i < count_; ++i) {
    slots_[i]->Set(values[i]);
  }
}

}  // namespace klip::sql
