#include "base/family_attributes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace klip::base {
namespace {

using Family = FamilyDescriptor;

constexpr std::array<std::string_view, 4> kBlooms = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
constexpr std::array<std::string_view, 3> kKeepDeleted = {"FALSE", "TRUE", "TTL"};

struct Setting {
  std::string_view name;
  std::variant<int32_t Family::*, bool Family::*, std::string Family::*, BloomKind Family::*,
               KeepDeletedCells Family::*>
      member;
};
constexpr Setting kSettings[] = {
    {"VERSIONS", &Family::max_versions},
    {"MIN_VERSIONS", &Family::min_versions},
    {"TTL", &Family::ttl_s},
    {"KEEP_DELETED_CELLS", &Family::keep_deleted_cells},
    {"NEW_VERSION_BEHAVIOR", &Family::new_version_behavior},
    {"BLOOMFILTER", &Family::bloom},
    {kBloomPrefix, &Family::bloom_prefix_bytes},
    {"COMPRESSION", &Family::compression},
    {"BLOCKSIZE", &Family::block_bytes},
    {"IN_MEMORY", &Family::in_memory},
    {"BLOCKCACHE", &Family::block_cache},
    {"REPLICATION_SCOPE", &Family::replication_scope},
};

const Setting* Find(std::string_view name) {
  for (const Setting& setting : kSettings) {
    if (setting.name == name) {
      return &setting;
    }
  }
  return nullptr;
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

// --- Parses a text into a member, false if it is invalid; and formats it ---

bool Parse(std::string_view text, int32_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}
std::string Text(int32_t number) { return std::to_string(number); }

bool Parse(std::string_view text, bool* flag) {
  const std::string word = Upper(text);
  *flag = word == "TRUE";
  return *flag || word == "FALSE";
}
std::string Text(bool flag) { return flag ? "true" : "false"; }

bool Parse(std::string_view text, std::string* word) {
  *word = Upper(text);  // the only one is COMPRESSION
  return !text.empty();
}
std::string Text(const std::string& word) { return word; }

template <typename Enum, size_t kCount>
bool ParseName(std::string_view text, const std::array<std::string_view, kCount>& names, Enum* value) {
  const std::string word = Upper(text);
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == word) {
      *value = static_cast<Enum>(i);
      return true;
    }
  }
  return false;
}
bool Parse(std::string_view text, BloomKind* bloom) { return ParseName(text, kBlooms, bloom); }
std::string Text(BloomKind bloom) { return std::string(kBlooms[static_cast<size_t>(bloom)]); }
bool Parse(std::string_view text, KeepDeletedCells* keep) { return ParseName(text, kKeepDeleted, keep); }
std::string Text(KeepDeletedCells keep) { return std::string(kKeepDeleted[static_cast<size_t>(keep)]); }

// "90", "1 DAY 2 HOURS" or "FOREVER", as HBase reads a TTL.
bool ParseTtl(std::string_view text, int32_t* ttl_s) {
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"DAY", 86400}, {"HOUR", 3600}, {"MINUTE", 60}, {"SECOND", 1}};
  if (Parse(text, ttl_s)) {
    return true;
  }
  const std::string upper = Upper(text);
  if (upper == "FOREVER") {
    *ttl_s = kTtlForever;
    return true;
  }
  std::istringstream words(upper);
  int64_t sum = 0;
  do {
    int64_t count = 0;
    std::string word;
    words >> count >> word;
    if (word.ends_with('S')) {
      word.pop_back();
    }
    const auto* const unit = std::ranges::find(kUnits, word, &std::pair<std::string_view, int64_t>::first);
    if (unit == std::end(kUnits) || count < 0 || count > kTtlForever) {
      return false;
    }
    sum += count * unit->second;
  } while (!(words >> std::ws).eof());
  *ttl_s = static_cast<int32_t>(std::min<int64_t>(sum, kTtlForever));
  return sum <= kTtlForever;
}

}  // namespace

bool IsFamilySetting(std::string_view name) { return Find(name) != nullptr; }

Status SetAttribute(std::string_view name, std::string_view text, FamilyDescriptor* family) {
  const Setting* setting = Find(name);
  if (setting == nullptr) {
    (name.find('.') == std::string_view::npos ? family->attributes : family->configuration)[std::string(name)] = text;
    return Status::Ok();
  }
  if (name == "TTL") {
    return ParseTtl(text, &family->ttl_s)
               ? Status::Ok()
               : Status(Code::kInvalidArgument, "family '" + family->name + "': TTL cannot be '" + std::string(text) +
                                                    "': write seconds, or a time like 1 DAY 2 HOURS, or FOREVER");
  }
  if (!std::visit([&](auto member) { return Parse(text, &(family->*member)); }, setting->member)) {
    return {Code::kInvalidArgument,
            "family '" + family->name + "': " + std::string(name) + " cannot be '" + std::string(text) + "'"};
  }
  return Status::Ok();
}

std::vector<std::pair<std::string, std::string>> AttributesOf(const FamilyDescriptor& family) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Setting& setting : kSettings) {
    if (setting.name != kBloomPrefix || family.bloom_prefix_bytes != 0) {
      all.emplace_back(setting.name, std::visit([&](auto member) { return Text(family.*member); }, setting.member));
    }
  }
  all.insert(all.end(), family.attributes.begin(), family.attributes.end());
  return all;
}

}  // namespace klip::base
