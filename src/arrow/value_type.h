// ValueType: what stored bytes mean, of a cell or of a field of a row key, and how they stand in Arrow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/column_builder.h"
#include "arrow/column_reader.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::arrow {

class ValueType {
 public:
  // Of a field of a row key. The bytes are those in the key, without a delimiter.
  static ValueType OfKey(KeyField field) { return {Kind::kField, std::move(field), /*in_key=*/true}; }
  // Of a cell: a type of row-key schemas, "boolean", "f32" or "f64". Errors: kInvalidArgument saying what is wrong with the text.
  static Expected<ValueType> OfCell(const std::string& text);

  std::string format() const;

  // Errors: kInvalidArgument saying what is wrong with the bytes; nothing is appended.
  Status Append(std::string_view bytes, ColumnBuilder* out) const;

  // The bytes of a cell. Errors: kInvalidArgument saying what does not convert. REQUIRES: made by OfCell, the value is not null.
  Status Encode(const ColumnReader& values, int64_t row, std::string* out) const;
  // As RowKeySchema::Encode takes it. REQUIRES: made by OfKey, the value is not null.
  Status ToText(const ColumnReader& values, int64_t row, std::string* out) const;

 private:
  enum class Kind : uint8_t { kField, kBoolean, kFloat, kDouble };

  ValueType(Kind kind, KeyField field, bool in_key) : kind_(kind), field_(std::move(field)), in_key_(in_key) {}

  Status AppendField(std::string_view bytes, ColumnBuilder* out) const;

  Kind kind_;
  KeyField field_;
  bool in_key_;  // signed integers have their sign bit flipped there
};

}  // namespace klip::arrow
