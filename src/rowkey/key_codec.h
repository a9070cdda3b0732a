// Converts the text of a field to its bytes in the key, and back. The bytes of a field exclude its delimiter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/row_key.h"

namespace klip::rowkey {

// Appends the bytes of a field that takes a value. Errors: kInvalidArgument naming the field.
Status AppendField(const KeyField& field, std::string_view value, std::string* out);
Expected<std::string> EncodeField(const KeyField& field, std::string_view value);

// The text of a field of any kind. Errors: kInvalidArgument saying what is wrong with the bytes; the caller names the
// field.
Expected<std::string> DecodeField(const KeyField& field, std::string_view bytes);

// The bytes of a derived field, given those of all fields that take a value (by index; other entries are ignored).
std::string DerivedBytes(const KeyField& field, std::span<const std::string_view> bytes);

// Splits a row into the bytes of its fields. Errors: kInvalidArgument naming the field and the offset.
Expected<std::vector<std::string_view>> SplitRow(const std::vector<KeyField>& fields, std::string_view row);
// The same into a list that is reused for many rows.
Status SplitRow(const std::vector<KeyField>& fields, std::string_view row, std::vector<std::string_view>* parts);

// Whether the bytes of `field` sort in the opposite order of its values (desc, or reverse_ts, but not both).
bool SortsBackwards(const KeyField& field);

// Converts bytes from the order of values to that of the key, and back: complements them if the field sorts backwards.
void Flip(const KeyField& field, std::string* bytes);

// "field 'user': message".
Status FieldError(const KeyField& field, std::string_view message);

// "the row key has no field 'day'; its fields are user, date".
std::string UnknownField(const std::vector<KeyField>& fields, std::string_view name);

// The value in quotes, printable and shortened: for messages.
std::string Shown(std::string_view value);

}  // namespace klip::rowkey
