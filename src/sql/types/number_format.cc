#include "sql/types/number_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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
  bool exponent = rest.starts_with('E');
  format.positive_.suffix = TakeAffix(&rest, ";#0,.", &format.shift_);
  if (exponent || pattern.find("\u00a4") != std::string_view::npos || (!rest.empty() && rest.front() != ';')) {
    return BadPattern(pattern);
  }
  format.negative_ = {"-" + format.positive_.prefix, format.positive_.suffix};
  if (!rest.empty()) {
    rest.remove_prefix(1);
    format.negative_.prefix = TakeAffix(&rest, kDigitSigns, &ignored);
    rest.remove_prefix(std::min(rest.find_first_not_of(kDigitSigns), rest.size()));
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
  bool negative = text.starts_with('-');
  const Affixes& affixes = negative ? negative_ : positive_;
  return affixes.prefix + Digits(RoundDigits(std::string_view(text).substr(negative ? 1 : 0), most_fraction_)) +
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
  if (!number.ok()) {
    return SqlError(206, "22003", "The data exceeds the max capacity for the data type. DECIMAL");
  }
  __int128 unscaled = negative ? -number->unscaled() : number->unscaled();
  return Value::Number(Normalized(Decimal(unscaled, number->scale() + shift_)));
}

}  // namespace klip::sql
