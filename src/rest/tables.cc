// Resources: a table's schema and regions.
#include <map>
#include <string>
#include <utility>

#include "base/family_attributes.h"
#include "base/while_disabled.h"
#include "klip/bytes.h"
#include "rest/documents.h"
#include "rest/resources.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

// The families in the body are set as it says, with HBase's defaults for what it does not mention.
Expected<TableDescriptor> Changed(TableDescriptor table, const proto::TableSchema& schema) {
  for (const proto::Attribute& attribute : schema.attrs()) {
    table.attributes[attribute.name()] = attribute.value();
  }
  std::map<std::string, FamilyDescriptor> families;  // a body may name very many
  for (FamilyDescriptor& family : table.families) {
    families[family.name] = std::move(family);
  }
  for (const proto::ColumnSchema& column : schema.columns()) {
    FamilyDescriptor& family = families[column.name()] = {.name = column.name()};
    for (const proto::Attribute& attribute : column.attrs()) {
      KLIP_RETURN_IF_ERROR(base::SetAttribute(attribute.name(), attribute.value(), &family));
    }
  }
  table.families.clear();
  for (auto& [name, family] : families) {
    table.families.push_back(std::move(family));
  }
  return table;
}

proto::TableSchema SchemaOf(const TableDescriptor& table) {
  proto::TableSchema schema;
  schema.set_name(table.name);
  auto add = [](const auto& name, const auto& value, auto* to) {
    proto::Attribute* attribute = to->add_attrs();
    attribute->set_name(name);
    attribute->set_value(value);
  };
  add("IS_META", "false", &schema);
  for (const auto& [name, value] : table.attributes) {
    add(name, value, &schema);
  }
  if (auto read_only = table.attributes.find("READONLY"); read_only != table.attributes.end()) {
    schema.set_readonly(read_only->second == "true");
  }
  for (const FamilyDescriptor& family : table.families) {
    proto::ColumnSchema* column = schema.add_columns();
    column->set_name(family.name);
    for (const auto& [name, value] : base::AttributesOf(family)) {
      add(name, value, column);
    }
    column->set_ttl(family.ttl_s);
    column->set_maxversions(family.max_versions);
    column->set_compression(family.compression);
  }
  return schema;
}

}  // namespace

Response Resources::Exists(const Request& request, const std::string& table) {
  if (!Negotiate(request, {kText, kXml, kJson, kProtobuf, kBinary})) {
    return NotAcceptable();
  }
  Expected<bool> exists = connection_->admin().TableExists(table);
  return !exists.ok() ? ErrorResponse(exists.status()) : *exists ? Response{} : NotFound();
}

Response Resources::Regions(const Request& request, const std::string& table) {
  Expected<std::vector<RegionInfo>> regions = connection_->admin().GetRegions(table);
  if (!regions.ok()) {
    return ErrorResponse(regions.status());
  }
  proto::TableInfo info;
  info.set_name(table);
  for (const RegionInfo& region : *regions) {
    proto::TableInfo::Region* to = info.add_regions();
    to->set_name(ToStringBinary(region.Name()));
    to->set_startkey(region.start_key);
    to->set_endkey(region.end_key);
    to->set_id(region.region_id);
    to->set_location(PlaceOf(region.server, request));
  }
  return DocumentResponse(request, info);
}

// PUT replaces or creates the table, POST changes or creates it, DELETE disables and deletes it.
Response Resources::Schema(const Request& request, const std::string& table) {
  Admin& admin = connection_->admin();
  Expected<TableDescriptor> found = admin.GetDescriptor(table);
  if (request.verb == Request::Verb::kGet) {
    return found.ok() ? DocumentResponse(request, SchemaOf(*found)) : ErrorResponse(found.status());
  }
  if (request.verb == Request::Verb::kDelete) {
    if (!found.ok()) {
      return ErrorResponse(found.status());
    }
    Status deleted = base::WhileDisabled(&admin, table, [&] { return admin.DeleteTable(table); });
    return deleted.ok() ? Response{} : ErrorResponse(deleted);
  }
  Expected<proto::TableSchema> schema = ReadTableSchema(request);
  if (!schema.ok()) {
    return BodyErrorResponse(schema.status());
  }
  bool replaces = request.verb == Request::Verb::kPut || !found.ok();
  Expected<TableDescriptor> wanted = Changed(replaces ? TableDescriptor{.name = table} : *found, *schema);
  if (!wanted.ok()) {
    return ErrorResponse(wanted.status());
  }
  Response made{.status = 201, .headers = {{"Location", request.url + "/" + table + "/schema"}}};
  if (!found.ok()) {
    Status created = admin.CreateTable(*wanted);
    return created.ok()                           ? made
           : created.code() == Code::kTableExists ? TextResponse(304, "Not modified")  // another client was faster
                                                  : ErrorResponse(created);
  }
  Status changed = admin.ModifyTable(*wanted);
  return !changed.ok() ? ErrorResponse(changed) : replaces ? made : Response{};
}

}  // namespace klip::rest
