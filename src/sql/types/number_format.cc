#include "sql/types/number_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sql/types/codec.h"
#include "sql/types/number_text.h"

namespace klip::sql {
namespace {

constexpr std::string_view kPerMille = "\u2030";
constexpr std::string_view kDigitSigns = "#0,.";

Status BadPattern(std::string_view pattern) {
  return SqlError(201, "22000", "Illegal data. Malformed pattern \"" + std::string(pattern) + "\"");
}

// Removes the text before or after the digits; '...' is quoted. Stops at an unquoted character in `stops`.
std::string TakeAffix(std::string_view* pattern, std::string_view stops, int* shift) {
  std::string affix;
  bool quoted = false;
  while (!pattern->empty() && (quoted || stops.find(pattern->front()) == std::string_view::npos)) {
    char c = pattern->front();
    if (c == '\'') {
      bool twice = pattern->starts_with("''");
      affix += twice ? "'" : "";
      quoted = twice ? quoted : !quoted;
      pattern->remove_prefix(twice ? 2 : 1);
      continue;
    }
    if (!quoted && (c == '%' || pattern->starts_with(kPerMille))) {
      *shift = c == '%' ? 2 : 3;
    }
    affix += c;
    pattern->remove_prefix(1);
  }
  return affix;
}

// Removes "E00"; returns the number of zeros.
size_t TakeExponent(std::string_view* pattern) {
  if (!pattern->starts_with("E0")) {
    return 0;
  }
  const size_t end = std::min(pattern->find_first_not_of('0', 1), pattern->size());
  pattern->remove_prefix(end);
  return end - 1;
}

// A positive number: 0.digits × 10^exponent, without zeros at both ends; 0 has no digits.
struct Significant {
  std::string digits;
  int exponent = 0;

  // "12.50", "1.5E300".
  explicit Significant(std::string_view number) {
    const size_t e = std::min(number.find('E'), number.size());
    const size_t point = std::min(number.find('.'), e);
    const size_t fraction = std::min(point + 1, e);
    digits = std::string(number.substr(0, point)) + std::string(number.substr(fraction, e - fraction));
    if (e < number.size()) {
      std::from_chars(number.data() + e + 1, number.data() + number.size(), exponent);
    }
    exponent += static_cast<int>(point);
    Trim();
  }

  // At most that many digits, half to even.
  void Round(size_t most);

 private:
  void Trim() {
    const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, zeros);
    exponent -= static_cast<int>(zeros);
    digits.resize(digits.find_last_not_of('0') + 1);
  }
};

// Rounds the digits of an unsigned number, half to even.
std::string RoundDigits(std::string_view text, size_t most_fraction) {
  size_t point = std::min(text.find('.'), text.size());
  std::string whole = "0" + std::string(text.substr(0, point));
  std::string fraction(point < text.size() ? text.substr(point + 1) : "");
  if (fraction.size() <= most_fraction) {
    return whole + "." + fraction;
  }
  std::string kept = whole + fraction.substr(0, most_fraction);
  char next = fraction[most_fraction];
  bool more = fraction.find_first_not_of('0', most_fraction + 1) != std::string::npos;
  bool odd = (kept.back() - '0') % 2 == 1;
  if (next > '5' || (next == '5' && (more || odd))) {
    size_t at = kept.find_last_not_of('9');  // a 0 is at the beginning
    kept[at]++;
    std::fill(kept.begin() + static_cast<std::ptrdiff_t>(at) + 1, kept.end(), '0');
  }
  return kept.insert(whole.size(), ".");
}

void Significant::Round(size_t most) {
  const std::string rounded = RoundDigits("0." + digits, most);
  const size_t point = rounded.find('.');
  digits = rounded.substr(0, point) + rounded.substr(point + 1);
  exponent += static_cast<int>(point);
  Trim();
}

// Removes "E3" or "E-3"; 0: there is none. Java allows one behind every number.
int ParsedExponent(std::string_view* text) {
  const bool negative = text->starts_with("E-");
  const size_t begin = negative ? 2 : 1;
  const size_t end = std::min(text->find_first_not_of("0123456789", begin), text->size());
  if (!text->starts_with('E') || end <= begin) {
    return 0;
  }
  constexpr size_t kMostDigits = 4;
  const int exponent = std::atoi(std::string(text->substr(begin, std::min(end - begin, kMostDigits))).c_str());
  text->remove_prefix(end);
  return negative ? -exponent : exponent;
}

}  // namespace

