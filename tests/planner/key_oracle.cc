#include "planner/key_oracle.h"

#include <algorithm>
#include <charconv>

#include "klip/bytes.h"

namespace klip::ops {
namespace {

bool IsNumber(const KeyField& field) {
  return field.type == KeyFieldType::kUnsigned || field.type == KeyFieldType::kSigned ||
         field.type == KeyFieldType::kTimestamp || field.type == KeyFieldType::kReverseTimestamp;
}

size_t Width(const KeyField& field) {
  if (field.type == KeyFieldType::kSalt) {
    return 1;
  }
  return field.type == KeyFieldType::kLiteral ? field.literal.size() : static_cast<size_t>(field.width_bytes);
}

// The bytes that `text` has in a key, before complementing.
std::string ValueBytes(const KeyField& field, const std::string& text) {
  const size_t width = Width(field);
  std::string out = text;
  if (IsNumber(field)) {
    uint64_t number = field.type == KeyFieldType::kSigned ? static_cast<uint64_t>(strtoll(text.c_str(), nullptr, 10))
                                                          : strtoull(text.c_str(), nullptr, 10);
    if (field.type == KeyFieldType::kSigned) {
      number ^= uint64_t{1} << (8 * width - 1);
    } else if (field.type == KeyFieldType::kReverseTimestamp) {
      number = 0x7fffffffffffffff - number;
    }
    return BigEndian(number).substr(8 - width);
  }
  if (width > 0 && field.type == KeyFieldType::kText) {
    out.resize(width, field.pad);
  } else if (field.type == KeyFieldType::kDigits) {
    out.insert(0, width - std::min(width, out.size()), '0');
  }
  return out;
}

bool Fits(const KeyField& field, const FieldMatch& match, const std::string& bytes) {
  if (const auto* exact = std::get_if<Exact>(&match)) {
    return bytes == ValueBytes(field, exact->value);
  }
  if (const auto* prefix = std::get_if<StartsWith>(&match)) {
    return bytes.starts_with(prefix->prefix);
  }
  if (const auto* one_of = std::get_if<OneOf>(&match)) {
    return std::ranges::any_of(one_of->values,
                               [&](const std::string& value) { return bytes == ValueBytes(field, value); });
  }
  if (const auto* mask = std::get_if<ByteMask>(&match)) {
    return std::ranges::equal(mask->pattern, bytes, [](char want, char byte) { return want == '?' || want == byte; });
  }
  if (const auto* between = std::get_if<Between>(&match)) {
    // Times that count down are asked for in the order of time.
    auto compare = [&field, &bytes](const std::string& bound) {
      int order = bytes.compare(ValueBytes(field, bound));
      return field.type == KeyFieldType::kReverseTimestamp ? -order : order;
    };
    const int low = between->low.has_value() ? compare(*between->low) : 1;
    const int high = between->high.has_value() ? compare(*between->high) : -1;
    return (low > 0 || (low == 0 && between->include_low)) && (high < 0 || (high == 0 && between->include_high));
  }
  return true;
}

std::string RandomText(size_t least, size_t most, Random* random) {
  std::string out;
  const size_t length = least + random->Below(most - least + 1);
  for (size_t i = 0; i < length; ++i) {
    out.push_back("abc"[random->Below(3)]);
  }
  return out;
}

std::string RandomField(int index, bool last, Random* random) {
  const std::string name = std::string(1, static_cast<char>('a' + index)) + ":";
  const std::string desc = random->OneIn(4) ? " desc" : "";
  switch (random->Below(last ? 9 : 8)) {
    case 0:
      return name + "text(2,'*')" + desc;
    case 1:
      return name + "digits(2)" + desc;
    case 2:
      return name + "u8" + desc;
    case 3:
      return name + "i16" + desc;
    case 4:
      return name + "bytes(2)" + desc;
    case 5:
      return name + (random->OneIn(2) ? "ts" : "reverse_ts");
    case 6:
      return name + "u32";
    case 7:
      return last ? name + "u64" : name + "text('_')";
    default:
      return name + "text";
  }
}

FieldMatch RandomMatch(const KeyField& field, Random* random) {
  const bool text =
      field.type == KeyFieldType::kText || field.type == KeyFieldType::kBytes || field.type == KeyFieldType::kDigits;
  switch (random->Below(text ? 6 : 4)) {
    case 0:
      return Exact{RandomValue(field, random)};
    case 1: {
      OneOf one_of;
      for (size_t i = 0; i <= random->Below(4); ++i) {
        one_of.values.push_back(RandomValue(field, random));
      }
      return one_of;
    }
    case 2:
    case 3: {
      Between between{.low = RandomValue(field, random), .high = RandomValue(field, random)};
      between.include_low = random->OneIn(2);
      between.include_high = random->OneIn(2);
      if (random->OneIn(4)) {
        between.low.reset();
        between.include_low = true;
      } else if (random->OneIn(4)) {
        between.high.reset();
        between.include_high = true;
      }
      return between;
    }
    case 4: {
      std::string value = RandomValue(field, random);
      return StartsWith{value.substr(0, random->Below(value.size() + 1))};
    }
    default: {
      if (field.width_bytes == 0) {
        return Exact{RandomValue(field, random)};
      }
      std::string pattern = ValueBytes(field, RandomValue(field, random));
      for (char& byte : pattern) {
        byte = random->OneIn(2) ? '?' : byte;
      }
      return ByteMask{pattern};
    }
  }
}

}  // namespace

std::optional<std::vector<std::string>> SliceFields(const std::vector<KeyField>& fields, std::string_view row) {
  std::vector<std::string> slices;
  for (size_t i = 0; i < fields.size(); ++i) {
    const KeyField& field = fields[i];
    size_t width = Width(field);
    size_t skip = 0;
    if (width == 0 && field.delimiter.has_value()) {
      width = row.find(*field.delimiter);
      skip = 1;
    } else if (width == 0) {
      width = row.size();
    }
    if (width > row.size()) {
      return std::nullopt;
    }
    slices.emplace_back(row.substr(0, width));
    if (field.descending) {
      for (char& byte : slices.back()) {
        byte = static_cast<char>(~byte);
      }
    }
    row = row.substr(std::min(width + skip, row.size()));
  }
  return row.empty() ? std::optional(slices) : std::nullopt;
}

bool RowFitsQuery(const std::vector<KeyField>& fields, const KeyQuery& query, std::string_view row) {
  const std::optional<std::vector<std::string>> slices = SliceFields(fields, row);
  return slices.has_value() && std::ranges::any_of(query.any_of, [&](const KeyBox& box) {
           return std::ranges::all_of(box.fields, [&](const auto& condition) {
             for (size_t i = 0; i < fields.size(); ++i) {
               if (fields[i].name == condition.first) {
                 return Fits(fields[i], condition.second, (*slices)[i]);
               }
             }
             return false;
           });
         });
}

std::string RandomSchema(Random* random) {
  const int count = 1 + static_cast<int>(random->Below(4));
  std::string out;
  if (random->OneIn(4)) {
    out = "salt(" + std::to_string(random->Between(2, 5)) + ") ";
  }
  if (random->OneIn(6)) {
    out += "h:md5(a,2) ";
  }
  for (int i = 0; i < count; ++i) {
    out += RandomField(i, i + 1 == count, random) + " ";
    if (random->OneIn(6) && i + 1 < count) {
      out += "'_' ";
    }
  }
  out.pop_back();
  return out;
}

std::string RandomValue(const KeyField& field, Random* random) {
  switch (field.type) {
    case KeyFieldType::kText:
      return RandomText(field.width_bytes == 0 ? 0 : 1, 2, random);
    case KeyFieldType::kBytes:
      return RandomText(static_cast<size_t>(field.width_bytes), static_cast<size_t>(field.width_bytes), random);
    case KeyFieldType::kDigits:
      return std::to_string(10 + random->Below(4));
    case KeyFieldType::kSigned:
      return std::to_string(random->Between(-2, 2));
    case KeyFieldType::kUnsigned:
      return random->OneIn(6) ? (field.width_bytes == 1 ? "255" : "65535") : std::to_string(random->Below(4));
    default:
      return std::to_string(1000 + random->Below(5));
  }
}

KeyQuery RandomQuery(const std::vector<KeyField>& fields, Random* random) {
  KeyQuery query;
  for (size_t b = 0; b <= random->Below(random->OneIn(3) ? 4 : 1); ++b) {
    KeyBox box;
    for (const KeyField& field : fields) {
      if (!field.derived() && random->OneIn(2)) {
        box.fields.emplace_back(field.name, RandomMatch(field, random));
      }
    }
    query.any_of.push_back(std::move(box));
  }
  return query;
}

namespace {

FilterTwin RandomFuzzy(const std::vector<std::string>& rows, Random* random) {
  std::vector<FuzzyKey> keys;
  for (size_t i = 0; i <= random->Below(3); ++i) {
    FuzzyKey key{random->Pick(rows), ""};
    key.key.resize(random->Below(key.key.size() + 1));
    for (size_t at = 0; at < key.key.size(); ++at) {
      key.mask.push_back(random->OneIn(2) ? 1 : 0);
    }
    keys.push_back(std::move(key));
  }
  auto test = [keys](std::string_view row) {
    return std::ranges::any_of(keys, [row](const FuzzyKey& key) {
      for (size_t i = 0; i < std::min(row.size(), key.key.size()); ++i) {
        if (key.mask[i] == 0 && key.key[i] != row[i]) {
          return false;
        }
      }
      return true;
    });
  };
  return {*FuzzyRowFilter(keys), test};
}

FilterTwin RandomRanges(const std::vector<std::string>& rows, Random* random) {
  std::vector<RowRange> ranges;
  for (size_t i = 0; i <= random->Below(4); ++i) {
    RowRange range{random->Pick(rows), random->OneIn(2), random->Pick(rows), random->OneIn(2)};
    if (range.start > range.stop) {
      std::swap(range.start, range.stop);
    }
    // Merging keeps the first range's start, whether it is included or not: ranges with one start agree here.
    for (const RowRange& other : ranges) {
      range.include_start = other.start == range.start ? other.include_start : range.include_start;
    }
    if (range.start == range.stop) {
      range.stop.push_back('\xFF');
    }
    ranges.push_back(range);
  }
  auto test = [ranges](std::string_view row) {
    return std::ranges::any_of(ranges, [row](const RowRange& range) {
      return (row > range.start || (range.include_start && row == range.start)) &&
             (row < range.stop || (range.include_stop && row == range.stop));
    });
  };
  return {*MultiRowRangeFilter(ranges), test};
}

FilterTwin RandomCompare(const std::vector<std::string>& rows, Random* random) {
  const CompareOp op = static_cast<CompareOp>(random->Below(6));
  std::string value = random->Pick(rows);
  value.resize(random->Below(value.size() + 1));
  const bool prefix = random->OneIn(2);
  auto test = [=](std::string_view row) {
    const int order = (prefix ? row.substr(0, value.size()) : row).compare(value);
    switch (op) {
      case CompareOp::kLess:
        return order < 0;
      case CompareOp::kLessOrEqual:
        return order <= 0;
      case CompareOp::kEqual:
        return order == 0;
      case CompareOp::kNotEqual:
        return order != 0;
      case CompareOp::kGreaterOrEqual:
        return order >= 0;
      default:
        return order > 0;
    }
  };
  return {RowFilter(op, prefix ? BinaryPrefixComparator(value) : BinaryComparator(value)), test};
}

FilterTwin RandomList(const std::vector<std::string>& rows, int depth, Random* random) {
  const bool all = random->OneIn(2);
  std::vector<FilterPtr> filters;
  std::vector<std::function<bool(std::string_view)>> tests;
  for (size_t i = 0; i < 2 + random->Below(2); ++i) {
    FilterTwin twin = RandomRowFilter(rows, depth - 1, random);
    filters.push_back(twin.filter);
    tests.push_back(twin.test);
  }
  auto test = [all, tests](std::string_view row) {
    auto passes = [row](const auto& one) { return one(row); };
    return all ? std::ranges::all_of(tests, passes) : std::ranges::any_of(tests, passes);
  };
  return {FilterList(all ? ListOperator::kMustPassAll : ListOperator::kMustPassOne, std::move(filters)), test};
}

}  // namespace

FilterTwin RandomRowFilter(const std::vector<std::string>& rows, int depth, Random* random) {
  switch (random->Below(depth > 0 ? 7 : 5)) {
    case 0:
    case 1:
      return RandomFuzzy(rows, random);
    case 2:
      return RandomRanges(rows, random);
    case 3:
      return RandomCompare(rows, random);
    case 4: {
      std::string prefix = random->Pick(rows);
      prefix.resize(random->Below(prefix.size() + 1));
      return {PrefixFilter(prefix), [prefix](std::string_view row) { return row.starts_with(prefix); }};
    }
    default:
      return RandomList(rows, depth, random);
  }
}

}  // namespace klip::ops
