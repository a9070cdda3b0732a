// Resources: a table's schema and regions.
#include <algorithm>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "klip/bytes.h"
#include "rest/resources.h"
#include "rest/row_spec.h"
#include "rest/xml.h"

namespace klip::rest {
namespace {

using nlohmann::ordered_json;
using Attributes = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kBlooms[] = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
constexpr const char* kKeepDeleted[] = {"FALSE", "TRUE", "TTL"};

std::string YesNo(bool value) { return value ? "true" : "false"; }

Attributes AttributesOf(const FamilyDescriptor& family) {
  Attributes out = {{"VERSIONS", std::to_string(family.max_versions)},
                    {"KEEP_DELETED_CELLS", kKeepDeleted[static_cast<int>(family.keep_deleted_cells)]},
                    {"TTL", std::to_string(family.ttl_s)},
                    {"MIN_VERSIONS", std::to_string(family.min_versions)},
                    {"REPLICATION_SCOPE", std::to_string(family.replication_scope)},
                    {"BLOOMFILTER", kBlooms[static_cast<int>(family.bloom)]},
                    {"IN_MEMORY", YesNo(family.in_memory)},
                    {"COMPRESSION", family.compression},
                    {"BLOCKCACHE", YesNo(family.block_cache)},
                    {"BLOCKSIZE", std::to_string(family.block_bytes)}};
  out.insert(out.end(), family.attributes.begin(), family.attributes.end());
  return out;
}

Attributes AttributesOf(const TableDescriptor& table) {
  Attributes out = {{"IS_META", "false"}};
  out.insert(out.end(), table.attributes.begin(), table.attributes.end());
  return out;
}

Status SetNumber(const std::string& name, const std::string& value, int32_t* out) {
  KLIP_ASSIGN_OR_RETURN(int64_t number, ParseNumber(value, name));
  if (number < INT32_MIN || number > INT32_MAX) {
    return Status(Code::kInvalidArgument, name + " is out of range: " + value);
  }
  *out = static_cast<int32_t>(number);
  return Status::Ok();
}

Status SetAttribute(const std::string& name, const std::string& value, FamilyDescriptor* family) {
  auto one_of = [&](const auto& words, auto* out) {
    auto found = std::find(std::begin(words), std::end(words), value);
    if (found == std::end(words)) {
      return Status(Code::kInvalidArgument, name + " has no value '" + value + "'");
    }
    *out = static_cast<std::remove_pointer_t<decltype(out)>>(found - std::begin(words));
    return Status::Ok();
  };
  if (name == "VERSIONS") {
    return SetNumber(name, value, &family->max_versions);
  }
  if (name == "MIN_VERSIONS") {
    return SetNumber(name, value, &family->min_versions);
  }
  if (name == "TTL") {
    return value == "FOREVER" ? Status::Ok() : SetNumber(name, value, &family->ttl_s);
  }
  if (name == "REPLICATION_SCOPE") {
    return SetNumber(name, value, &family->replication_scope);
  }
  if (name == "BLOCKSIZE") {
    return SetNumber(name, value, &family->block_bytes);
  }
  if (name == "BLOOMFILTER") {
    return one_of(kBlooms, &family->bloom);
  }
  if (name == "KEEP_DELETED_CELLS") {
    return one_of(kKeepDeleted, &family->keep_deleted_cells);
  }
  if (name == "COMPRESSION") {
    family->compression = value;
  } else if (name == "IN_MEMORY") {
    family->in_memory = value == "true";
  } else if (name == "BLOCKCACHE") {
    family->block_cache = value == "true";
  } else {
    family->attributes[name] = value;
  }
  return Status::Ok();
}

// What the body says of the table.
struct SchemaText {
  Attributes table;
  std::vector<std::pair<std::string, Attributes>> families;
};

Attributes MembersOf(const ordered_json& object) {
  Attributes out;
  for (const auto& [name, value] : object.items()) {
    if (name != "name" && name != "ColumnSchema" && name != "IS_META" && name != "IS_ROOT" && !value.is_null()) {
      out.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return out;
}

Expected<SchemaText> ReadSchema(const Request& request) {
  SchemaText schema;
  if (IsKind(request.content_type, kJson)) {
    ordered_json parsed = ordered_json::parse(request.body, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object()) {
      return Status(Code::kInvalidArgument, "the body is not a JSON object");
    }
    schema.table = MembersOf(parsed);
    auto families = parsed.find("ColumnSchema");
    for (const ordered_json& family :
         families != parsed.end() && families->is_array() ? *families : ordered_json::array()) {
      if (!family.is_object() || !family.contains("name") || !family["name"].is_string()) {
        return Status(Code::kInvalidArgument, "a ColumnSchema without a name");
      }
      schema.families.emplace_back(family["name"].get<std::string>(), MembersOf(family));
    }
    return schema;
  }
  if (!IsKind(request.content_type, kXml) && !IsKind(request.content_type, "application/xml")) {
    return Status(Code::kUnsupported, "a body of the kind '" + request.content_type.substr(0, 80) + "'");
  }
  pugi::xml_document document;
  if (!document.load_buffer(request.body.data(), request.body.size()) || !document.child("TableSchema")) {
    return Status(Code::kInvalidArgument, "the body is not <TableSchema>...</TableSchema>");
  }
  auto members = [](pugi::xml_node node) {
    Attributes out;
    for (pugi::xml_attribute attribute : node.attributes()) {
      std::string name = attribute.name();
      if (name != "name" && name != "IS_META" && name != "IS_ROOT") {
        out.emplace_back(std::move(name), attribute.value());
      }
    }
    return out;
  };
  schema.table = members(document.child("TableSchema"));
  for (pugi::xml_node family : document.child("TableSchema").children("ColumnSchema")) {
    schema.families.emplace_back(family.attribute("name").value(), members(family));
  }
  return schema;
}

// A family that is named is as the body says, and HBase's defaults where it says nothing.
Expected<TableDescriptor> Changed(TableDescriptor base, const SchemaText& schema) {
  for (const auto& [name, value] : schema.table) {
    base.attributes[name] = value;
  }
  for (const auto& [name, attributes] : schema.families) {
    std::erase_if(base.families, [&name = name](const FamilyDescriptor& one) { return one.name == name; });
    FamilyDescriptor& family = base.families.emplace_back(FamilyDescriptor{.name = name});
    for (const auto& [attribute, value] : attributes) {
      KLIP_RETURN_IF_ERROR(SetAttribute(attribute, value, &family));
    }
  }
  return base;
}

Response SchemaResponse(const Request& request, const TableDescriptor& table) {
  auto kind = Negotiate(request, {kText, kXml, kJson});
  if (!kind) {
    return NotAcceptable();
  }
  ordered_json json = {{"name", table.name}, {"ColumnSchema", ordered_json::array()}};
  pugi::xml_document xml;
  pugi::xml_node root = xml.append_child("TableSchema");
  root.append_attribute("name") = table.name.c_str();
  std::string text = "{ NAME=> '" + table.name + "'";
  std::string columns;
  for (const auto& [name, value] : AttributesOf(table)) {
    root.append_attribute(name.c_str()) = value.c_str();
    text += ", " + name + " => '" + value + "'";
  }
  for (const FamilyDescriptor& family : table.families) {
    ordered_json column = {{"name", family.name}};
    pugi::xml_node element = root.append_child("ColumnSchema");
    element.append_attribute("name") = family.name.c_str();
    columns += std::string(columns.empty() ? "" : ",") + " { NAME => '" + family.name + "'";
    for (const auto& [name, value] : AttributesOf(family)) {
      column[name] = value;
      element.append_attribute(name.c_str()) = value.c_str();
      columns += ", " + name + " => '" + value + "'";
    }
    columns += " }";
    json["ColumnSchema"].push_back(std::move(column));
  }
  for (const auto& [name, value] : AttributesOf(table)) {
    json[name] = value;
  }
  text += ", COLUMNS => [" + columns + " ] }";
  std::string body = *kind == kText  ? text
                     : *kind == kXml ? XmlText(xml)
                                     : json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return {.content_type = std::string(*kind), .body = std::move(body)};
}

}  // namespace

Response Resources::Exists(const std::string& table) {
  Expected<bool> exists = connection_->admin().TableExists(table);
  return !exists.ok() ? ErrorResponse(exists.status()) : *exists ? Response{} : NotFound();
}

Response Resources::Regions(const Request& request, const std::string& table) {
  Expected<std::vector<RegionInfo>> regions = connection_->admin().GetRegions(table);
  if (!regions.ok()) {
    return ErrorResponse(regions.status());
  }
  auto kind = Negotiate(request, {kText, kXml, kJson});
  if (!kind) {
    return NotAcceptable();
  }
  const std::string location = request.url.substr(request.url.find("//") + 2);
  ordered_json json = {{"name", table}, {"Region", ordered_json::array()}};
  pugi::xml_document xml;
  pugi::xml_node root = xml.append_child("TableInfo");
  root.append_attribute("name") = table.c_str();
  std::string text;
  for (const RegionInfo& region : *regions) {
    std::string name = ToStringBinary(region.Name());
    json["Region"].push_back({{"id", region.region_id},
                              {"startKey", Base64(region.start_key)},
                              {"endKey", Base64(region.end_key)},
                              {"location", location},
                              {"name", name}});
    pugi::xml_node element = root.append_child("Region");
    element.append_attribute("endKey") = Base64(region.end_key).c_str();
    element.append_attribute("id") = static_cast<long long>(region.region_id);
    element.append_attribute("location") = location.c_str();
    element.append_attribute("name") = name.c_str();
    element.append_attribute("startKey") = Base64(region.start_key).c_str();
    text += name + " [\n  id=" + std::to_string(region.region_id) + "\n  startKey='" +
            ToStringBinary(region.start_key) + "'\n  endKey='" + ToStringBinary(region.end_key) + "'\n  location='" +
            location + "'\n]\n";
  }
  std::string body = *kind == kText ? text : *kind == kXml ? XmlText(xml) : json.dump();
  return {.content_type = std::string(*kind), .body = std::move(body)};
}

// PUT replaces or makes the table, POST changes or makes it, DELETE disables and deletes it.
Response Resources::Schema(const Request& request, const std::string& table) {
  Admin& admin = connection_->admin();
  Expected<TableDescriptor> found = admin.GetDescriptor(table);
  if (request.verb == Request::Verb::kGet) {
    return found.ok() ? SchemaResponse(request, *found) : ErrorResponse(found.status());
  }
  if (request.verb == Request::Verb::kDelete) {
    if (!found.ok()) {
      return ErrorResponse(found.status());
    }
    Status disabled = admin.DisableTable(table);
    if (!disabled.ok() && disabled.code() != Code::kTableNotEnabled) {
      return ErrorResponse(disabled);
    }
    Status deleted = admin.DeleteTable(table);
    return deleted.ok() ? Response{} : ErrorResponse(deleted);
  }
  Expected<SchemaText> schema = ReadSchema(request);
  if (!schema.ok()) {
    return ErrorResponse(schema.status());
  }
  bool replaces = request.verb == Request::Verb::kPut || !found.ok();
  Expected<TableDescriptor> wanted = Changed(replaces ? TableDescriptor{.name = table} : *found, *schema);
  if (!wanted.ok()) {
    return ErrorResponse(wanted.status());
  }
  if (!found.ok()) {
    Status created = admin.CreateTable(*wanted);
    if (created.code() == Code::kTableExists) {
      return TextResponse(304, "Not modified");  // somebody was quicker
    }
    Response response{.status = 201};
    response.headers.emplace_back("Location", request.url + "/" + table + "/schema");
    return created.ok() ? response : ErrorResponse(created);
  }
  Status changed = admin.ModifyTable(*wanted);
  return changed.ok() ? Response{} : ErrorResponse(changed);
}

}  // namespace klip::rest
