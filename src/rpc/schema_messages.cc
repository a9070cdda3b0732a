#include "rpc/schema_messages.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "rpc/names.h"

namespace klip::rpc {
namespace {

constexpr std::string_view kPrefixLength = "RowPrefixBloomFilter.prefix_length";

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

Status Bad(std::string_view name, std::string_view value) {
  return {Code::kInvalidArgument, "family attribute " + std::string(name) + " cannot be '" + std::string(value) + "'"};
}

Status ParseNumber(std::string_view name, std::string_view value, int32_t* out) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *out);
  return error == std::errc() && end == value.data() + value.size() ? Status() : Bad(name, value);
}

// Java's Boolean.parseBoolean: whatever is not "true" is false.
bool ParseBool(std::string_view value) { return Upper(value) == "TRUE"; }

Status ParseKeepDeleted(std::string_view value, KeepDeletedCells* out) {
  const std::string upper = Upper(value);
  if (upper == "TRUE") {
    *out = KeepDeletedCells::kTrue;
  } else if (upper == "TTL") {
    *out = KeepDeletedCells::kTtl;
  } else if (upper == "FALSE") {
    *out = KeepDeletedCells::kFalse;
  } else {
    return Bad("KEEP_DELETED_CELLS", value);
  }
  return Status::Ok();
}

Status ParseBloom(std::string_view value, BloomKind* out) {
  const std::string upper = Upper(value);
  if (upper == "NONE") {
    *out = BloomKind::kNone;
  } else if (upper == "ROW") {
    *out = BloomKind::kRow;
  } else if (upper == "ROWCOL") {
    *out = BloomKind::kRowCol;
  } else if (upper == "ROWPREFIX_FIXED_LENGTH") {
    *out = BloomKind::kRowPrefixFixedLength;
  } else {
    return Bad("BLOOMFILTER", value);
  }
  return Status::Ok();
}

std::string_view NameOf(BloomKind kind) {
  switch (kind) {
    case BloomKind::kNone:
      return "NONE";
    case BloomKind::kRow:
      return "ROW";
    case BloomKind::kRowCol:
      return "ROWCOL";
    case BloomKind::kRowPrefixFixedLength:
      return "ROWPREFIX_FIXED_LENGTH";
  }
  return "NONE";
}

std::string_view NameOf(KeepDeletedCells kind) {
  switch (kind) {
    case KeepDeletedCells::kFalse:
      return "FALSE";
    case KeepDeletedCells::kTrue:
      return "TRUE";
    case KeepDeletedCells::kTtl:
      return "TTL";
  }
  return "FALSE";
}

Status SetAttribute(const std::string& name, const std::string& value, FamilyDescriptor* family) {
  if (name == "VERSIONS") {
    return ParseNumber(name, value, &family->max_versions);
  }
  if (name == "MIN_VERSIONS") {
    return ParseNumber(name, value, &family->min_versions);
  }
  if (name == "TTL") {
    return ParseNumber(name, value, &family->ttl_s);
  }
  if (name == "BLOCKSIZE") {
    return ParseNumber(name, value, &family->block_bytes);
  }
  if (name == "REPLICATION_SCOPE") {
    return ParseNumber(name, value, &family->replication_scope);
  }
  if (name == "KEEP_DELETED_CELLS") {
    return ParseKeepDeleted(value, &family->keep_deleted_cells);
  }
  if (name == "BLOOMFILTER") {
    return ParseBloom(value, &family->bloom);
  }
  if (name == "COMPRESSION") {
    family->compression = Upper(value);
  } else if (name == "IN_MEMORY") {
    family->in_memory = ParseBool(value);
  } else if (name == "BLOCKCACHE") {
    family->block_cache = ParseBool(value);
  } else if (name == "NEW_VERSION_BEHAVIOR") {
    family->new_version_behavior = ParseBool(value);
  } else {
    family->attributes[name] = value;
  }
  return Status::Ok();
}

void AddPair(std::string_view name, std::string_view value, hbase::pb::BytesBytesPair* pair) {
  pair->set_first(name.data(), name.size());
  pair->set_second(value.data(), value.size());
}

template <typename Message>
void FillConfiguration(const std::map<std::string, std::string>& values, Message* message) {
  for (const auto& [name, value] : values) {
    hbase::pb::NameStringPair* pair = message->add_configuration();
    pair->set_name(name);
    pair->set_value(value);
  }
}

}  // namespace

