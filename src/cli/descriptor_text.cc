#include "cli/descriptor_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/texts.h"

namespace klip::cli {
namespace {

constexpr std::array<std::pair<std::string_view, BloomKind>, 4> kBloomKinds = {{
    {"NONE", BloomKind::kNone},
    {"ROW", BloomKind::kRow},
    {"ROWCOL", BloomKind::kRowCol},
    {"ROWPREFIX_FIXED_LENGTH", BloomKind::kRowPrefixFixedLength},
}};

constexpr std::array<std::pair<std::string_view, KeepDeletedCells>, 3> kKeepDeletedCells = {{
    {"FALSE", KeepDeletedCells::kFalse},
    {"TRUE", KeepDeletedCells::kTrue},
    {"TTL", KeepDeletedCells::kTtl},
}};

// Attributes that klip keeps for HBase's sake and prints again; its storage has no use for them.
constexpr std::array<std::string_view, 15> kKeptAttributes = {
    "DATA_BLOCK_ENCODING",
    "INDEX_BLOCK_ENCODING",
    "CACHE_DATA_ON_WRITE",
    "CACHE_INDEX_ON_WRITE",
    "CACHE_BLOOMS_ON_WRITE",
    "EVICT_BLOCKS_ON_CLOSE",
    "PREFETCH_BLOCKS_ON_OPEN",
    "COMPRESS_TAGS",
    "IS_MOB",
    "MOB_THRESHOLD",
    "MOB_COMPACT_PARTITION_POLICY",
    "DFS_REPLICATION",
    "STORAGE_POLICY",
    "IN_MEMORY_COMPACTION",
    "ENCRYPTION",
};

template <typename T, size_t N>
bool ParseName(std::string_view text, const std::array<std::pair<std::string_view, T>, N>& names, T* value) {
  for (const auto& [name, one] : names) {
    if (text == name) {
      *value = one;
      return true;
    }
  }
  return false;
}

template <typename T, size_t N>
std::string_view NameOf(T value, const std::array<std::pair<std::string_view, T>, N>& names) {
  for (const auto& [name, one] : names) {
    if (value == one) {
      return name;
    }
  }
  return "?";
}

bool ParseInt32(std::string_view text, int32_t* value) {
  std::optional<int64_t> number = ParseInt(text);
  if (!number || !std::in_range<int32_t>(*number)) {
    return false;
  }
  *value = static_cast<int32_t>(*number);
  return true;
}

bool ParseFlag(std::string_view text, bool* value) {
  std::optional<bool> flag = ParseBool(text);
  if (flag) {
    *value = *flag;
  }
  return flag.has_value();
}

bool ParseTtl(std::string_view text, int32_t* seconds) {
  if (text == "FOREVER") {
    *seconds = kTtlForever;
    return true;
  }
  return ParseInt32(text, seconds);
}

struct Attribute {
  std::string_view name;
  bool (*set)(std::string_view text, FamilyDescriptor* family);
  std::string (*get)(const FamilyDescriptor& family);
};

std::string TextOf(bool flag) { return flag ? "true" : "false"; }

using Family = FamilyDescriptor;
constexpr Attribute kAttributes[] = {
    {"VERSIONS", [](std::string_view text, Family* f) { return ParseInt32(text, &f->max_versions); },
     [](const Family& f) { return std::to_string(f.max_versions); }},
    {"MIN_VERSIONS", [](std::string_view text, Family* f) { return ParseInt32(text, &f->min_versions); },
     [](const Family& f) { return std::to_string(f.min_versions); }},
    {"TTL", [](std::string_view text, Family* f) { return ParseTtl(text, &f->ttl_s); },
     [](const Family& f) { return f.ttl_s == kTtlForever ? std::string("FOREVER") : std::to_string(f.ttl_s); }},
    {"KEEP_DELETED_CELLS",
     [](std::string_view text, Family* f) { return ParseName(text, kKeepDeletedCells, &f->keep_deleted_cells); },
     [](const Family& f) { return std::string(NameOf(f.keep_deleted_cells, kKeepDeletedCells)); }},
    {"NEW_VERSION_BEHAVIOR", [](std::string_view text, Family* f) { return ParseFlag(text, &f->new_version_behavior); },
     [](const Family& f) { return TextOf(f.new_version_behavior); }},
    {"BLOOMFILTER", [](std::string_view text, Family* f) { return ParseName(text, kBloomKinds, &f->bloom); },
     [](const Family& f) { return std::string(NameOf(f.bloom, kBloomKinds)); }},
    {"RowPrefixBloomFilter.prefix_length",
     [](std::string_view text, Family* f) { return ParseInt32(text, &f->bloom_prefix_bytes); },
     [](const Family& f) { return std::to_string(f.bloom_prefix_bytes); }},
    {"COMPRESSION", [](std::string_view text, Family* f) { return f->compression = text, !text.empty(); },
     [](const Family& f) { return f.compression; }},
    {"BLOCKSIZE", [](std::string_view text, Family* f) { return ParseInt32(text, &f->block_bytes); },
     [](const Family& f) { return std::to_string(f.block_bytes); }},
    {"IN_MEMORY", [](std::string_view text, Family* f) { return ParseFlag(text, &f->in_memory); },
     [](const Family& f) { return TextOf(f.in_memory); }},
    {"BLOCKCACHE", [](std::string_view text, Family* f) { return ParseFlag(text, &f->block_cache); },
     [](const Family& f) { return TextOf(f.block_cache); }},
    {"REPLICATION_SCOPE", [](std::string_view text, Family* f) { return ParseInt32(text, &f->replication_scope); },
     [](const Family& f) { return std::to_string(f.replication_scope); }},
};

// Every attribute with its value, in the order of the table above; the bloom prefix only where there is one.
std::vector<std::pair<std::string, std::string>> AllAttributes(const FamilyDescriptor& family) {
  std::vector<std::pair<std::string, std::string>> all = {{"NAME", family.name}};
  for (const Attribute& attribute : kAttributes) {
    if (attribute.name != "RowPrefixBloomFilter.prefix_length" || family.bloom == BloomKind::kRowPrefixFixedLength) {
      all.emplace_back(attribute.name, attribute.get(family));
    }
  }
  all.insert(all.end(), family.attributes.begin(), family.attributes.end());
  all.insert(all.end(), family.configuration.begin(), family.configuration.end());
  return all;
}

}  // namespace

Expected<FamilyDescriptor> ParseFamily(std::string_view text) {
  std::vector<std::string> parts = SplitList(text);
  FamilyDescriptor family;
  family.name = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    size_t equals = parts[i].find('=');
    if (equals == std::string::npos) {
      return UsageError(fmt::format("family '{}': expected NAME=VALUE, not '{}'", family.name, parts[i]));
    }
    std::string name = parts[i].substr(0, equals);
    std::string value = parts[i].substr(equals + 1);
    const auto* attribute = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                         [&](const Attribute& one) { return one.name == name; });
    if (attribute != std::end(kAttributes)) {
      if (!attribute->set(value, &family)) {
        return UsageError(fmt::format("family '{}': {} cannot be '{}'", family.name, name, value));
      }
    } else if (std::find(kKeptAttributes.begin(), kKeptAttributes.end(), name) != kKeptAttributes.end()) {
      family.attributes[name] = value;
    } else if (name.find('.') != std::string::npos) {
      family.configuration[name] = value;
    } else {
      return UsageError(fmt::format("family '{}': unknown attribute '{}'", family.name, name));
    }
  }
  return family;
}

std::string FamilyToText(const FamilyDescriptor& family) {
  std::string text;
  for (const auto& [name, value] : AllAttributes(family)) {
    text += fmt::format("{}{} => '{}'", text.empty() ? "{" : ", ", name, value);
  }
  return text + "}";
}

nlohmann::ordered_json FamilyToJson(const FamilyDescriptor& family) {
  nlohmann::ordered_json json;
  for (const auto& [name, value] : AllAttributes(family)) {
    json[name] = value;
  }
  return json;
}

}  // namespace klip::cli
