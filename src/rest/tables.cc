// Resources: a table's schema and regions.
#include <algorithm>

#include "klip/bytes.h"
#include "rest/documents.h"
#include "rest/resources.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kBlooms[] = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};
constexpr const char* kKeepDeleted[] = {"FALSE", "TRUE", "TTL"};

std::string YesNo(bool value) { return value ? "true" : "false"; }

AttributeTexts AttributesOf(const FamilyDescriptor& family) {
  AttributeTexts out = {{"VERSIONS", std::to_string(family.max_versions)},
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

AttributeTexts AttributesOf(const TableDescriptor& table) {
  AttributeTexts out = {{"IS_META", "false"}};
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

// A family that is named is as the body says, and HBase's defaults where it says nothing.
Expected<TableDescriptor> Changed(TableDescriptor base, const proto::TableSchema& schema) {
  for (const proto::Attribute& attribute : schema.attrs()) {
    base.attributes[attribute.name()] = attribute.value();
  }
  for (const proto::ColumnSchema& column : schema.columns()) {
    std::erase_if(base.families, [&](const FamilyDescriptor& one) { return one.name == column.name(); });
    FamilyDescriptor& family = base.families.emplace_back(FamilyDescriptor{.name = column.name()});
    for (const proto::Attribute& attribute : column.attrs()) {
      KLIP_RETURN_IF_ERROR(SetAttribute(attribute.name(), attribute.value(), &family));
    }
  }
  return base;
}

proto::TableSchema SchemaOf(const TableDescriptor& table) {
  proto::TableSchema schema;
  schema.set_name(table.name);
  auto add = [](const auto& name, const auto& value, auto* to) {
    proto::Attribute* attribute = to->add_attrs();
    attribute->set_name(name);
    attribute->set_value(value);
  };
  for (const auto& [name, value] : AttributesOf(table)) {
    add(name, value, &schema);
  }
  if (auto read_only = table.attributes.find("READONLY"); read_only != table.attributes.end()) {
    schema.set_readonly(read_only->second == "true");
  }
  for (const FamilyDescriptor& family : table.families) {
    proto::ColumnSchema* column = schema.add_columns();
    column->set_name(family.name);
    for (const auto& [name, value] : AttributesOf(family)) {
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

// PUT replaces or makes the table, POST changes or makes it, DELETE disables and deletes it.
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
    Status disabled = admin.DisableTable(table);
    if (!disabled.ok() && disabled.code() != Code::kTableNotEnabled) {
      return ErrorResponse(disabled);
    }
    Status deleted = admin.DeleteTable(table);
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
           : created.code() == Code::kTableExists ? TextResponse(304, "Not modified")  // somebody was quicker
                                                  : ErrorResponse(created);
  }
  Status changed = admin.ModifyTable(*wanted);
  return !changed.ok() ? ErrorResponse(changed) : replaces ? made : Response{};
}

}  // namespace klip::rest
