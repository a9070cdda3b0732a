#include "cli/descriptor_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/family_attributes.h"
#include "cli/command.h"
#include "cli/texts.h"
#include "klip/index.h"

namespace klip::cli {
namespace {

// Attributes that klip stores and prints for compatibility with HBase, without using them.
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

// Every attribute with its value, in the form that users write.
std::vector<std::pair<std::string, std::string>> AllAttributes(const FamilyDescriptor& family) {
  std::vector<std::pair<std::string, std::string>> all = {{"NAME", family.name}};
  for (auto& [name, text] : base::AttributesOf(family)) {
    const bool forever = name == "TTL" && family.ttl_s == kTtlForever;
    all.emplace_back(std::move(name), forever ? "FOREVER" : std::move(text));
  }
  all.insert(all.end(), family.configuration.begin(), family.configuration.end());
  return all;
}

}  // namespace

Expected<FamilyDescriptor> ParseFamily(std::string_view text) {
  FamilyDescriptor family;
  family.name = FamilyName(text);
  KLIP_RETURN_IF_ERROR(ChangeFamily(text, &family));
  return family;
}

std::string FamilyName(std::string_view text) { return SplitList(text)[0]; }

Status ChangeFamily(std::string_view text, FamilyDescriptor* family) {
  const std::vector<std::string> parts = SplitList(text);
  for (size_t i = 1; i < parts.size(); ++i) {
    size_t equals = parts[i].find('=');
    if (equals == std::string::npos) {
      return UsageError(fmt::format("family '{}': expected NAME=VALUE, found '{}'", family->name, parts[i]));
    }
    std::string name = parts[i].substr(0, equals);
    std::string value = parts[i].substr(equals + 1);
    const bool kept = std::find(kKeptAttributes.begin(), kKeptAttributes.end(), name) != kKeptAttributes.end();
    if (!kept && !base::IsFamilySetting(name) && name.find('.') == std::string::npos) {
      return UsageError(fmt::format("family '{}': unknown attribute '{}'", family->name, name));
    }
    KLIP_RETURN_IF_ERROR(base::SetAttribute(name, value, family));
  }
  return Status::Ok();
}

Status SetTableAttributes(const std::vector<std::string>& texts, TableDescriptor* table) {
  static constexpr std::string_view kDurabilities[] = {"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"};
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return UsageError("--attribute needs NAME=VALUE, not '" + text + "'");
    }
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (name == "DURABILITY" && std::ranges::find(kDurabilities, value) == std::end(kDurabilities)) {
      return UsageError(fmt::format("DURABILITY is one of {}, not '{}'", fmt::join(kDurabilities, ", "), value));
    }
    table->attributes[name] = value;
  }
  return Status::Ok();
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

std::vector<IndexText> IndexesOf(const TableDescriptor& table) {
  constexpr std::string_view kAttribute = IndexDescriptor::kTableAttribute;
  std::vector<IndexText> indexes;
  for (const auto& [name, value] : table.attributes) {
    if (name.starts_with(kAttribute)) {
      const std::string index = name.substr(kAttribute.size());
      const auto is = [&](std::string_view state) { return table.attributes.contains(std::string(state) + index); };
      indexes.push_back(
          {index, value, is(IndexDescriptor::kBuildingAttribute), is(IndexDescriptor::kUnusableAttribute)});
    }
  }
  return indexes;
}

}  // namespace klip::cli
