#include "filter/text/comparator_text.h"

#include <charconv>
#include <string>

#include "filter/common/decimal.h"

namespace klip::filter {
namespace {

Status Wrong(std::string_view what) { return {Code::kInvalidArgument, std::string(what)}; }

// Removes the part before the next colon from `text`.
Expected<std::string_view> Cut(std::string_view* text) {
  const size_t colon = text->find(':');
  if (colon == std::string_view::npos) {
    return Wrong("Incorrect comparator: no ':' in '" + std::string(*text) + "'");
  }
  const std::string_view out = text->substr(0, colon);
  text->remove_prefix(colon + 1);
  return out;
}

template <typename Number>
Expected<Number> NumberOf(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Wrong("Incorrect comparator: '" + std::string(text) + "' is not a number");
  }
  return number;
}

Expected<ComparatorPtr> ParseBit(std::string_view value) {
  KLIP_ASSIGN_OR_RETURN(const std::string_view name, Cut(&value));
  if (name != "AND" && name != "OR" && name != "XOR") {
    return Wrong("Incorrect comparator: bit operator '" + std::string(name) + "'");
  }
  const BitwiseOp op = name == "AND" ? BitwiseOp::kAnd : name == "OR" ? BitwiseOp::kOr : BitwiseOp::kXor;
  return BitComparator(std::string(value), op);
}

Expected<ComparatorPtr> ParseComponent(std::string_view value) {
  KLIP_ASSIGN_OR_RETURN(const std::string_view offset_text, Cut(&value));
  KLIP_ASSIGN_OR_RETURN(const auto offset, NumberOf<uint32_t>(offset_text));
  return BinaryComponentComparator(std::string(value), offset);
}

Expected<ComparatorPtr> ParseRegex(std::string_view value) {
  Regex regex;
  KLIP_ASSIGN_OR_RETURN(const std::string_view flags, Cut(&value));
  KLIP_ASSIGN_OR_RETURN(regex.flags, NumberOf<int32_t>(flags));
  KLIP_ASSIGN_OR_RETURN(regex.charset, Cut(&value));
  KLIP_ASSIGN_OR_RETURN(regex.engine, Cut(&value));
  regex.pattern = value;
  return RegexStringComparator(std::move(regex));
}

Expected<ComparatorPtr> ParseMore(std::string_view type, std::string_view value) {
  if (type == "null") {
    return NullComparator();
  }
  if (type == "long") {
    KLIP_ASSIGN_OR_RETURN(const auto number, NumberOf<int64_t>(value));
    return LongComparator(number);
  }
  if (type == "bigdecimal") {
    KLIP_ASSIGN_OR_RETURN(const Decimal decimal, ParseDecimal(value));
    return BigDecimalComparator(DecimalToBytes(decimal));
  }
  if (type == "bit") {
    return ParseBit(value);
  }
  if (type == "component") {
    return ParseComponent(value);
  }
  if (type == "regex") {
    return ParseRegex(value);
  }
  return Wrong("Incorrect comparatorType '" + std::string(type) + "'");
}

}  // namespace

Expected<ComparatorPtr> ParseComparator(std::string_view text, FilterNames names) {
  KLIP_ASSIGN_OR_RETURN(const std::string_view type, Cut(&text));
  std::string value(text);
  if (type == "binary") {
    return BinaryComparator(std::move(value));
  }
  if (type == "binaryprefix") {
    return BinaryPrefixComparator(std::move(value));
  }
  if (type == "substring") {
    return SubstringComparator(std::move(value));
  }
  if (type == "regexstring") {
    return RegexStringComparator({.pattern = std::move(value)});
  }
  if (type == "regexstringnocase") {
    return RegexStringComparator({.pattern = std::move(value), .flags = kRegexDotAll | kRegexCaseInsensitive});
  }
  if (names == FilterNames::kHBase) {
    return Wrong("Incorrect comparatorType '" + std::string(type) + "'");
  }
  return ParseMore(type, text);
}

}  // namespace klip::filter
