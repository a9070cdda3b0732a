#include "rpc/schema_messages.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/family_attributes.h"
#include "rpc/names.h"

namespace klip::rpc {
namespace {

void AddPair(std::string_view name, std::string_view value, hbase::pb::BytesBytesPair* pair) {
  pair->set_first(name.data(), name.size());
  pair->set_second(value.data(), value.size());
}

template <typename Message>
void AddConfiguration(const std::string& name, const std::string& value, Message* message) {
  hbase::pb::NameStringPair* pair = message->add_configuration();
  pair->set_name(name);
  pair->set_value(value);
}

template <typename Message>
void FillConfiguration(const std::map<std::string, std::string>& values, Message* message) {
  for (const auto& [name, value] : values) {
    AddConfiguration(name, value, message);
  }
}

}  // namespace

Expected<FamilyDescriptor> ToFamilyDescriptor(const hbase::pb::ColumnFamilySchema& message) {
  FamilyDescriptor family;
  family.name = message.name();
  for (const hbase::pb::BytesBytesPair& attribute : message.attributes()) {
    KLIP_RETURN_IF_ERROR(base::SetAttribute(attribute.first(), attribute.second(), &family));
  }
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    if (pair.name() == base::kBloomPrefix) {
      KLIP_RETURN_IF_ERROR(base::SetAttribute(pair.name(), pair.value(), &family));
    } else {
      family.configuration[pair.name()] = pair.value();
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
  for (const auto& [name, value] : base::AttributesOf(family)) {
    if (name == base::kBloomPrefix) {
      AddConfiguration(name, value, message);
    } else if (name != "NEW_VERSION_BEHAVIOR" || family.new_version_behavior) {  // HBase lacks it where it is off
      AddPair(name, value, message->add_attributes());
    }
  }
  for (const char* encoding : kEncodings) {
    if (!family.attributes.contains(encoding)) {
      AddPair(encoding, "NONE", message->add_attributes());
    }
  }
  FillConfiguration(family.configuration, message);
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
