// DECIMAL: a 128-bit whole number and a scale. Results of operations have up to 38 digits, rounded half up, as Java's MathContext(38).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using Wide = boost::multiprecision::int256_t;

constexpr int kMostScale = 1000;

Status TooLarge() { return SqlError(206, "22003", "The data exceeds the max capacity for the data type."); }

// 10^exponent. REQUIRES: 0 <= exponent <= 76.
Wide PowerOfTen(int exponent) {
  Wide power = 1;
  for (int i = 0; i < exponent; ++i) {
    power *= 10;
  }
  return power;
}

const Wide& Limit() {
  static const Wide kLimit = PowerOfTen(Decimal::kMaxDigits);
  return kLimit;
}

int DigitsOf(Wide value) {
  value = abs(value);
  int digits = 1;
  for (Wide power = 10; value >= power; power *= 10) {
    ++digits;
  }
  return digits;
}

// value / 10^digits, rounded half up (away from zero).
Wide DropDigits(const Wide& value, int digits) {
  if (digits > 2 * Decimal::kMaxDigits) {
    return 0;
  }
  const Wide power = PowerOfTen(digits);
  const Wide half = power / 2;
  return (value < 0 ? value - half : value + half) / power;
}

// At most 38 digits.
Expected<Decimal> Fit(Wide value, int scale) {
  if (const int excess = DigitsOf(value) - Decimal::kMaxDigits; excess > 0) {
    value = DropDigits(value, excess);
    scale -= excess;
    if (DigitsOf(value) > Decimal::kMaxDigits) {  // 99..9 was rounded up
      value = DropDigits(value, 1);
      --scale;
    }
  }
  if (std::abs(scale) > kMostScale) {
    return TooLarge();
  }
  return Decimal(static_cast<__int128>(value), scale);
}

// Both with the larger scale, if that has 76 digits at most; else the other one is too small to matter.
std::pair<Wide, Wide> Aligned(const Decimal& a, const Decimal& b) {
  Wide x = a.unscaled();
  Wide y = b.unscaled();
  const int difference = std::min(std::abs(a.scale() - b.scale()), Decimal::kMaxDigits);
  (a.scale() < b.scale() ? x : y) *= PowerOfTen(difference);
  return {x, y};
}

}  // namespace

Expected<Decimal> Decimal::Parse(std::string_view text) {
  const auto error = [&] {
    return SqlError(201, "22000", "Illegal data. '" + std::string(text.substr(0, 64)) + "' is not a decimal number");
  };
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  Wide value = 0;
  int scale = 0;
  int digits = 0;
  bool any = false;
  bool point = false;
  for (; at < text.size() && ((text[at] >= '0' && text[at] <= '9') || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    any = true;
    digits += digits > 0 || text[at] != '0' ? 1 : 0;
    if (digits > 2 * kMaxDigits - 1) {
      return TooLarge();
    }
    value = value * 10 + (text[at] - '0');
    scale += point ? 1 : 0;
  }
  if (!any) {
    return error();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool negative = at < text.size() && text[at] == '-';
    at += at < text.size() && (text[at] == '-' || text[at] == '+') ? 1 : 0;
    int exponent = 0;
    const size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && exponent < 100'000; ++at) {
      exponent = exponent * 10 + (text[at] - '0');
    }
    if (at == begin) {
      return error();
    }
    scale += negative ? exponent : -exponent;
  }
  if (at != text.size()) {
    return error();
  }
  return Fit(text[0] == '-' ? Wide(-value) : value, scale);
}

