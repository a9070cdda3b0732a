// Column families as op text: "f(VERSIONS=5,TTL=10)".
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "klip/admin.h"
#include "ops/op_language.h"
#include "ops/store_session.h"

namespace klip::ops {
namespace {

struct NumberAttribute {
  std::string_view name;
  int32_t FamilyDescriptor::* member;
};
constexpr std::array kNumbers = {
    NumberAttribute{"VERSIONS", &FamilyDescriptor::max_versions},
    NumberAttribute{"MIN_VERSIONS", &FamilyDescriptor::min_versions},
    NumberAttribute{"TTL", &FamilyDescriptor::ttl_s},
    NumberAttribute{"BLOCKSIZE", &FamilyDescriptor::block_bytes},
    NumberAttribute{"BLOOM_PREFIX", &FamilyDescriptor::bloom_prefix_bytes},
    NumberAttribute{"REPLICATION_SCOPE", &FamilyDescriptor::replication_scope},
};

struct BoolAttribute {
  std::string_view name;
  bool FamilyDescriptor::* member;
};
constexpr std::array kBools = {
    BoolAttribute{"NEW_VERSION_BEHAVIOR", &FamilyDescriptor::new_version_behavior},
    BoolAttribute{"IN_MEMORY", &FamilyDescriptor::in_memory},
    BoolAttribute{"BLOCKCACHE", &FamilyDescriptor::block_cache},
};

constexpr std::array<std::string_view, 3> kKeep = {"FALSE", "TRUE", "TTL"};
constexpr std::array<std::string_view, 4> kBloom = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};

template <typename Enum, size_t kSize>
Status SetEnum(const std::array<std::string_view, kSize>& names, std::string_view value, Enum* out) {
  for (size_t i = 0; i < kSize; ++i) {
    if (names[i] == value) {
      *out = static_cast<Enum>(i);
      return {};
    }
  }
  return Syntax("family attribute value " + std::string(value));
}

Status SetAttribute(std::string_view key, std::string_view value, FamilyDescriptor* family) {
  for (const NumberAttribute& attribute : kNumbers) {
    if (attribute.name == key) {
      KLIP_ASSIGN_OR_RETURN(int64_t number, ParseNumber(value));
      family->*attribute.member = static_cast<int32_t>(number);
      return {};
    }
  }
  for (const BoolAttribute& attribute : kBools) {
    if (attribute.name == key) {
      family->*attribute.member = value == "true";
      return {};
    }
  }
  if (key == "KEEP_DELETED_CELLS") {
    return SetEnum(kKeep, value, &family->keep_deleted_cells);
  }
  if (key == "BLOOMFILTER") {
    return SetEnum(kBloom, value, &family->bloom);
  }
  if (key == "COMPRESSION") {
    family->compression = value;
    return {};
  }
  family->attributes[std::string(key)] = value;
  return {};
}

}  // namespace

Expected<FamilyDescriptor> ParseFamily(std::string_view text, FamilyDescriptor base) {
  size_t open = text.find('(');
  base.name = text.substr(0, open);
  if (open == std::string_view::npos) {
    return base;
  }
  std::string_view rest = text.substr(open + 1, text.rfind(')') - open - 1);
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    std::string_view pair = rest.substr(0, comma);
    size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return Syntax("family attribute " + std::string(pair));
    }
    KLIP_RETURN_IF_ERROR(SetAttribute(pair.substr(0, equals), pair.substr(equals + 1), &base));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return base;
}

std::string FormatFamily(const FamilyDescriptor& family) {
  const FamilyDescriptor defaults;
  std::string out;
  auto add = [&out](std::string_view key, std::string_view value) {
    out += (out.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
  };
  for (const NumberAttribute& attribute : kNumbers) {
    if (family.*attribute.member != defaults.*attribute.member) {
      add(attribute.name, std::to_string(family.*attribute.member));
    }
  }
  for (const BoolAttribute& attribute : kBools) {
    if (family.*attribute.member != defaults.*attribute.member) {
      add(attribute.name, family.*attribute.member ? "true" : "false");
    }
  }
  if (family.keep_deleted_cells != defaults.keep_deleted_cells) {
    add("KEEP_DELETED_CELLS", kKeep[static_cast<size_t>(family.keep_deleted_cells)]);
  }
  if (family.bloom != defaults.bloom) {
    add("BLOOMFILTER", kBloom[static_cast<size_t>(family.bloom)]);
  }
  if (family.compression != defaults.compression) {
    add("COMPRESSION", family.compression);
  }
  for (const auto& [key, value] : family.attributes) {
    add(key, value);
  }
  return out.empty() ? family.name : family.name + "(" + out + ")";
}

}  // namespace klip::ops
