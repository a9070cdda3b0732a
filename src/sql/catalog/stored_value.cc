#include "sql/catalog/stored_value.h"

#include <utility>

#include "sql/types/codec.h"

namespace klip::sql {

bool HasOneForm(const TableColumn& column) {
  return column.key_position < 0 && column.row_part == RowPart::kNone && column.type.type != Type::kChar &&
         !column.type.array && column.element == 0 && column.missing.is_null();
}

std::optional<std::string> ComparableBytes(const DataType& type, const Value& value, bool* exact) {
  const Expected<Value> near = Convert(value, type);
  if (!near.ok() || near->is_null()) {
    return std::nullopt;
  }
  *exact = CommonType({.type = value.type()}, {.type = near->type()}).type == Type::kNull ||
           CompareValues(*near, value) == 0;
  std::string bytes;
  EncodeValue(*near, type, &bytes);
  return bytes;
}

namespace {

std::string EqualBytes(const DataType& type, std::string bytes, double zero) {
  if ((type.type != Type::kDouble && type.type != Type::kFloat) || type.array) {
    return bytes;
  }
  const Expected<Value> value = DecodeValue(bytes, type);
  if (!value.ok() || value->is_null() || value->real() != 0) {
    return bytes;
  }
  bytes.clear();
  EncodeValue(Value(type.type, zero), type, &bytes);
  return bytes;
}

}  // namespace

std::string LeastEqual(const DataType& type, std::string bytes) { return EqualBytes(type, std::move(bytes), -0.0); }
std::string GreatestEqual(const DataType& type, std::string bytes) { return EqualBytes(type, std::move(bytes), 0.0); }

Value WithoutNegativeZero(Value value) {
  const bool is_real = value.type() == Type::kDouble || value.type() == Type::kFloat;
  if (!is_real || value.real() != 0) {
    return value;
  }
  Expected<Value> zero = Convert(Value::Double(0), {.type = value.type()});
  return zero.ok() ? *std::move(zero) : value;
}

}  // namespace klip::sql
