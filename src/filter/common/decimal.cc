#include "filter/common/decimal.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "klip/bytes.h"
#include "klip/comparator.h"

namespace klip::filter {
namespace {

constexpr size_t kScaleBytes = 4;
constexpr uint32_t kLimbBase = 1'000'000'000;
constexpr int kLimbDigits = 9;

Status Malformed(std::string_view what) { return {Code::kInvalidArgument, "BigDecimal: " + std::string(what)}; }

// Limbs of 9 decimal digits, the lowest first, of a big-endian magnitude.
std::vector<uint32_t> LimbsOf(std::string_view magnitude) {
  std::vector<uint32_t> limbs;
  for (const char byte : magnitude) {
    uint64_t carry = static_cast<unsigned char>(byte);
    for (uint32_t& limb : limbs) {
      carry += uint64_t{limb} << 8;
      limb = static_cast<uint32_t>(carry % kLimbBase);
      carry /= kLimbBase;
    }
    if (carry > 0) {
      limbs.push_back(static_cast<uint32_t>(carry));
    }
  }
  return limbs;
}

std::string DigitsOf(const std::vector<uint32_t>& limbs) {
  std::string digits;
  for (size_t i = limbs.size(); i-- > 0;) {
    const std::string limb = std::to_string(limbs[i]);
    if (!digits.empty()) {
      digits.append(kLimbDigits - limb.size(), '0');
    }
    digits += limb;
  }
  return digits;
}

// Two's complement, in place.
void Negate(std::string* bytes) {
  bool carry = true;
  for (size_t i = bytes->size(); i-- > 0;) {
    (*bytes)[i] = static_cast<char>(~(*bytes)[i] + (carry ? 1 : 0));
    carry = carry && (*bytes)[i] == 0;
  }
}

void StripZeros(std::string* digits) { digits->erase(0, std::min(digits->find_first_not_of('0'), digits->size())); }

}  // namespace

Expected<Decimal> DecimalFromBytes(std::string_view bytes) {
  if (bytes.size() <= kScaleBytes || bytes.size() > kMaxBigDecimalBytes) {
    return Malformed(std::to_string(bytes.size()) + " bytes, not 5 to " + std::to_string(kMaxBigDecimalBytes));
  }
  Decimal out;
  out.scale = ReadBigEndian<int32_t>(bytes.data());
  std::string magnitude(bytes.substr(kScaleBytes));
  out.negative = (static_cast<unsigned char>(magnitude[0]) & 0x80) != 0;
  if (out.negative) {
    Negate(&magnitude);
  }
  out.digits = DigitsOf(LimbsOf(magnitude));
  StripZeros(&out.digits);
  return out;
}

std::string Decimal::ToString() const {
  std::string out = negative ? "-" : "";
  const std::string number = digits.empty() ? "0" : digits;
  const auto count = static_cast<int64_t>(number.size());
  if (scale < 0 || scale > count + 6) {
    return out + number + "E" + (scale < 0 ? "+" : "") + std::to_string(-int64_t{scale});
  }
  const int64_t whole = count - scale;
  if (whole <= 0) {
    return out + "0." + std::string(static_cast<size_t>(-whole), '0') + number;
  }
  out += number.substr(0, static_cast<size_t>(whole));
  return scale == 0 ? out : out + "." + number.substr(static_cast<size_t>(whole));
}

Expected<Decimal> ParseDecimal(std::string_view text) {
  Decimal out;
  out.negative = text.starts_with('-');
  text.remove_prefix(out.negative ? 1 : 0);
  const size_t exponent_at = text.find('E');
  int64_t exponent = 0;
  if (exponent_at != std::string_view::npos) {
    std::string_view digits = text.substr(exponent_at + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      return Malformed("exponent in " + std::string(text));
    }
    text = text.substr(0, exponent_at);
  }
  const size_t point = text.find('.');
  out.digits.assign(text.substr(0, point));
  int64_t scale = -exponent;
  if (point != std::string_view::npos) {
    out.digits.append(text.substr(point + 1));
    scale += static_cast<int64_t>(text.size() - point - 1);
  }
  if (out.digits.empty() || out.digits.find_first_not_of("0123456789") != std::string::npos ||
      out.digits.size() > kMaxBigDecimalBytes || scale != static_cast<int32_t>(scale)) {
    return Malformed("'" + std::string(text) + "' is no decimal number");
  }
  out.scale = static_cast<int32_t>(scale);
  StripZeros(&out.digits);
  out.negative = out.negative && !out.digits.empty();
  return out;
}

std::string DecimalToBytes(const Decimal& decimal) {
  std::vector<unsigned char> bytes;  // the lowest first
  for (const char digit : decimal.digits) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (unsigned char& byte : bytes) {
      carry += byte * 10U;
      byte = static_cast<unsigned char>(carry);
      carry >>= 8;
    }
    if (carry > 0) {
      bytes.push_back(static_cast<unsigned char>(carry));
    }
  }
  bytes.push_back(0);  // room for the sign
  std::string magnitude(bytes.rbegin(), bytes.rend());
  if (decimal.negative) {
    Negate(&magnitude);
  }
  // Drops bytes that affect neither number nor sign.
  while (magnitude.size() > 1 && (magnitude[0] == '\0' || magnitude[0] == '\xff') &&
         ((magnitude[0] ^ magnitude[1]) & 0x80) == 0) {
    magnitude.erase(0, 1);
  }
  return BigEndian(decimal.scale) + magnitude;
}

int Compare(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& x) { return x.digits.empty() ? 0 : x.negative ? -1 : 1; };
  if (sign(a) != sign(b) || sign(a) == 0) {
    return sign(a) - sign(b);
  }
  // If numbers have equally many digits before the point, their digits compare as text.
  const int64_t whole_a = static_cast<int64_t>(a.digits.size()) - a.scale;
  const int64_t whole_b = static_cast<int64_t>(b.digits.size()) - b.scale;
  int order = whole_a != whole_b ? (whole_a < whole_b ? -1 : 1) : 0;
  for (size_t i = 0; order == 0 && i < std::max(a.digits.size(), b.digits.size()); ++i) {
    const char digit_a = i < a.digits.size() ? a.digits[i] : '0';
    const char digit_b = i < b.digits.size() ? b.digits[i] : '0';
    order = digit_a - digit_b;
  }
  return order * sign(a);
}

}  // namespace klip::filter