std::string Decimal::ToString() const {
  Wide magnitude = unscaled_;
  const bool negative = magnitude < 0;
  std::string digits = Wide(abs(magnitude)).str();
  if (scale_ < 0 && unscaled_ != 0) {
    digits.append(static_cast<size_t>(-scale_), '0');
  } else if (scale_ > 0) {
    const auto scale = static_cast<size_t>(scale_);
    if (digits.size() <= scale) {
      digits.insert(0, scale + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - scale, ".");
  }
  return (negative ? "-" : "") + digits;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.scale() == b.scale()) {
    return a.unscaled_ <=> b.unscaled_;
  }
  const auto sign = [](const Decimal& value) { return value.unscaled_ > 0 ? 1 : value.unscaled_ < 0 ? -1 : 0; };
  if (sign(a) != sign(b) || sign(a) == 0) {
    return sign(a) <=> sign(b);
  }
  // By the position of the leading digit, then digit by digit.
  const int place_a = DigitsOf(a.unscaled_) - a.scale();
  const int place_b = DigitsOf(b.unscaled_) - b.scale();
  if (place_a != place_b) {
    return (place_a > place_b) == (sign(a) > 0) ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  const auto [x, y] = Aligned(a, b);
  return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater : std::strong_ordering::equal;
}

Expected<Decimal> Add(const Decimal& a, const Decimal& b) {
  const int difference = std::abs(a.scale() - b.scale());
  if (difference > Decimal::kMaxDigits) {
    const Decimal& larger = a.scale() < b.scale() ? a : b;
    const Decimal& smaller = a.scale() < b.scale() ? b : a;
    if (larger.unscaled() != 0) {
      return larger;
    }
    return smaller;
  }
  const auto [x, y] = Aligned(a, b);
  return Fit(x + y, std::max(a.scale(), b.scale()));
}

Expected<Decimal> Subtract(const Decimal& a, const Decimal& b) { return Add(a, Decimal(-b.unscaled(), b.scale())); }

Expected<Decimal> Multiply(const Decimal& a, const Decimal& b) {
  return Fit(Wide(a.unscaled()) * Wide(b.unscaled()), a.scale() + b.scale());
}

// The exact quotient if it has one of 38 digits, with the scale nearest to a's minus b's; else 38 digits.
Expected<Decimal> Divide(const Decimal& a, const Decimal& b) {
  if (b.unscaled() == 0) {
    return SqlError(202, "22012", "Divide by zero.");
  }
  const int preferred = a.scale() - b.scale();
  if (a.unscaled() == 0) {
    return Decimal(0, std::max(preferred, 0));
  }
  Wide dividend = a.unscaled();
  const Wide divisor = b.unscaled();
  // One digit more than wanted, so that rounding sees it.
  const int shift = std::max(0, Decimal::kMaxDigits + 1 + DigitsOf(divisor) - DigitsOf(dividend));
  if (DigitsOf(dividend) + shift > 2 * Decimal::kMaxDigits) {
    return TooLarge();
  }
  dividend *= PowerOfTen(shift);
  Wide quotient = dividend / divisor;
  int scale = preferred + shift;
  if (dividend % divisor != 0) {
    return Fit(quotient, scale);
  }
  while (scale > preferred && quotient % 10 == 0) {
    quotient /= 10;
    --scale;
  }
  return Fit(quotient, scale);
}

Decimal Rescale(const Decimal& value, int scale, bool round) {
  if (scale >= value.scale()) {
    const int more = scale - value.scale();
    if (more > Decimal::kMaxDigits) {
      return value;
    }
    const Wide wide = Wide(value.unscaled()) * PowerOfTen(more);
    return abs(wide) >= Limit() ? value : Decimal(static_cast<__int128>(wide), scale);
  }
  const int fewer = value.scale() - scale;
  if (fewer > 2 * Decimal::kMaxDigits) {
    return {0, scale};
  }
  const Wide wide = round ? DropDigits(value.unscaled(), fewer) : Wide(Wide(value.unscaled()) / PowerOfTen(fewer));
  return {static_cast<__int128>(wide), scale};
}

Decimal WithoutTrailingZeros(const Decimal& value) {
  __int128 unscaled = value.unscaled();
  int scale = value.scale();
  while (unscaled != 0 && unscaled % 10 == 0) {
    unscaled /= 10;
    --scale;
  }
  return unscaled == 0 ? Decimal() : Decimal(unscaled, scale);
}

Decimal Normalized(const Decimal& value) {
  if (value.scale() <= 0) {
    return value.scale() == 0 ? value : Rescale(value, 0, /*round=*/false);
  }
  __int128 unscaled = value.unscaled();
  int scale = value.scale();
  while (scale > 0 && unscaled % 10 == 0) {
    unscaled /= 10;
    --scale;
  }
  return {unscaled, scale};
}

double ToDouble(const Decimal& value) { return std::strtod(value.ToString().c_str(), nullptr); }

Expected<Decimal> ToDecimal(double value) {
  if (!std::isfinite(value)) {
    return SqlError(206, "22003", "The data exceeds the max capacity for the data type. Not a finite number");
  }
  char text[40];
  // The shortest digits that read back as the number, as Java's Double.toString.
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    if (std::strtod(text, nullptr) == value) {
      break;
    }
  }
  KLIP_ASSIGN_OR_RETURN(const Decimal decimal, Decimal::Parse(text));
  return decimal.scale() < 0 ? Rescale(decimal, 0, /*round=*/false) : decimal;
}

}  // namespace klip::sql