// Java moves the point of a pattern without a 0: "#.##" means "0.##".
Status NumberFormat::ParseDigits(std::string_view digits) {
  size_t left = 0;
  size_t zeros = 0;
  size_t right = 0;
  size_t point = std::string_view::npos;
  for (char c : digits) {
    if (c == ',') {
      group_ = 1;  // counted below
    } else if (c == '.') {
      if (point != std::string_view::npos) {
        return BadPattern(digits);
      }
      point = left + zeros + right;
    } else if (c == '#') {
      (zeros > 0 ? right : left)++;
    } else if (right > 0) {
      return BadPattern(digits);
    } else {
      zeros++;
    }
  }
  if (group_ > 0) {
    std::string_view whole = digits.substr(0, digits.find('.'));
    group_ = whole.size() - std::min(whole.rfind(','), whole.size() - 1) - 1;
    if (group_ == 0) {
      return BadPattern(digits);
    }
  }
  bool has_point = point != std::string_view::npos;
  if (zeros == 0 && left > 0 && has_point) {
    size_t moved = std::max<size_t>(point, 1);
    right = left - std::min(moved, left);
    left = moved - 1;
    zeros = 1;
  }
  if (has_point ? point < left || point > left + zeros : right > 0) {
    return BadPattern(digits);
  }
  size_t total = left + zeros + right;
  size_t whole = has_point ? point : total;
  least_whole_ = whole > left ? whole - left : 0;
  most_whole_ = left + least_whole_;
  least_fraction_ = has_point && left + zeros > point ? left + zeros - point : 0;
  most_fraction_ = has_point && total > point ? total - point : 0;
  point_ = has_point && (point == 0 || point == total);
  return {};
}

Expected<NumberFormat> NumberFormat::Of(std::string_view pattern) {
  NumberFormat format;
  std::string_view rest = pattern;
  int ignored = 0;
  format.positive_.prefix = TakeAffix(&rest, "#0,.;", &format.shift_);
  size_t digits = std::min(rest.find_first_not_of(kDigitSigns), rest.size());
  KLIP_RETURN_IF_ERROR(format.ParseDigits(rest.substr(0, digits)));
  rest.remove_prefix(digits);
  if (rest.starts_with('E')) {
    format.exponent_digits_ = TakeExponent(&rest);
    if (format.exponent_digits_ == 0 || digits == 0) {
      return BadPattern(pattern);
    }
  }
  format.positive_.suffix = TakeAffix(&rest, ";#0,.", &format.shift_);
  if (pattern.find("\u00a4") != std::string_view::npos || (!rest.empty() && rest.front() != ';')) {
    return BadPattern(pattern);
  }
  format.negative_ = {"-" + format.positive_.prefix, format.positive_.suffix};
  if (!rest.empty()) {
    rest.remove_prefix(1);
    format.negative_.prefix = TakeAffix(&rest, kDigitSigns, &ignored);
    rest.remove_prefix(std::min(rest.find_first_not_of(kDigitSigns), rest.size()));
    TakeExponent(&rest);
    format.negative_.suffix = TakeAffix(&rest, "", &ignored);
    if (format.negative_.prefix == format.positive_.prefix && format.negative_.suffix == format.positive_.suffix) {
      format.negative_.prefix.insert(0, "-");
    }
  }
  if (digits == 0) {
    format.most_fraction_ = 340;
  }
  return format;
}

// Puts the digits of a rounded number into the pattern.
std::string NumberFormat::Digits(std::string text) const {
  size_t point = text.find('.');
  std::string fraction = text.substr(point + 1);
  text.resize(point);
  text.erase(0, text.find_first_not_of('0'));
  text.insert(0, least_whole_ > text.size() ? least_whole_ - text.size() : 0, '0');
  size_t last = fraction.find_last_not_of('0');
  fraction.resize(std::max(last == std::string::npos ? 0 : last + 1, least_fraction_), '0');
  if (text.empty() && fraction.empty()) {
    text = "0";
  }
  for (size_t at = text.size(); group_ > 0 && at > group_;) {
    at -= group_;
    text.insert(at, 1, ',');
  }
  return text + (fraction.empty() && !point_ ? "" : ".") + fraction;
}

