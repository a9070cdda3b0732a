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

Value WithoutNegativeZero(Value value) {
  const bool is_real = value.type() == Type::kDouble || value.type() == Type::kFloat;
  if (!is_real || value.real() != 0) {
    return value;
  }
  Expected<Value> zero = Convert(Value::Double(0), {.type = value.type()});
  return zero.ok() ? *std::move(zero) : value;
}

}  // namespace klip::sql
