// The cell in which an immutable Phoenix table stores all columns of a family (SINGLE_CELL_ARRAY_WITH_OFFSETS). Pure.
//
// It contains the bytes of the elements, their offsets, the position of the offsets, the number of elements, and the
// version 3. Element 0 is always "x". The offset of a missing element is negative: minus the number of bytes before it.
// Offsets have 2 bytes, or 4 if the number of elements is negative. ("ab", missing) is
//
//   78 61 62   00 00  00 01  FF FD   00 00 00 03   00 00 00 03   03
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip::sql {

inline constexpr std::string_view kSingleCellQualifier = "1";

// The bytes of an element; nullopt: it is missing, or the cell was written before its column was added. Errors:
// kInvalidArgument, bytes that are not such a cell, or of another version.
Expected<std::optional<std::string_view>> SingleCellElement(std::string_view cell, size_t element);

// `elements` are those from 1 on. REQUIRES: less than 2 GB.
std::string EncodeSingleCell(std::span<const std::optional<std::string>> elements);

}  // namespace klip::sql
