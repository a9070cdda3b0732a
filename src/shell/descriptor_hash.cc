#include "shell/descriptor_hash.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

using Family = FamilyDescriptor;

template <typename T, size_t N>
using Names = std::array<std::pair<std::string_view, T>, N>;

constexpr Names<BloomKind, 4> kBloomKinds = {{{"NONE", BloomKind::kNone},
                                              {"ROW", BloomKind::kRow},
                                              {"ROWCOL", BloomKind::kRowCol},
                                              {"ROWPREFIX_FIXED_LENGTH", BloomKind::kRowPrefixFixedLength}}};
constexpr Names<KeepDeletedCells, 3> kKeepDeletedCells = {
    {{"FALSE", KeepDeletedCells::kFalse}, {"TRUE", KeepDeletedCells::kTrue}, {"TTL", KeepDeletedCells::kTtl}}};

template <typename T, size_t N>
bool ParseName(std::string_view text, const Names<T, N>& names, T* value) {
  for (const auto& [name, one] : names) {
    if (text == name) {
      *value = one;
      return true;
    }
  }
  return false;
}

template <typename T, size_t N>
std::string NameOf(T value, const Names<T, N>& names) {
  for (const auto& [name, one] : names) {
    if (value == one) {
      return std::string(name);
    }
  }
  return "?";
}

bool ParseNumber(std::string_view text, int32_t* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseFlag(std::string_view text, bool* value) {
  *value = text == "true";
  return *value || text == "false";
}

std::string TextOf(bool flag) { return flag ? "true" : "false"; }

// The attributes that FamilyDescriptor has members for.
struct Member {
  std::string_view name;
  bool (*set)(std::string_view text, Family* family);
  std::string (*get)(const Family& family);
};

constexpr Member kMembers[] = {
    {"VERSIONS", [](std::string_view text, Family* f) { return ParseNumber(text, &f->max_versions); },
     [](const Family& f) { return std::to_string(f.max_versions); }},
    {"MIN_VERSIONS", [](std::string_view text, Family* f) { return ParseNumber(text, &f->min_versions); },
     [](const Family& f) { return std::to_string(f.min_versions); }},
    {"TTL", [](std::string_view text, Family* f) { return ParseNumber(text, &f->ttl_s); },
     [](const Family& f) { return std::to_string(f.ttl_s); }},
    {"KEEP_DELETED_CELLS",
     [](std::string_view text, Family* f) { return ParseName(text, kKeepDeletedCells, &f->keep_deleted_cells); },
     [](const Family& f) { return NameOf(f.keep_deleted_cells, kKeepDeletedCells); }},
    {"BLOOMFILTER", [](std::string_view text, Family* f) { return ParseName(text, kBloomKinds, &f->bloom); },
     [](const Family& f) { return NameOf(f.bloom, kBloomKinds); }},
    {"COMPRESSION", [](std::string_view text, Family* f) { return f->compression = text, !text.empty(); },
     [](const Family& f) { return f.compression; }},
    {"BLOCKSIZE", [](std::string_view text, Family* f) { return ParseNumber(text, &f->block_bytes); },
     [](const Family& f) { return std::to_string(f.block_bytes); }},
    {"IN_MEMORY", [](std::string_view text, Family* f) { return ParseFlag(text, &f->in_memory); },
     [](const Family& f) { return TextOf(f.in_memory); }},
    {"BLOCKCACHE", [](std::string_view text, Family* f) { return ParseFlag(text, &f->block_cache); },
     [](const Family& f) { return TextOf(f.block_cache); }},
    {"REPLICATION_SCOPE", [](std::string_view text, Family* f) { return ParseNumber(text, &f->replication_scope); },
     [](const Family& f) { return std::to_string(f.replication_scope); }},
};
// Shown only where they say something.
constexpr Member kNewVersionBehavior = {
    "NEW_VERSION_BEHAVIOR", [](std::string_view text, Family* f) { return ParseFlag(text, &f->new_version_behavior); },
    [](const Family& f) { return TextOf(f.new_version_behavior); }};
constexpr std::string_view kPrefixLength = "RowPrefixBloomFilter.prefix_length";  // a configuration key, as in HBase

const Member* FindMember(std::string_view name) {
  for (const Member& member : kMembers) {
    if (member.name == name) {
      return &member;
    }
  }
  return name == kNewVersionBehavior.name ? &kNewVersionBehavior : nullptr;
}

Expected<Family> ToFamily(VALUE hash) {
  Family family;
  std::map<std::string, std::string> attributes;
  HashReader reader(hash, "family");
  reader.Read("name", &family.name);
  reader.Read("attributes", &attributes);
  reader.Read("configuration", &family.configuration);
  KLIP_RETURN_IF_ERROR(reader.status());
  for (auto& [name, text] : attributes) {
    const Member* member = FindMember(name);
    if (member == nullptr) {
      family.attributes[name] = text;
    } else if (!member->set(text, &family)) {
      return Status(Code::kInvalidArgument, "family " + family.name + ": " + name + " cannot be '" + text + "'");
    }
  }
  if (auto length = family.configuration.find(std::string(kPrefixLength)); length != family.configuration.end()) {
    if (!ParseNumber(length->second, &family.bloom_prefix_bytes)) {
      return Status(Code::kInvalidArgument,
                    "family " + family.name + ": " + length->first + " cannot be '" + length->second + "'");
    }
    family.configuration.erase(length);
  }
  return family;
}

VALUE FromFamily(const Family& family) {
  VALUE attributes = FromTextMap(family.attributes);
  for (const Member& member : kMembers) {
    rb_hash_aset(attributes, FromText(member.name), FromText(member.get(family)));
  }
  if (family.new_version_behavior) {
    rb_hash_aset(attributes, FromText(kNewVersionBehavior.name), FromText("true"));
  }
  VALUE configuration = FromTextMap(family.configuration);
  if (family.bloom_prefix_bytes != 0) {
    rb_hash_aset(configuration, FromText(kPrefixLength), FromText(std::to_string(family.bloom_prefix_bytes)));
  }
  VALUE hash = rb_hash_new();
  rb_hash_aset(hash, Symbol("name"), FromText(family.name));
  rb_hash_aset(hash, Symbol("attributes"), attributes);
  rb_hash_aset(hash, Symbol("configuration"), configuration);
  return hash;
}

}  // namespace