Expected<FamilyDescriptor> ToFamilyDescriptor(const hbase::pb::ColumnFamilySchema& message) {
  FamilyDescriptor family;
  family.name = message.name();
  for (const hbase::pb::BytesBytesPair& attribute : message.attributes()) {
    KLIP_RETURN_IF_ERROR(SetAttribute(attribute.first(), attribute.second(), &family));
  }
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    family.configuration[pair.name()] = pair.value();
    if (pair.name() == kPrefixLength) {
      KLIP_RETURN_IF_ERROR(ParseNumber(pair.name(), pair.value(), &family.bloom_prefix_bytes));
    }
  }
  return family;
}

Expected<TableDescriptor> ToTableDescriptor(const hbase::pb::TableSchema& message) {
  TableDescriptor table;
  table.name = TableNameOf(message.table_name());
  for (const hbase::pb::BytesBytesPair& attribute : message.attributes()) {
    table.attributes[attribute.first()] = attribute.second();
  }
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    table.configuration[pair.name()] = pair.value();
  }
  for (const hbase::pb::ColumnFamilySchema& schema : message.column_families()) {
    KLIP_ASSIGN_OR_RETURN(FamilyDescriptor family, ToFamilyDescriptor(schema));
    table.families.push_back(std::move(family));
  }
  return table;
}

NamespaceDescriptor ToNamespace(const hbase::pb::NamespaceDescriptor& message) {
  NamespaceDescriptor name_space;
  name_space.name = message.name();
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    name_space.configuration[pair.name()] = pair.value();
  }
  return name_space;
}

void FillFamily(const FamilyDescriptor& family, hbase::pb::ColumnFamilySchema* message) {
  message->set_name(family.name);
  const auto add = [message](std::string_view name, std::string_view value) {
    AddPair(name, value, message->add_attributes());
  };
  const auto add_bool = [&add](std::string_view name, bool value) { add(name, value ? "true" : "false"); };
  add("VERSIONS", std::to_string(family.max_versions));
  add("MIN_VERSIONS", std::to_string(family.min_versions));
  add("TTL", std::to_string(family.ttl_s));
  add("BLOCKSIZE", std::to_string(family.block_bytes));
  add("REPLICATION_SCOPE", std::to_string(family.replication_scope));
  add("KEEP_DELETED_CELLS", NameOf(family.keep_deleted_cells));
  add("BLOOMFILTER", NameOf(family.bloom));
  add("COMPRESSION", family.compression);
  add_bool("IN_MEMORY", family.in_memory);
  add_bool("BLOCKCACHE", family.block_cache);
  if (family.new_version_behavior) {
    add_bool("NEW_VERSION_BEHAVIOR", true);
  }
  if (!family.attributes.contains("DATA_BLOCK_ENCODING")) {
    add("DATA_BLOCK_ENCODING", "NONE");
  }
  for (const auto& [name, value] : family.attributes) {
    add(name, value);
  }
  FillConfiguration(family.configuration, message);
  if (family.bloom_prefix_bytes > 0 && !family.configuration.contains(std::string(kPrefixLength))) {
    hbase::pb::NameStringPair* pair = message->add_configuration();
    pair->set_name(std::string(kPrefixLength));
    pair->set_value(std::to_string(family.bloom_prefix_bytes));
  }
}

void FillTableSchema(const TableDescriptor& table, hbase::pb::TableSchema* message) {
  FillTableName(table.name, message->mutable_table_name());
  for (const auto& [name, value] : table.attributes) {
    AddPair(name, value, message->add_attributes());
  }
  if (!table.attributes.contains("IS_META")) {
    AddPair("IS_META", table.name == kMetaTable ? "true" : "false", message->add_attributes());
  }
  for (const FamilyDescriptor& family : table.families) {
    FillFamily(family, message->add_column_families());
  }
  FillConfiguration(table.configuration, message);
}

void FillNamespace(const NamespaceDescriptor& name_space, hbase::pb::NamespaceDescriptor* message) {
  message->set_name(name_space.name);
  FillConfiguration(name_space.configuration, message);
}

TableDescriptor MetaDescriptor() {
  TableDescriptor table = {.name = std::string(kMetaTable)};
  constexpr int32_t kVersions = 3;
  for (const char* name : {"info", "rep_barrier", "table"}) {
    table.families.push_back({.name = name, .max_versions = kVersions, .in_memory = true});
  }
  return table;
}

}  // namespace klip::rpc
