#include "base/family_attributes.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace klip::base {
namespace {

constexpr std::array<std::string_view, 4> kBlooms = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
constexpr std::array<std::string_view, 3> kKeepDeleted = {"FALSE", "TRUE", "TTL"};
constexpr std::string_view kBloomPrefix = "RowPrefixBloomFilter.prefix_length";

struct Number {
  std::string_view name;
  int32_t FamilyDescriptor::* member;
};
constexpr Number kNumbers[] = {{"VERSIONS", &FamilyDescriptor::max_versions},
                               {"MIN_VERSIONS", &FamilyDescriptor::min_versions},
                               {"TTL", &FamilyDescriptor::ttl_s},
                               {"BLOCKSIZE", &FamilyDescriptor::block_bytes},
                               {"REPLICATION_SCOPE", &FamilyDescriptor::replication_scope},
                               {kBloomPrefix, &FamilyDescriptor::bloom_prefix_bytes}};

struct Flag {
  std::string_view name;
  bool FamilyDescriptor::* member;
};
constexpr Flag kFlags[] = {{"IN_MEMORY", &FamilyDescriptor::in_memory},
                           {"BLOCKCACHE", &FamilyDescriptor::block_cache},
                           {"NEW_VERSION_BEHAVIOR", &FamilyDescriptor::new_version_behavior}};

bool ParseNumber(std::string_view text, int32_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseFlag(std::string_view text, bool* flag) {
  *flag = text == "true" || text == "TRUE";
  return *flag || text == "false" || text == "FALSE";
}

template <typename Enum, size_t kCount>
bool ParseName(std::string_view text, const std::array<std::string_view, kCount>& names, Enum* value) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == text) {
      *value = static_cast<Enum>(i);
      return true;
    }
  }
  return false;
}

}  // namespace

Status SetAttribute(std::string_view name, std::string_view text, FamilyDescriptor* family) {
  const auto checked = [&](bool fits) {
    return fits ? Status::Ok()
                : Status(Code::kInvalidArgument, "family " + family->name + ": " + std::string(name) + " cannot be '" +
                                                     std::string(text) + "'");
  };
  if (name == "TTL" && text == "FOREVER") {
    family->ttl_s = kTtlForever;
    return Status::Ok();
  }
  for (const Number& number : kNumbers) {
    if (number.name == name) {
      return checked(ParseNumber(text, &(family->*number.member)));
    }
  }
  for (const Flag& flag : kFlags) {
    if (flag.name == name) {
      return checked(ParseFlag(text, &(family->*flag.member)));
    }
  }
  if (name == "BLOOMFILTER") {
    return checked(ParseName(text, kBlooms, &family->bloom));
  }
  if (name == "KEEP_DELETED_CELLS") {
    return checked(ParseName(text, kKeepDeleted, &family->keep_deleted_cells));
  }
  if (name == "COMPRESSION") {
    family->compression = text;
    return checked(!text.empty());
  }
  (name.find('.') == std::string_view::npos ? family->attributes : family->configuration)[std::string(name)] = text;
  return Status::Ok();
}

std::vector<std::pair<std::string, std::string>> AttributesOf(const FamilyDescriptor& family) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Number& number : kNumbers) {
    if (number.name != kBloomPrefix || family.bloom == BloomKind::kRowPrefixFixedLength) {
      all.emplace_back(number.name, std::to_string(family.*number.member));
    }
  }
  for (const Flag& flag : kFlags) {
    all.emplace_back(flag.name, family.*flag.member ? "true" : "false");
  }
  all.emplace_back("BLOOMFILTER", kBlooms[static_cast<size_t>(family.bloom)]);
  all.emplace_back("KEEP_DELETED_CELLS", kKeepDeleted[static_cast<size_t>(family.keep_deleted_cells)]);
  all.emplace_back("COMPRESSION", family.compression);
  all.insert(all.end(), family.attributes.begin(), family.attributes.end());
  return all;
}

}  // namespace klip::base
