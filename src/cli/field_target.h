// What the fields of imported and exported lines stand for. An export names them as an import reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::cli {

struct FieldTarget {
  enum class Kind : uint8_t { kSkip, kRow, kTimestamp, kKeyField, kColumn };
  Kind kind = Kind::kSkip;
  std::string key_field;
  std::string family;
  std::string qualifier;
  enum class Value : uint8_t { kText, kInt, kLong, kHex };
  Value value = Value::kText;  // of a column: how it is written in lines

  bool operator==(const FieldTarget&) const = default;
};

// "HBASE_ROW_KEY", "HBASE_TS_KEY" (as in HBase's ImportTsv), a key field of the schema, "row" for the row key, "-" to skip,
// or "family:qualifier". The suffix ":int", ":long" or ":hex" means that values are numbers (stored big-endian) or bytes in
// hex. A colon and a word at the end of a qualifier are a type, never part of it: \x3A is such a colon.
Expected<FieldTarget> ParseFieldTarget(std::string_view text, const std::optional<RowKeySchema>& schema);

// The fields of a line. Errors: those of ParseFieldTarget; kInvalidArgument for one that is named twice.
Expected<std::vector<FieldTarget>> ParseFieldTargets(const std::vector<std::string>& texts,
                                                     const std::optional<RowKeySchema>& schema);

// The text that ParseFieldTarget reads back.
std::string NameOfField(const FieldTarget& target);

// "family:qualifier" of it, the same way.
std::string NameOfColumn(std::string_view family, std::string_view qualifier);

// The stored bytes for a value in a line. `escapes`: \xNN in a text stands for a byte. Errors: kInvalidArgument naming the
// field.
Expected<std::string> ValueFromLine(const FieldTarget& target, std::string_view text, bool escapes);

// A stored value as text of the column's type, which ValueFromLine reads back with escapes. Errors: kInvalidArgument if the
// bytes do not have this type.
Expected<std::string> ValueForLine(const FieldTarget& target, std::string_view bytes);

}  // namespace klip::cli
