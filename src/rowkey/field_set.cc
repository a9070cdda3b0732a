#include "rowkey/field_set.h"

#include <algorithm>

#include "klip/bytes.h"
#include "rowkey/key_codec.h"

namespace klip::rowkey {
namespace {

using filter::ByteInterval;

size_t Width(const KeyField& field) { return static_cast<size_t>(field.width_bytes); }

bool IsTextual(const KeyField& field) {
  return field.type == KeyFieldType::kText || field.type == KeyFieldType::kBytes ||
         field.type == KeyFieldType::kDigits || field.type == KeyFieldType::kDate;
}

bool StartsWithBytes(std::string_view bytes, std::string_view prefix) { return bytes.starts_with(prefix); }

// Whether every value up to the end of `a` is also up to the end of `b`.
bool EndsNoLater(const ByteInterval& a, const ByteInterval& b) {
  if (b.high_is_prefix && StartsWithBytes(a.high, b.high)) {
    return true;
  }
  if (a.high_is_prefix && StartsWithBytes(b.high, a.high)) {
    return false;
  }
  return a.high <= b.high;
}

bool ReachesUpTo(const ByteInterval& interval, std::string_view bytes) {
  return bytes <= interval.high || (interval.high_is_prefix && StartsWithBytes(bytes, interval.high));
}

// The same as AppendField, but a derived hash is given as hex.
Expected<std::string> EncodeForQuery(const KeyField& field, std::string_view value) {
  if (field.type != KeyFieldType::kHash || field.source_fields.empty()) {
    return EncodeField(field, value);
  }
  std::string escaped;
  for (size_t i = 0; i + 1 < value.size(); i += 2) {
    escaped.append("\\x").append(value.substr(i, 2));
  }
  std::string bytes = FromStringBinary(escaped);
  if (value.size() != 2 * Width(field) || bytes.size() != Width(field)) {
    return FieldError(field, Shown(value) + " is not a hash of " + std::to_string(2 * Width(field)) + " hex digits");
  }
  return bytes;
}

Intervals Points(std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Intervals out;
  out.reserve(values.size());
  for (std::string& value : values) {
    out.push_back({.low = value, .high = value});
  }
  return out;
}

// Converts [low, high] of a fixed-width field from the order of its values to the order of the key.
Intervals Directed(const KeyField& field, std::string low, std::string high) {
  Flip(field, &low);
  Flip(field, &high);
  if (SortsBackwards(field)) {
    std::swap(low, high);
  }
  if (low > high) {
    return {};
  }
  return {{.low = std::move(low), .high = std::move(high)}};
}

Expected<FieldSet> SetOfPrefix(const KeyField& field, const std::string& text) {
  if (!IsTextual(field)) {
    return FieldError(field, "only text, bytes, digits and dates can be matched by prefix");
  }
  std::string prefix = field.type == KeyFieldType::kBytes ? FromStringBinary(text) : text;
  if (field.width_bytes == 0) {
    if (field.delimiter && prefix.find(*field.delimiter) != std::string::npos) {
      return FieldError(field, Shown(prefix) + " contains the delimiter " + Shown(std::string(1, *field.delimiter)));
    }
    return prefix.empty() ? FieldSet() : FieldSet(Intervals{{.low = prefix, .high = prefix, .high_is_prefix = true}});
  }
  bool digits = field.type == KeyFieldType::kDigits || field.type == KeyFieldType::kDate;
  if (digits && prefix.find_first_not_of("0123456789") != std::string::npos) {
    return FieldError(field, Shown(prefix) + " does not consist of decimal digits");
  }
  if (prefix.size() > Width(field)) {
    return FieldError(field, std::to_string(prefix.size()) + " bytes do not fit in " + std::to_string(Width(field)));
  }
  if (prefix.empty()) {
    return FieldSet();
  }
  size_t rest = Width(field) - prefix.size();
  return FieldSet(Directed(field, prefix + std::string(rest, digits ? '0' : '\0'),
                           prefix + std::string(rest, digits ? '9' : '\xff')));
}

// Values of variable width: the lowest is the empty one, and there is no highest.
Expected<FieldSet> SetBetweenVariable(const KeyField& field, const Between& match) {
  ByteInterval interval{.low = "", .high = "\xff", .high_is_prefix = true};
  if (match.low) {
    KLIP_ASSIGN_OR_RETURN(interval.low, EncodeField(field, *match.low));
    if (!match.include_low) {
      interval.low.push_back('\0');
    }
    interval.high = std::string(interval.low.size() + 1, '\xff');
  }
  if (match.high) {
    KLIP_ASSIGN_OR_RETURN(interval.high, EncodeField(field, *match.high));
    interval.high_is_prefix = false;
    if (!match.include_high) {
      if (interval.high.empty()) {
        return FieldSet(Intervals());
      }
      // Below "ab" lie "aa" and what starts with it; below "ab\0" lies nothing above "ab".
      if (interval.high.back() == '\0') {
        interval.high.pop_back();
      } else {
        interval.high.back() = static_cast<char>(interval.high.back() - 1);
        interval.high_is_prefix = true;
      }
    }
  }
  if (!ReachesUpTo(interval, interval.low)) {
    return FieldSet(Intervals());
  }
  return FieldSet(Intervals{std::move(interval)});
}

Expected<FieldSet> SetBetween(const KeyField& field, const Between& match) {
  if (field.type == KeyFieldType::kHash) {
    return FieldError(field, "a hash does not support ranges");
  }
  if (!match.low && !match.high) {
    return FieldSet();
  }
  if (field.width_bytes == 0) {
    return SetBetweenVariable(field, match);
  }
  // In the order of the key, where a missing bound is all 00 or all FF.
  std::string low(Width(field), '\0');
  std::string high(Width(field), '\xff');
  std::string* of_low = SortsBackwards(field) ? &high : &low;
  std::string* of_high = SortsBackwards(field) ? &low : &high;
  bool possible = true;
  if (match.low) {
    KLIP_ASSIGN_OR_RETURN(*of_low, EncodeField(field, *match.low));
    possible = match.include_low || (of_low == &low ? Increment(of_low) : Decrement(of_low));
  }
  if (match.high) {
    KLIP_ASSIGN_OR_RETURN(*of_high, EncodeField(field, *match.high));
    possible = (match.include_high || (of_high == &high ? Decrement(of_high) : Increment(of_high))) && possible;
  }
  if (!possible || low > high) {
    return FieldSet(Intervals());
  }
  return FieldSet(Intervals{{.low = std::move(low), .high = std::move(high)}});
}

Expected<FieldSet> SetOfValues(const KeyField& field, const std::vector<std::string>& values) {
  std::vector<std::string> encoded;
  encoded.reserve(values.size());
  for (const std::string& value : values) {
    KLIP_ASSIGN_OR_RETURN(std::string bytes, EncodeForQuery(field, value));
    encoded.push_back(std::move(bytes));
  }
  return FieldSet(Points(std::move(encoded)));
}

// The smallest string above `interval`. False if there is none.
bool FirstAbove(const ByteInterval& interval, std::string* out) {
  *out = interval.high;
  if (!interval.high_is_prefix) {
    out->push_back('\0');
    return true;
  }
  while (out->ends_with('\xff')) {
    out->pop_back();
  }
  return !out->empty() && Increment(out);
}

// All strings in [low, high), for fields of variable width.
ByteInterval From(std::string low, std::string high) {
  ByteInterval interval{.low = std::move(low), .high = std::move(high)};
  // Below "ab" are "aa" and everything that starts with it. Below "ab\0" nothing lies above "ab".
  if (interval.high.back() == '\0') {
    interval.high.pop_back();
  } else {
    interval.high.back() = static_cast<char>(interval.high.back() - 1);
    interval.high_is_prefix = true;
  }
  return interval;
}

Intervals ComplementVariable(const Intervals& intervals) {
  Intervals out;
  std::string low;
  for (const ByteInterval& interval : intervals) {
    if (low < interval.low) {
      out.push_back(From(std::move(low), interval.low));
    }
    if (!FirstAbove(interval, &low)) {
      return out;
    }
  }
  std::string high(low.size() + 1, '\xff');
  out.push_back({.low = std::move(low), .high = std::move(high), .high_is_prefix = true});
  return out;
}

Intervals ComplementFixed(const KeyField& field, const Intervals& intervals) {
  Intervals out;
  std::string low(Width(field), '\0');
  for (const ByteInterval& interval : intervals) {
    if (low < interval.low) {
      std::string high = interval.low;
      Decrement(&high);
      out.push_back({.low = std::move(low), .high = std::move(high)});
    }
    low = interval.high;
    if (!Increment(&low)) {
      return out;
    }
  }
  out.push_back({.low = std::move(low), .high = std::string(Width(field), '\xff')});
  return out;
}

// The values of the field that are not in `set`.
FieldSet Complement(const KeyField& field, const FieldSet& set) {
  if (!set) {
    return Intervals();
  }
  return field.width_bytes > 0 ? ComplementFixed(field, *set) : ComplementVariable(*set);
}

}  // namespace

bool Increment(std::string* bytes) {
  for (auto c = bytes->rbegin(); c != bytes->rend(); ++c) {
    *c = static_cast<char>(*c + 1);
    if (*c != '\0') {
      return true;
    }
  }
  return false;
}

bool Decrement(std::string* bytes) {
  for (auto c = bytes->rbegin(); c != bytes->rend(); ++c) {
    *c = static_cast<char>(*c - 1);
    if (*c != '\xff') {
      return true;
    }
  }
  return false;
}

Expected<FieldSet> SetOf(const KeyField& field, const FieldMatch& match) {
  if (const auto* exact = std::get_if<Exact>(&match)) {
    return SetOfValues(field, {exact->value});
  }
  if (const auto* starts = std::get_if<StartsWith>(&match)) {
    return SetOfPrefix(field, starts->prefix);
  }
  if (const auto* one_of = std::get_if<OneOf>(&match)) {
    return SetOfValues(field, one_of->values);
  }
  if (const auto* between = std::get_if<Between>(&match)) {
    return SetBetween(field, *between);
  }
  if (const auto* none_of = std::get_if<NoneOf>(&match)) {
    KLIP_ASSIGN_OR_RETURN(FieldSet values, SetOfValues(field, none_of->values));
    return Complement(field, values);
  }
  if (const auto* starts = std::get_if<NotStartsWith>(&match)) {
    KLIP_ASSIGN_OR_RETURN(FieldSet prefix, SetOfPrefix(field, starts->prefix));
    return Complement(field, prefix);
  }
  return FieldSet();
}

Expected<BytePattern> PatternOf(const KeyField& field, const ByteMask& mask) {
  if (!IsTextual(field) || field.width_bytes == 0) {
    return FieldError(field, "only text, bytes, digits and dates of fixed width can be matched by a mask");
  }
  BytePattern pattern;
  for (size_t i = 0; i < mask.pattern.size(); ++i) {
    std::string_view rest = std::string_view(mask.pattern).substr(i);
    std::string escaped = field.type == KeyFieldType::kBytes ? FromStringBinary(rest.substr(0, 4)) : "";
    if (rest.size() >= 4 && escaped.size() == 1) {
      pattern.emplace_back(escaped[0]);
      i += 3;
    } else {
      pattern.push_back(rest[0] == '?' ? std::nullopt : std::optional<char>(rest[0]));
    }
  }
  if (field.type == KeyFieldType::kText && pattern.size() < Width(field)) {
    pattern.resize(Width(field), field.pad);
  }
  if (pattern.size() != Width(field)) {
    return FieldError(
        field, "the mask has " + std::to_string(pattern.size()) + " bytes, the field " + std::to_string(Width(field)));
  }
  if (field.descending) {
    for (std::optional<char>& byte : pattern) {
      byte = byte ? std::optional<char>(static_cast<char>(~*byte)) : byte;
    }
  }
  return pattern;
}

Status CheckMatch(const KeyField& field, const FieldMatch& match) {
  if (const auto* mask = std::get_if<ByteMask>(&match)) {
    return PatternOf(field, *mask).status();
  }
  return SetOf(field, match).status();
}

FieldSet Intersect(const FieldSet& a, const FieldSet& b) {
  if (!a || !b) {
    return a ? a : b;
  }
  Intervals out;
  for (size_t i = 0, j = 0; i < a->size() && j < b->size();) {
    const ByteInterval& x = (*a)[i];
    const ByteInterval& y = (*b)[j];
    bool x_ends_first = EndsNoLater(x, y);
    ByteInterval both = x_ends_first ? x : y;
    both.low = std::max(x.low, y.low);
    if (ReachesUpTo(both, both.low)) {
      out.push_back(std::move(both));
    }
    ++(x_ends_first ? i : j);
  }
  return out;
}

Intervals Unite(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  Intervals out;
  for (ByteInterval& interval : intervals) {
    if (out.empty() || !ReachesUpTo(out.back(), interval.low)) {
      out.push_back(std::move(interval));
    } else if (EndsNoLater(out.back(), interval)) {
      out.back().high = std::move(interval.high);
      out.back().high_is_prefix = interval.high_is_prefix;
    }
  }
  return out;
}

Intervals WithSignFlipped(const Intervals& intervals) {
  Intervals out;
  const auto flip = [](std::string bytes) {
    bytes.front() = static_cast<char>(bytes.front() ^ '\x80');
    return bytes;
  };
  for (const ByteInterval& interval : intervals) {
    const bool crosses = ((interval.low.front() ^ interval.high.front()) & '\x80') != 0;
    if (!crosses) {
      out.push_back({.low = flip(interval.low), .high = flip(interval.high)});
      continue;
    }
    const size_t rest = interval.low.size() - 1;
    out.push_back({.low = flip(interval.low), .high = std::string(rest + 1, '\xff')});
    out.push_back({.low = std::string(rest + 1, '\0'), .high = flip(interval.high)});
  }
  std::ranges::sort(out, {}, &ByteInterval::low);
  return out;
}

bool IsPoint(const ByteInterval& interval) { return interval.low == interval.high && !interval.high_is_prefix; }

bool AllPoints(const Intervals& intervals) { return std::all_of(intervals.begin(), intervals.end(), IsPoint); }

bool Fits(const ByteInterval& interval, std::string_view bytes) {
  return interval.low <= bytes && ReachesUpTo(interval, bytes);
}

bool Fits(const Intervals& intervals, std::string_view bytes) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [bytes](const ByteInterval& interval) { return Fits(interval, bytes); });
}

bool Fits(const BytePattern& pattern, std::string_view bytes) {
  return bytes.size() == pattern.size() &&
         std::equal(bytes.begin(), bytes.end(), pattern.begin(),
                    [](char byte, const std::optional<char>& wanted) { return !wanted || byte == *wanted; });
}

}  // namespace klip::rowkey
