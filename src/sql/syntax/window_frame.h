// The frame of a window function: of which rows it is computed, relative to the current one.
#pragma once

#include <cstdint>

namespace klip::sql {

// ROWS BETWEEN 1 PRECEDING AND CURRENT ROW
struct WindowFrame {
  enum class BoundKind : uint8_t { kUnboundedPreceding, kPreceding, kCurrentRow, kFollowing, kUnboundedFollowing };
  struct Bound {
    BoundKind kind = BoundKind::kCurrentRow;
    int64_t rows = 0;  // kPreceding, kFollowing
    bool operator==(const Bound&) const = default;
  };

  bool rows = false;  // ROWS; else RANGE: a bound at the current row includes all rows that equal it by ORDER BY
  Bound start{.kind = BoundKind::kUnboundedPreceding};
  Bound end;
  bool operator==(const WindowFrame&) const = default;
};

}  // namespace klip::sql
