#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <boost/multiprecision/cpp_int.hpp>

#include "sql/types/codec.h"
#include "sql/types/number_text.h"

namespace klip::sql {
namespace {

using Wide = boost::multiprecision::int256_t;  // 77 digits: for a product, or the dividend of a quotient with 38 digits
constexpr int kMaxScale = 126;                 // the limit of a DECIMAL's exponent byte

Wide WidePower(int exponent) {
  static const std::array<Wide, 78> kPowers = [] {
    std::array<Wide, 78> powers;
    powers[0] = 1;
    for (size_t i = 1; i < powers.size(); i++) {
      powers[i] = powers[i - 1] * 10;
    }
    return powers;
  }();
  return kPowers[static_cast<size_t>(exponent)];
}

int Digits(const Wide& value) {
  Wide magnitude = abs(value);
  int digits = 0;
  while (digits < 77 && magnitude >= WidePower(digits)) {
    digits++;
  }
  return digits;  // 0 has no digits
}

// Divides by 10^digits, half up or towards zero.
Wide Shorten(const Wide& value, int digits, bool round) {
  if (digits > 77) {
    return 0;
  }
  Wide quotient = value / WidePower(digits);
  if (round && digits > 0 && abs(Wide(value / WidePower(digits - 1))) % 10 >= 5) {
    quotient += value < 0 ? -1 : 1;
  }
  return quotient;
}

Status TooLarge() { return SqlError(206, "22003", "The data exceeds the max capacity for the data type. DECIMAL"); }

// Rounds to 38 digits.
Expected<Decimal> Fit(Wide value, int scale) {
  for (int over = Digits(value) - Decimal::kMaxDigits; over > 0; over = Digits(value) - Decimal::kMaxDigits) {
    value = Shorten(value, over, true);
    scale -= over;
  }
  if (value != 0 && Digits(value) - scale > Decimal::kMaxDigits) {
    return TooLarge();
  }
  return Decimal(static_cast<__int128>(value), scale);
}

// Both values in units of 10^-scale. If one is too small to change 38 digits of the other, it becomes 0.
struct Aligned {
  Wide a;
  Wide b;
  int scale;
};

Aligned Align(const Decimal& a, const Decimal& b) {
  if (a.scale() > b.scale()) {
    Aligned swapped = Align(b, a);
    return {swapped.b, swapped.a, swapped.scale};
  }
  if (a.unscaled() == 0) {
    return {0, b.unscaled(), b.scale()};
  }
  if (b.unscaled() == 0) {
    int raise = std::min(b.scale() - a.scale(), Decimal::kMaxDigits);
    return {a.unscaled() * WidePower(raise), 0, a.scale() + raise};
  }
  int raise = b.scale() - a.scale();
  int room = 2 * Decimal::kMaxDigits - Digits(a.unscaled());
  if (raise > room) {
    return {a.unscaled() * WidePower(room), Shorten(b.unscaled(), raise - room, false), a.scale() + room};
  }
  return {a.unscaled() * WidePower(raise), b.unscaled(), b.scale()};
}

int Sign(const Decimal& value) { return value.unscaled() == 0 ? 0 : value.unscaled() < 0 ? -1 : 1; }

Status NotANumber(std::string_view text) {
  return {Code::kInvalidArgument, "not a number of up to 38 digits: '" + std::string(text) + "'"};
}

// Digits after the 38th round the number, or are refused.
Expected<Decimal> ParseDecimal(std::string_view text, bool round) {
  std::string_view rest = text;
  bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  size_t exponent_at = std::min(rest.find_first_of("eE"), rest.size());
  std::string_view number = rest.substr(0, exponent_at);
  __int128 unscaled = 0;
  int scale = 0;
  int digits = 0;
  bool point = false;
  bool any = false;
  bool up = false;  // the digits after the 38th round up
  for (char c : number) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') {
      return NotANumber(text);
    }
    digits += unscaled != 0 || c != '0' ? 1 : 0;
    if (digits > Decimal::kMaxDigits) {
      if (!round) {
        return NotANumber(text);
      }
      up = digits == Decimal::kMaxDigits + 1 ? c >= '5' : up;
      scale -= point ? 0 : 1;
      continue;
    }
    unscaled = unscaled * 10 + (c - '0');
    scale += point ? 1 : 0;
    any = true;
  }
  int exponent = 0;
  if (exponent_at < rest.size()) {
    std::string_view power = rest.substr(exponent_at + 1);
    bool plus = power.starts_with('+');
    power.remove_prefix(plus ? 1 : 0);
    auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc() || end != power.data() + power.size() || (plus && exponent < 0) ||
        exponent > 2 * kMaxScale || exponent < -2 * kMaxScale) {
      return NotANumber(text);
    }
  }
  if (!any || scale - exponent > kMaxScale || exponent - scale + digits > kMaxScale) {
    return NotANumber(text);
  }
  if (up && ++unscaled == static_cast<__int128>(WidePower(Decimal::kMaxDigits))) {
    unscaled /= 10;
    --scale;
  }
  return Decimal(negative ? -unscaled : unscaled, scale - exponent);
}

}  // namespace

