// HBase's BigDecimal: a scale in 4 bytes, then the unscaled number in two's complement, both big-endian.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip::filter {

// digits * 10^-scale; no leading zeros; zero has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  int32_t scale = 0;

  // "-12.50"; with an exponent, "1E+400", if it would otherwise end in added zeros.
  std::string ToString() const;
};

// Errors: kInvalidArgument (fewer than 5 bytes, more than kMaxBigDecimalBytes).
Expected<Decimal> DecimalFromBytes(std::string_view bytes);

// "-12.50", "1E+400". Errors: kInvalidArgument.
Expected<Decimal> ParseDecimal(std::string_view text);

std::string DecimalToBytes(const Decimal& decimal);

// < 0, 0, > 0. Ignores the scale: 1.0 equals 1.
int Compare(const Decimal& a, const Decimal& b);

}  // namespace klip::filter