// As Java does: if more whole digits are allowed than required, the exponent is a multiple of their number.
std::string NumberFormat::Scientific(std::string_view number) const {
  Significant value(number);
  value.Round(most_whole_ + most_fraction_);
  const int whole = static_cast<int>(most_whole_);
  const int least = static_cast<int>(least_whole_);
  const bool multiple = whole > 1 && whole > least;
  int exponent = !multiple             ? value.exponent - least
                 : value.exponent >= 1 ? (value.exponent - 1) / whole * whole
                                       : (value.exponent - whole) / whole * whole;
  const int before = value.digits.empty() ? (multiple ? 1 : least) : value.exponent - exponent;
  std::string& digits = value.digits;
  const size_t required = std::max(least_whole_ + least_fraction_, static_cast<size_t>(std::max(before, 0)));
  exponent = digits.empty() ? 0 : exponent;
  digits.resize(std::max(digits.size(), required), '0');
  const auto point = static_cast<size_t>(std::max(before, 0));
  if (digits.size() > point || point_) {
    digits.insert(point, ".");
  }
  const std::string shown = std::to_string(std::abs(exponent));
  const size_t padding = exponent_digits_ > shown.size() ? exponent_digits_ - shown.size() : 0;
  return digits + (exponent < 0 ? "E-" : "E") + std::string(padding, '0') + shown;
}

std::string NumberFormat::Format(const Value& number) const {
  std::string text;
  if (const double* real = std::get_if<double>(&number.data()); real != nullptr) {
    double shifted = *real * std::pow(10, shift_);
    if (std::isnan(shifted)) {
      return "NaN";
    }
    if (std::isinf(shifted)) {
      const Affixes& affixes = shifted < 0 ? negative_ : positive_;
      return affixes.prefix + "\u221e" + affixes.suffix;
    }
    // The shortest digits if they are few enough, else the exact ones: Java rounds the exact value of the bits.
    if (exponent_digits_ > 0) {
      return Affixed(JavaText(shifted));
    }
    text = Decimal::Parse(JavaText(shifted)).ok() ? Decimal::Parse(JavaText(shifted))->ToString() : std::string();
    size_t point = std::min(text.find('.'), text.size());
    if (text.empty() || text.size() > point + 1 + most_fraction_) {
      std::array<char, 800> buffer;
      int size = std::snprintf(buffer.data(), buffer.size(), "%.*f", static_cast<int>(most_fraction_), shifted);
      text.assign(buffer.data(), static_cast<size_t>(size));
    }
  } else {
    const auto* decimal = std::get_if<Decimal>(&number.data());
    Decimal value = decimal != nullptr ? *decimal : Decimal(number.integer());
    text = Decimal(value.unscaled(), value.scale() - shift_).ToString();
  }
  return Affixed(text);
}

std::string NumberFormat::Affixed(std::string_view number) const {
  const bool negative = number.starts_with('-');
  number.remove_prefix(negative ? 1 : 0);
  const Affixes& affixes = negative ? negative_ : positive_;
  return affixes.prefix + (exponent_digits_ > 0 ? Scientific(number) : Digits(RoundDigits(number, most_fraction_))) +
         affixes.suffix;
}

Expected<Value> NumberFormat::Parse(std::string_view text) const {
  bool positive = text.starts_with(positive_.prefix);
  bool negative = text.starts_with(negative_.prefix);
  if (positive && negative) {
    positive = positive_.prefix.size() >= negative_.prefix.size();
    negative = negative_.prefix.size() >= positive_.prefix.size();
  }
  if (!positive && !negative) {
    return Value();
  }
  text.remove_prefix(positive ? positive_.prefix.size() : negative_.prefix.size());
  std::string digits;
  bool point = false;
  size_t at = 0;
  size_t end = 0;  // end of the number; a comma at the end does not belong to it
  for (; at < text.size(); at++) {
    char c = text[at];
    if (c == '.' && !point) {
      point = true;
    } else if (!(c == ',' && group_ > 0 && !point) && !(c >= '0' && c <= '9')) {
      break;
    }
    if (c != ',') {
      digits += c;
      end = at + 1;
    }
  }
  text.remove_prefix(end);
  const int exponent = end > 0 ? ParsedExponent(&text) : 0;
  positive = positive && text.starts_with(positive_.suffix);
  negative = negative && text.starts_with(negative_.suffix);
  if (positive && negative) {
    positive = positive_.suffix.size() > negative_.suffix.size();
    negative = negative_.suffix.size() > positive_.suffix.size();
  }
  if (positive == negative || digits.find_first_of("0123456789") == std::string::npos) {
    return Value();
  }
  Expected<Decimal> number = Decimal::Parse(digits);
  if (!number.ok() || std::abs(exponent) > Decimal::kMaxDigits) {
    return SqlError(206, "22003", "The data exceeds the max capacity for the data type. DECIMAL");
  }
  __int128 unscaled = negative ? -number->unscaled() : number->unscaled();
  return Value::Number(Normalized(Decimal(unscaled, number->scale() + shift_ - exponent)));
}

}  // namespace klip::sql