std::string WholeText(__int128 value) {
  std::array<char, 40> digits;
  auto rest = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  size_t at = digits.size();
  do {
    digits[--at] = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  return (value < 0 ? "-" : "") + std::string(digits.data() + at, digits.size() - at);
}

Expected<Decimal> Decimal::Parse(std::string_view text) { return ParseDecimal(text, /*round=*/false); }
Expected<Decimal> ParseRounded(std::string_view text) { return ParseDecimal(text, /*round=*/true); }

std::string Decimal::ToString() const {
  std::string digits = WholeText(unscaled_ < 0 ? -unscaled_ : unscaled_);
  if (scale_ < 0 && unscaled_ != 0) {
    digits.append(static_cast<size_t>(-scale_), '0');
  } else if (scale_ > 0) {
    auto scale = static_cast<size_t>(scale_);
    if (digits.size() <= scale) {
      digits.insert(0, scale + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - scale, 1, '.');
  }
  return (unscaled_ < 0 ? "-" : "") + digits;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.scale_ == b.scale_ || Sign(a) != Sign(b) || Sign(a) == 0) {
    return a.scale_ == b.scale_ ? a.unscaled_ <=> b.unscaled_ : Sign(a) <=> Sign(b);
  }
  int a_digits = Digits(a.unscaled_) - a.scale_;
  int b_digits = Digits(b.unscaled_) - b.scale_;
  if (a_digits != b_digits) {
    return Sign(a) > 0 ? a_digits <=> b_digits : b_digits <=> a_digits;
  }
  Aligned both = Align(a, b);  // with equally many digits before the point, so that nothing is lost
  return both.a.compare(both.b) <=> 0;
}

Expected<Decimal> Add(const Decimal& a, const Decimal& b) {
  Aligned both = Align(a, b);
  return Fit(both.a + both.b, both.scale);
}

Expected<Decimal> Subtract(const Decimal& a, const Decimal& b) { return Add(a, Decimal(-b.unscaled(), b.scale())); }

Expected<Decimal> Multiply(const Decimal& a, const Decimal& b) {
  return Fit(Wide(a.unscaled()) * Wide(b.unscaled()), a.scale() + b.scale());
}

Expected<Decimal> Divide(const Decimal& a, const Decimal& b) {
  if (b.unscaled() == 0) {
    return SqlError(212, "22012", "Arithmetic error on server. Divide by zero.");
  }
  int wanted = a.scale() - b.scale();
  if (a.unscaled() == 0) {
    return Decimal(0, std::clamp(wanted, -kMaxScale, kMaxScale));
  }
  int raise = Decimal::kMaxDigits + 1 + Digits(b.unscaled()) - Digits(a.unscaled());
  Wide dividend = Wide(a.unscaled()) * WidePower(raise);
  Wide quotient = dividend / Wide(b.unscaled());
  int scale = wanted + raise;
  if (quotient * Wide(b.unscaled()) == dividend) {  // exact: no more digits than needed
    while (scale > wanted && quotient % 10 == 0) {
      quotient /= 10;
      scale--;
    }
  }
  return Fit(quotient, scale);
}

Decimal Rescale(const Decimal& value, int scale, bool round) {
  int raise = scale - value.scale();
  if (raise <= 0) {
    return {static_cast<__int128>(Shorten(value.unscaled(), -raise, round)), scale};
  }
  if (value.unscaled() == 0) {
    return {0, scale};
  }
  if (raise + Digits(value.unscaled()) > Decimal::kMaxDigits) {
    return value;
  }
  return {static_cast<__int128>(Wide(value.unscaled()) * WidePower(raise)), scale};
}

Decimal WithoutTrailingZeros(const Decimal& value) {
  __int128 unscaled = value.unscaled();
  int scale = value.scale();
  if (unscaled == 0) {
    return {};
  }
  while (unscaled % 10 == 0) {
    unscaled /= 10;
    scale--;
  }
  return {unscaled, scale};
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

double ToDouble(const Decimal& value) {
  std::string text = WholeText(value.unscaled()) + "e" + std::to_string(-value.scale());
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

Expected<Decimal> ToDecimal(double value) {
  Expected<Decimal> result = std::isfinite(value) ? Decimal::Parse(JavaText(value)) : Expected<Decimal>(TooLarge());
  return result.ok() ? result : Expected<Decimal>(TooLarge());
}

// As Java's Double.toString and Float.toString.
template <typename Real>
static std::string ShortestText(Real value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-Infinity" : "Infinity";
  }
  std::array<char, 512> buffer;
  Real magnitude = std::abs(value);
  bool plain = magnitude == 0 || (magnitude >= Real(1e-3) && magnitude < Real(1e7));
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  size_t exponent = text.find('e');
  std::string result(text.substr(0, exponent));
  if (result.find('.') == std::string::npos) {
    result += ".0";
  }
  if (exponent != std::string_view::npos) {  // e+07: E7
    std::string_view power = text.substr(exponent + 1);
    result += power[0] == '-' ? "E-" : "E";
    result += power.substr(power[1] == '0' ? 2 : 1);
  }
  return result;
}

std::string JavaText(double value) { return ShortestText(value); }
std::string JavaText(float value) { return ShortestText(value); }

}  // namespace klip::sql
