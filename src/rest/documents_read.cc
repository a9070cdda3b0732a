// Reads documents.
#include <limits>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "base/errors.h"
#include "base/json.h"
#include "rest/documents.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

using base::Invalid;
using base::Json;
using base::ScalarText;

// By the format of the body: `xml` gets its root, which must have that name, `json` an object.
template <typename Message, typename FromXml, typename FromJson>
Expected<Message> Read(const Request& request, const char* name, FromXml xml, FromJson json) {
  Message message;
  if (IsKind(request.content_type, kProtobuf)) {
    if (!message.ParseFromString(request.body)) {
      return Invalid("the body is not a " + std::string(name) + " in protobuf");
    }
  } else if (IsKind(request.content_type, kXml)) {
    pugi::xml_document document;
    if (!document.load_buffer(request.body.data(), request.body.size()) || !document.child(name)) {
      return Invalid("the body is not <" + std::string(name) + ">");
    }
    KLIP_RETURN_IF_ERROR(xml(document.child(name), &message));
  } else if (IsKind(request.content_type, kJson)) {
    KLIP_ASSIGN_OR_RETURN(const Json parsed, base::ParseJson(request.body, "the body"));
    if (!parsed.is_object()) {
      return Invalid("the body is not a JSON object");
    }
    KLIP_RETURN_IF_ERROR(json(parsed, &message));
  } else {
    return Status(Code::kUnsupported, "unsupported body type '" + request.content_type.substr(0, 80) + "'");
  }
  return message;
}

// False for names of a schema that are not its attributes.
bool IsAttribute(std::string_view name) {
  return name != "name" && name != "ColumnSchema" && name != "IS_META" && name != "IS_ROOT";
}

template <typename Schema>
void AddAttribute(const std::string& name, std::string value, Schema* schema) {
  proto::Attribute* attribute = schema->add_attrs();
  attribute->set_name(name);
  attribute->set_value(std::move(value));
}

template <typename Schema>
void Attributes(pugi::xml_node node, Schema* schema) {
  schema->set_name(node.attribute("name").value());
  for (pugi::xml_attribute attribute : node.attributes()) {
    if (IsAttribute(attribute.name())) {
      AddAttribute(attribute.name(), attribute.value(), schema);
    }
  }
}

template <typename Schema>
Status Attributes(const Json& object, Schema* schema) {
  for (const auto& [name, value] : object.items()) {
    if (name == "name" && value.is_string()) {
      schema->set_name(value.template get<std::string>());
    } else if (IsAttribute(name) && !value.is_null()) {
      KLIP_ASSIGN_OR_RETURN(std::string text, ScalarText(value, name));
      AddAttribute(name, std::move(text), schema);
    }
  }
  return Status::Ok();
}

Status SetNumber(const std::string& text, const char* name, int32_t* out) {
  KLIP_ASSIGN_OR_RETURN(int64_t number, ParseNumber(text, name));
  if (number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max()) {
    return Invalid(std::string(name) + " is out of range: " + text);
  }
  *out = static_cast<int32_t>(number);
  return Status::Ok();
}

// One member of a scanner in XML or JSON. Ignores unknown ones, as HBase does in XML.
Status SetMember(const std::string& name, const std::string& value, proto::Scanner* scanner) {
  int32_t number = 0;
  if (name == "startRow") {
    KLIP_ASSIGN_OR_RETURN(*scanner->mutable_startrow(), FromBase64(value));
  } else if (name == "endRow") {
    KLIP_ASSIGN_OR_RETURN(*scanner->mutable_endrow(), FromBase64(value));
  } else if (name == "column") {
    KLIP_ASSIGN_OR_RETURN(*scanner->add_columns(), FromBase64(value));
  } else if (name == "filter") {
    scanner->set_filter(value);
  } else if (name == "labels") {
    scanner->add_labels(value);
  } else if (name == "cacheBlocks") {
    scanner->set_cacheblocks(value != "false");
  } else if (name == "includeStartRow") {
    scanner->set_includestartrow(value != "false");
  } else if (name == "includeStopRow") {
    scanner->set_includestoprow(value == "true");
  } else if (name == "startTime" || name == "endTime") {
    KLIP_ASSIGN_OR_RETURN(int64_t time, ParseNumber(value, name));
    name == "startTime" ? scanner->set_starttime(time) : scanner->set_endtime(time);
  } else if (name == "batch") {
    KLIP_RETURN_IF_ERROR(SetNumber(value, "batch", &number));
    scanner->set_batch(number);
  } else if (name == "maxVersions") {
    KLIP_RETURN_IF_ERROR(SetNumber(value, "maxVersions", &number));
    scanner->set_maxversions(number);
  } else if (name == "caching") {
    KLIP_RETURN_IF_ERROR(SetNumber(value, "caching", &number));
    scanner->set_caching(number);
  } else if (name == "limit") {
    KLIP_RETURN_IF_ERROR(SetNumber(value, "limit", &number));
    scanner->set_limit(number);
  }
  return Status::Ok();
}