Expected<TableDescriptor> ToTableDescriptor(VALUE hash) {
  TableDescriptor table;
  HashReader reader(hash, "table");
  reader.Read("name", &table.name);
  reader.Read("attributes", &table.attributes);
  reader.Read("configuration", &table.configuration);
  KLIP_RETURN_IF_ERROR(reader.status());
  VALUE families = reader.At("families");
  if (!RB_TYPE_P(families, T_ARRAY)) {
    return Status(Code::kInvalidArgument, "table families must be an Array");
  }
  for (long i = 0; i < RARRAY_LEN(families); ++i) {
    KLIP_ASSIGN_OR_RETURN(Family family, ToFamily(RARRAY_AREF(families, i)));
    table.families.push_back(std::move(family));
  }
  return table;
}

VALUE FromTableDescriptor(const TableDescriptor& table) {
  VALUE families = rb_ary_new();
  for (const Family& family : table.families) {
    rb_ary_push(families, FromFamily(family));
  }
  VALUE hash = rb_hash_new();
  rb_hash_aset(hash, Symbol("name"), FromText(table.name));
  rb_hash_aset(hash, Symbol("attributes"), FromTextMap(table.attributes));
  rb_hash_aset(hash, Symbol("configuration"), FromTextMap(table.configuration));
  rb_hash_aset(hash, Symbol("families"), families);
  return hash;
}

}  // namespace klip::shell
