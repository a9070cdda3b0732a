#include "rest/resources.h"

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "rest/Rest.pb.h"
#include "rest/row_spec.h"
#include "rest/xml.h"

namespace klip::rest {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kRestVersion = "0.0.3";  // of HBase's gateway, which some clients compare

Response MethodNotAllowed() { return TextResponse(405, "Method not allowed"); }

}  // namespace

Response Resources::Answer(const Request& request) {
  const std::vector<std::string>& path = request.path;
  const bool reads = request.verb == Request::Verb::kGet;
  if (path.empty()) {
    return reads ? Tables(request, "") : MethodNotAllowed();
  }
  Expected<std::string> first = UrlDecode(path[0]);
  if (!first.ok()) {
    return ErrorResponse(first.status());
  }
  if (*first == "version") {
    return reads ? Version(request) : MethodNotAllowed();
  }
  if (*first == "status" && path.size() == 2 && path[1] == "cluster") {
    return reads ? ClusterStatus(request) : MethodNotAllowed();
  }
  if (*first == "namespaces") {
    if (path.size() == 1) {
      return reads ? Namespaces(request) : MethodNotAllowed();
    }
    return path.size() == 3 && path[2] == "tables" ? Tables(request, path[1]) : Namespace(request, path[1]);
  }
  if (path.size() == 1) {
    return NotFound();
  }
  const std::string& second = path[1];
  if (path.size() == 2 && second == "exists") {
    return reads ? Exists(*first) : MethodNotAllowed();
  }
  if (path.size() == 2 && second == "regions") {
    return reads ? Regions(request, *first) : MethodNotAllowed();
  }
  if (path.size() == 2 && second == "schema") {
    return Schema(request, *first);
  }
  if (second == "scanner" && path.size() == 2) {
    return reads || request.verb == Request::Verb::kDelete ? MethodNotAllowed() : NewScanner(request, *first);
  }
  if (second == "scanner" && path.size() == 3) {
    return Scanner(request, path[2]);
  }
  Path rest(path.begin() + 1, path.end());
  if (second == "multiget") {
    return reads ? MultiGet(request, *first, rest.subspan(1)) : MethodNotAllowed();
  }
  if (path.size() == 2 && second.ends_with('*') && reads) {
    return StatelessScan(request, *first, second);
  }
  return Rows(request, *first, rest);
}

Response Resources::Tables(const Request& request, std::string_view name_space) {
  Expected<std::vector<TableDescriptor>> tables = connection_->admin().ListTables(name_space);
  if (!name_space.empty()) {
    auto exists = connection_->admin().GetNamespace(name_space);
    if (!exists.ok()) {
      return ErrorResponse(exists.status());
    }
  }
  if (!tables.ok()) {
    return ErrorResponse(tables.status());
  }
  auto kind = Negotiate(request, {kText, kXml, kJson, kProtobuf});
  if (!kind) {
    return NotAcceptable();
  }
  std::string text;
  proto::TableList protobuf;
  ordered_json json = {{"table", ordered_json::array()}};
  pugi::xml_document xml;
  pugi::xml_node list = xml.append_child("TableList");
  for (const TableDescriptor& table : *tables) {
    size_t colon = name_space.empty() ? std::string::npos : table.name.find(':');
    std::string name = colon == std::string::npos ? table.name : table.name.substr(colon + 1);
    text += name + "\n";
    protobuf.add_name(name);
    json["table"].push_back({{"name", name}});
    list.append_child("table").append_attribute("name") = name.c_str();
  }
  std::string body = *kind == kText   ? text
                     : *kind == kXml  ? XmlText(xml)
                     : *kind == kJson ? json.dump()
                                      : protobuf.SerializeAsString();
  return {.content_type = std::string(*kind), .body = std::move(body)};
}

Response Resources::Version(const Request& request) {
  auto kind = Negotiate(request, {kText, kXml, kJson});
  if (!kind) {
    return NotAcceptable();
  }
  const std::string number = KLIP_VERSION;
  if (request.path.size() == 2 && request.path[1] == "cluster") {
    pugi::xml_document xml;
    xml.append_child("ClusterVersion").append_attribute("Version") = number.c_str();
    std::string body = *kind == kText  ? number
                       : *kind == kXml ? XmlText(xml)
                                       : ordered_json{{"Version", number}}.dump();
    return {.content_type = std::string(*kind), .body = std::move(body)};
  }
  if (request.path.size() > 1 && !(request.path.size() == 2 && request.path[1] == "rest")) {
    return NotFound();
  }
  const std::pair<const char*, std::string> facts[] = {
      {"Server", "klip"}, {"Version", number}, {"REST", std::string(kRestVersion)}, {"JVM", "none"}, {"OS", "Linux"}};
  std::string text;
  ordered_json json = ordered_json::object();
  pugi::xml_document xml;
  pugi::xml_node version = xml.append_child("Version");
  for (const auto& [name, value] : facts) {
    text += (text.empty() ? "" : ", ") + std::string(name) + ": " + value;
    json[name] = value;
    version.append_attribute(name) = value.c_str();
  }
  std::string body = *kind == kText ? text : *kind == kXml ? XmlText(xml) : json.dump();
  return {.content_type = std::string(*kind), .body = std::move(body)};
}

