#include "rest/documents.h"

#include <cstdio>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "klip/bytes.h"
#include "rest/row_spec.h"
#include "rest/xml.h"

namespace klip::rest {
namespace {

using nlohmann::ordered_json;

// One document in the four formats. A name in XML is an attribute, a list is elements; in JSON both are members.
struct Forms {
  std::string text;
  pugi::xml_document xml;
  ordered_json json = ordered_json::object();
};

// `write` fills in the formats of the message.
template <typename Message, typename Write>
Response Answer(const Request& request, const Message& message, Write write) {
  auto kind = Negotiate(request, {kText, kXml, kJson, kProtobuf});
  if (!kind) {
    return NotAcceptable();
  }
  Response response{.content_type = NameOf(*kind, request)};
  if (*kind == kProtobuf) {
    response.body = message.SerializeAsString();
    return response;
  }
  Forms forms;
  write(&forms);
  response.body = *kind == kText  ? std::move(forms.text)
                  : *kind == kXml ? XmlText(forms.xml)
                                  : forms.json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return response;
}

// As XML's attribute and JSON's member.
template <typename Value>
void Add(const char* name, const Value& value, pugi::xml_node xml, ordered_json* json) {
  (*json)[name] = value;
  if constexpr (std::is_same_v<Value, std::string>) {
    xml.append_attribute(name) = value.c_str();
  } else {
    xml.append_attribute(name) = value;
  }
}

// The members at the start of schemas in text format.
std::string Pairs(const google::protobuf::RepeatedPtrField<proto::Attribute>& attributes) {
  std::string text;
  for (const proto::Attribute& attribute : attributes) {
    text += ", " + attribute.name() + " => '" + attribute.value() + "'";
  }
  return text;
}

// A region's numbers by their names in XML and JSON, and in text if that differs.
void AddRegion(const proto::StorageClusterStatus::Region& region, pugi::xml_node xml, ordered_json* json,
               std::string* text) {
  Add("name", Base64(region.name()), xml, json);
  *text += "        " + region.name();
  auto number = [&](const char* name, int64_t value, const char* in_text = nullptr) {
    Add(name, static_cast<long long>(value), xml, json);
    *text += "\n            " + std::string(in_text == nullptr ? name : in_text) + "=" + std::to_string(value);
  };
  number("stores", region.stores());
  number("storefiles", region.storefiles(), "storefiless");  // sic
  number("storefileSizeMB", region.storefilesizemb());
  number("memStoreSizeMB", region.memstoresizemb(), "memstoreSizeMB");
  number("storefileIndexSizeKB", region.storefileindexsizekb());
  number("readRequestsCount", region.readrequestscount());
  number("writeRequestsCount", region.writerequestscount());
  number("rootIndexSizeKB", region.rootindexsizekb());
  number("totalStaticIndexSizeKB", region.totalstaticindexsizekb());
  number("totalStaticBloomSizeKB", region.totalstaticbloomsizekb());
  number("totalCompactingKVs", region.totalcompactingkvs());
  number("currentCompactedKVs", region.currentcompactedkvs());
  *text += '\n';
}

}  // namespace

Response DocumentResponse(const Request& request, const proto::TableList& tables) {
  return Answer(request, tables, [&](Forms* forms) {
    pugi::xml_node list = forms->xml.append_child("TableList");
    forms->json["table"] = ordered_json::array();
    for (const std::string& name : tables.name()) {
      forms->text += name + "\n";
      Add("name", name, list.append_child("table"), &forms->json["table"].emplace_back(ordered_json::object()));
    }
  });
}

Response DocumentResponse(const Request& request, const proto::TableInfo& table) {
  return Answer(request, table, [&](Forms* forms) {
    pugi::xml_node root = forms->xml.append_child("TableInfo");
    Add("name", table.name(), root, &forms->json);
    forms->json["Region"] = ordered_json::array();
    for (const proto::TableInfo::Region& region : table.regions()) {
      pugi::xml_node xml = root.append_child("Region");
      ordered_json json;
      Add("id", static_cast<long long>(region.id()), xml, &json);
      Add("startKey", Base64(region.startkey()), xml, &json);
      Add("endKey", Base64(region.endkey()), xml, &json);
      Add("location", region.location(), xml, &json);
      Add("name", region.name(), xml, &json);
      forms->json["Region"].push_back(std::move(json));
      forms->text += region.name() + " [\n  id=" + std::to_string(region.id()) + "\n  startKey='" +
                     ToStringBinary(region.startkey()) + "'\n  endKey='" + ToStringBinary(region.endkey()) +
                     "'\n  location='" + region.location() + "'\n]\n";
    }
  });
}

Response DocumentResponse(const Request& request, const proto::TableSchema& schema) {
  return Answer(request, schema, [&](Forms* forms) {
    pugi::xml_node root = forms->xml.append_child("TableSchema");
    Add("name", schema.name(), root, &forms->json);
    ordered_json columns = ordered_json::array();
    std::string text;
    for (const proto::ColumnSchema& column : schema.columns()) {
      pugi::xml_node xml = root.append_child("ColumnSchema");
      ordered_json& json = columns.emplace_back(ordered_json::object());
      Add("name", column.name(), xml, &json);
      for (const proto::Attribute& attribute : column.attrs()) {
        Add(attribute.name().c_str(), attribute.value(), xml, &json);
      }
      text +=
          std::string(text.empty() ? "" : ",") + " { NAME => '" + column.name() + "'" + Pairs(column.attrs()) + " }";
    }
    forms->json["ColumnSchema"] = std::move(columns);
    for (const proto::Attribute& attribute : schema.attrs()) {
      Add(attribute.name().c_str(), attribute.value(), root, &forms->json);
    }
    forms->text = "{ NAME=> '" + schema.name() + "'" + Pairs(schema.attrs()) + ", COLUMNS => [" + text + " ] }";
  });
}

Response DocumentResponse(const Request& request, const proto::Version& version) {
  return Answer(request, version, [&](Forms* forms) {
    pugi::xml_node xml = forms->xml.append_child("Version");
    Add("REST", version.restversion(), xml, &forms->json);
    Add("JVM", version.jvmversion(), xml, &forms->json);
    Add("OS", version.osversion(), xml, &forms->json);
    Add("Server", version.serverversion(), xml, &forms->json);
    Add("Jersey", version.jerseyversion(), xml, &forms->json);
    forms->text = "rest " + version.restversion() + " [JVM: " + version.jvmversion() + "] [OS: " + version.osversion() +
                  "] [Server: " + version.serverversion() + "] [Jersey: " + version.jerseyversion() + "]\n";
  });
}

Response DocumentResponse(const Request& request, const proto::StorageClusterStatus& status) {
  return Answer(request, status, [&](Forms* forms) {
    char load[32];
    std::snprintf(load, sizeof(load), "%.4f", status.averageload());
    forms->text = std::to_string(status.livenodes_size()) + " live servers, " +
                  std::to_string(status.deadnodes_size()) + " dead servers, " + load + " average load\n\n" +
                  std::to_string(status.livenodes_size()) + " live servers\n";
    pugi::xml_node root = forms->xml.append_child("ClusterStatus");
    Add("regions", status.regions(), root, &forms->json);
    Add("requests", static_cast<long long>(status.requests()), root, &forms->json);
    Add("averageLoad", status.averageload(), root, &forms->json);
    pugi::xml_node dead = root.append_child("DeadNodes");
    pugi::xml_node live = root.append_child("LiveNodes");
    forms->json["LiveNodes"] = ordered_json::array();
    for (const proto::StorageClusterStatus::Node& node : status.livenodes()) {
      pugi::xml_node xml = live.append_child("Node");
      ordered_json json;
      Add("name", node.name(), xml, &json);
      Add("startCode", static_cast<long long>(node.startcode()), xml, &json);
      Add("requests", static_cast<long long>(node.requests()), xml, &json);
      Add("heapSizeMB", node.heapsizemb(), xml, &json);
      Add("maxHeapSizeMB", node.maxheapsizemb(), xml, &json);
      forms->text += "    " + node.name() + " " + std::to_string(node.startcode()) +
                     "\n        requests=" + std::to_string(node.requests()) +
                     ", regions=" + std::to_string(node.regions_size()) +
                     "\n        heapSizeMB=" + std::to_string(node.heapsizemb()) +
                     "\n        maxHeapSizeMB=" + std::to_string(node.maxheapsizemb()) + "\n\n";
      json["Region"] = ordered_json::array();
      for (const proto::StorageClusterStatus::Region& region : node.regions()) {
        AddRegion(region, xml.append_child("Region"), &json["Region"].emplace_back(ordered_json::object()),
                  &forms->text);
      }
      forms->text += '\n';
      forms->json["LiveNodes"].push_back(std::move(json));
    }
    forms->json["DeadNodes"] = ordered_json::array();
    for (const std::string& node : status.deadnodes()) {
      dead.append_child("Node").text() = node.c_str();
      forms->json["DeadNodes"].push_back(node);
    }
  });
}

Response DocumentResponse(const Request& request, const proto::Namespaces& namespaces) {
  return Answer(request, namespaces, [&](Forms* forms) {
    pugi::xml_node list = forms->xml.append_child("Namespaces");
    forms->json["Namespace"] = ordered_json::array();
    for (const std::string& name : namespaces.namespace_()) {
      forms->text += name + "\n";
      list.append_child("Namespace").text() = name.c_str();
      forms->json["Namespace"].push_back(name);
    }
  });
}

Response DocumentResponse(const Request& request, const proto::NamespaceProperties& properties, std::string_view name) {
  return Answer(request, properties, [&](Forms* forms) {
    pugi::xml_node map = forms->xml.append_child("NamespaceProperties").append_child("properties");
    ordered_json& json = forms->json["properties"] = ordered_json::object();
    forms->text = "{NAME => '" + std::string(name) + "'";
    for (const proto::NamespaceProperties::Property& property : properties.props()) {
      pugi::xml_node entry = map.append_child("entry");
      entry.append_child("key").text() = property.key().c_str();
      entry.append_child("value").text() = property.value().c_str();
      json[property.key()] = property.value();
      forms->text += ", " + property.key() + " => '" + property.value() + "'";
    }
    forms->text += "}";
  });
}

Response ClusterVersionResponse(const Request& request, std::string_view version) {
  auto kind = Negotiate(request, {kText, kXml, kJson});
  if (!kind) {
    return NotAcceptable();
  }
  pugi::xml_document xml;
  ordered_json json;
  Add("Version", std::string(version), xml.append_child("ClusterVersion"), &json);
  return {.content_type = std::string(*kind),
          .body = *kind == kText  ? std::string(version)
                  : *kind == kXml ? XmlText(xml)
                                  : json.dump()};
}

}  // namespace klip::rest
