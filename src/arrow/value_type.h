// ValueType: the meaning of stored bytes, of a cell or of a field of a row key, and their Arrow format.
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
  // For a field of a row key. The bytes are those in the key, without a delimiter.
  static ValueType OfKey(KeyField field) { return {Kind::kField, std::move(field), /*in_key=*/true}; }
  // For a cell: a type of row-key schemas, "boolean", "f32" or "f64". Errors: kInvalidArgument describing the problem.
  static Expected<ValueType> OfCell(const std::string& text);

  std::string format() const;

  // Errors: kInvalidArgument saying what is wrong with the bytes; then nothing is appended.
  Status Append(std::string_view bytes, ColumnBuilder* out) const;

  // Encodes a value as the bytes of a cell. Errors: kInvalidArgument saying what cannot be converted. REQUIRES: made by
  // OfCell, the value is not null.
  Status Encode(const ColumnReader& values, int64_t row, std::string* out) const;
  // Converts a value to the text for RowKeySchema::Encode. REQUIRES: made by OfKey, the value is not null.
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
