#include "sql/catalog/stored_value.h"

#include "sql/types/codec.h"

namespace klip::sql {

bool HasOneForm(const TableColumn& column) {
  return column.key_position < 0 && column.row_part == RowPart::kNone && column.type.type != Type::kChar &&
         !column.type.array && column.element == 0 && column.missing.is_null();
}

std::optional<std::string> ComparableBytes(const TableColumn& column, const Value& value, bool* exact) {
  const Expected<Value> near = Convert(value, column.type);
  if (!near.ok() || near->is_null()) {
    return std::nullopt;
  }
  *exact = CommonType({.type = value.type()}, {.type = near->type()}).type == Type::kNull ||
           CompareValues(*near, value) == 0;
  std::string bytes;
  EncodeValue(*near, column.type, &bytes);
  return bytes;
}

}  // namespace klip::sql
