// The text form of a row-key schema: klip/row_key.h has the grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/row_key.h"

namespace klip::rowkey {

inline constexpr size_t kMaxSchemaTextBytes = 4096;
inline constexpr size_t kMaxFields = 64;
inline constexpr int kMaxRowBytes = 32767;  // HBase's limit on a row key

// Errors: kInvalidArgument naming the offset and what was expected there.
Expected<std::vector<KeyField>> ParseFields(std::string_view text);

// The canonical text: ParseFields returns the same fields.
std::string FieldsToString(const std::vector<KeyField>& fields);

// Bytes of a complete digest.
int HashBytes(KeyHash hash);

}  // namespace klip::rowkey