// One live node: this process.
Response Resources::ClusterStatus(const Request& request) {
  auto kind = Negotiate(request, {kJson, kXml});
  if (!kind) {
    return NotAcceptable();
  }
  Expected<std::vector<TableDescriptor>> tables = connection_->admin().ListTables();
  if (!tables.ok()) {
    return ErrorResponse(tables.status());
  }
  ordered_json regions = ordered_json::array();
  pugi::xml_document xml;
  pugi::xml_node status = xml.append_child("ClusterStatus");
  status.append_child("DeadNodes");
  pugi::xml_node node = status.append_child("LiveNodes").append_child("Node");
  node.append_attribute("name") = request.url.c_str();
  for (const TableDescriptor& table : *tables) {
    auto of_table = connection_->admin().GetRegions(table.name);
    for (const RegionInfo& region : of_table.ok() ? *of_table : std::vector<RegionInfo>()) {
      regions.push_back({{"name", Base64(region.Name())}, {"storefileSizeMB", region.size_bytes >> 20}});
      node.append_child("Region").append_attribute("name") = Base64(region.Name()).c_str();
    }
  }
  const size_t count = regions.size();
  status.append_attribute("regions") = static_cast<unsigned>(count);
  status.append_attribute("requests") = 0;
  status.append_attribute("averageLoad") = static_cast<double>(count);
  ordered_json json = {{"regions", count},
                       {"requests", 0},
                       {"averageLoad", static_cast<double>(count)},
                       {"LiveNodes", {{{"name", request.url}, {"Region", regions}}}},
                       {"DeadNodes", ordered_json::array()}};
  return {.content_type = std::string(*kind), .body = *kind == kXml ? XmlText(xml) : json.dump()};
}

Response Resources::Namespaces(const Request& request) {
  Expected<std::vector<NamespaceDescriptor>> namespaces = connection_->admin().ListNamespaces();
  if (!namespaces.ok()) {
    return ErrorResponse(namespaces.status());
  }
  auto kind = Negotiate(request, {kText, kXml, kJson});
  if (!kind) {
    return NotAcceptable();
  }
  std::string text;
  ordered_json json = {{"Namespace", ordered_json::array()}};
  pugi::xml_document xml;
  pugi::xml_node list = xml.append_child("Namespaces");
  for (const NamespaceDescriptor& name_space : *namespaces) {
    text += name_space.name + "\n";
    json["Namespace"].push_back(name_space.name);
    list.append_child("Namespace").text() = name_space.name.c_str();
  }
  std::string body = *kind == kText ? text : *kind == kXml ? XmlText(xml) : json.dump();
  return {.content_type = std::string(*kind), .body = std::move(body)};
}

Response Resources::Namespace(const Request& request, const std::string& name) {
  Admin& admin = connection_->admin();
  Expected<NamespaceDescriptor> found = admin.GetNamespace(name);
  switch (request.verb) {
    case Request::Verb::kGet: {
      if (!found.ok()) {
        return ErrorResponse(found.status());
      }
      auto kind = Negotiate(request, {kJson, kXml});
      if (!kind) {
        return NotAcceptable();
      }
      pugi::xml_document xml;
      pugi::xml_node properties = xml.append_child("NamespaceProperties").append_child("properties");
      ordered_json json = {{"properties", ordered_json::object()}};
      for (const auto& [key, value] : found->configuration) {
        json["properties"][key] = value;
        pugi::xml_node entry = properties.append_child("entry");
        entry.append_child("key").text() = key.c_str();
        entry.append_child("value").text() = value.c_str();
      }
      return {.content_type = std::string(*kind), .body = *kind == kXml ? XmlText(xml) : json.dump()};
    }
    case Request::Verb::kDelete: {
      if (found.status().code() == Code::kNamespaceNotFound) {
        return TextResponse(404, "Namespace '" + name + "' does not exists.  Cannot drop namespace.");  // sic
      }
      Status status = admin.DeleteNamespace(name);
      return status.ok() ? Response{} : ErrorResponse(status);
    }
    case Request::Verb::kPost:
    case Request::Verb::kPut:
      break;
  }
  const bool creates = request.verb == Request::Verb::kPost;
  if (creates && found.ok()) {
    return TextResponse(403, "Namespace '" + name + "' already exists.  Use REST PUT to alter the existing namespace.");
  }
  if (!creates && !found.ok()) {
    return TextResponse(403, "Namespace '" + name + "' does not exist. Use REST POST to create the namespace.");
  }
  NamespaceDescriptor descriptor{.name = name};
  if (!request.body.empty()) {
    ordered_json parsed = ordered_json::parse(request.body, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object()) {
      return BadRequest("the body is not a JSON object");
    }
    auto properties = parsed.find("properties");
    if (properties != parsed.end() && properties->is_object()) {
      for (const auto& [key, value] : properties->items()) {
        descriptor.configuration[key] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
  }
  Status status = creates ? admin.CreateNamespace(descriptor) : admin.ModifyNamespace(descriptor);
  if (!status.ok()) {
    return ErrorResponse(status);
  }
  Response response{.status = creates ? 201 : 200};
  response.headers.emplace_back("Location", request.url + "/namespaces/" + name);
  return response;
}

}  // namespace klip::rest