Status SetJsonMember(const std::string& name, const Json& value, proto::Scanner* scanner) {
  if (value.is_null()) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::string text, ScalarText(value, name));
  return SetMember(name, text, scanner);
}

}  // namespace

Expected<proto::TableSchema> ReadTableSchema(const Request& request) {
  auto xml = [](pugi::xml_node root, proto::TableSchema* schema) {
    Attributes(root, schema);
    for (pugi::xml_node family : root.children("ColumnSchema")) {
      Attributes(family, schema->add_columns());
    }
    return Status::Ok();
  };
  auto json = [](const Json& object, proto::TableSchema* schema) {
    KLIP_RETURN_IF_ERROR(Attributes(object, schema));
    auto families = object.find("ColumnSchema");
    if (families == object.end() || families->is_null()) {
      return Status::Ok();
    }
    if (!families->is_array()) {
      return Invalid("ColumnSchema is not a list");
    }
    for (const Json& family : *families) {
      if (!family.is_object()) {
        return Invalid("a ColumnSchema is not an object");
      }
      KLIP_RETURN_IF_ERROR(Attributes(family, schema->add_columns()));
    }
    return Status::Ok();
  };
  KLIP_ASSIGN_OR_RETURN(auto schema, Read<proto::TableSchema>(request, "TableSchema", xml, json));
  for (proto::ColumnSchema& column : *schema.mutable_columns()) {
    if (column.name().empty()) {
      return Invalid("a ColumnSchema needs a name");
    }
    // Clients other than HBase's may send only these.
    if (column.has_ttl()) {
      AddAttribute("TTL", std::to_string(column.ttl()), &column);
    }
    if (column.has_maxversions()) {
      AddAttribute("VERSIONS", std::to_string(column.maxversions()), &column);
    }
    if (column.has_compression()) {
      AddAttribute("COMPRESSION", column.compression(), &column);
    }
  }
  if (schema.has_readonly()) {
    AddAttribute("READONLY", schema.readonly() ? "true" : "false", &schema);
  }
  return schema;
}

Expected<proto::NamespaceProperties> ReadNamespaceProperties(const Request& request) {
  auto add = [](std::string key, std::string value, proto::NamespaceProperties* out) {
    proto::NamespaceProperties::Property* property = out->add_props();
    property->set_key(std::move(key));
    property->set_value(std::move(value));
  };
  auto xml = [&](pugi::xml_node root, proto::NamespaceProperties* out) {
    for (pugi::xml_node entry : root.child("properties").children("entry")) {
      add(entry.child("key").text().get(), entry.child("value").text().get(), out);
    }
    return Status::Ok();
  };
  auto json = [&](const Json& object, proto::NamespaceProperties* out) {
    auto properties = object.find("properties");
    if (properties != object.end() && properties->is_object()) {
      for (const auto& [key, value] : properties->items()) {
        KLIP_ASSIGN_OR_RETURN(std::string text, ScalarText(value, key));
        add(key, std::move(text), out);
      }
    }
    return Status::Ok();
  };
  return Read<proto::NamespaceProperties>(request, "NamespaceProperties", xml, json);
}

Expected<proto::Scanner> ReadScanner(const Request& request) {
  auto xml = [](pugi::xml_node root, proto::Scanner* scanner) {
    for (pugi::xml_attribute attribute : root.attributes()) {
      KLIP_RETURN_IF_ERROR(SetMember(attribute.name(), attribute.value(), scanner));
    }
    for (pugi::xml_node child : root.children()) {
      KLIP_RETURN_IF_ERROR(SetMember(child.name(), child.text().get(), scanner));
    }
    return Status::Ok();
  };
  auto json = [](const Json& object, proto::Scanner* scanner) {
    for (const auto& [name, value] : object.items()) {
      if (!value.is_array() || (name != "column" && name != "labels")) {
        KLIP_RETURN_IF_ERROR(SetJsonMember(name, value, scanner));
        continue;
      }
      for (const Json& one : value) {
        KLIP_RETURN_IF_ERROR(SetJsonMember(name, one, scanner));
      }
    }
    return Status::Ok();
  };
  return Read<proto::Scanner>(request, "Scanner", xml, json);
}

}  // namespace klip::rest
