#include "rest/resources.h"

#include <algorithm>

#include "rest/documents.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

constexpr std::string_view kRestVersion = "0.0.3";  // of HBase's gateway, which some clients compare

constexpr std::string_view kReads = "GET, HEAD";

int32_t Megabytes(int64_t bytes) { return static_cast<int32_t>(std::min<int64_t>(bytes >> 20, INT32_MAX)); }
int64_t Kilobytes(int64_t bytes) { return bytes >> 10; }

void Fill(const RegionMetrics& region, proto::StorageClusterStatus::Region* to) {
  to->set_name(region.name);
  to->set_stores(region.stores);
  to->set_storefiles(region.store_files);
  to->set_storefilesizemb(Megabytes(region.file_bytes));
  to->set_memstoresizemb(Megabytes(region.memstore_bytes));
  to->set_storefileindexsizekb(Kilobytes(region.index_bytes));
  to->set_readrequestscount(region.read_requests);
  to->set_writerequestscount(region.write_requests);
  to->set_rootindexsizekb(static_cast<int32_t>(Kilobytes(region.root_index_bytes)));
  to->set_totalstaticindexsizekb(static_cast<int32_t>(Kilobytes(region.static_index_bytes)));
  to->set_totalstaticbloomsizekb(static_cast<int32_t>(Kilobytes(region.static_bloom_bytes)));
  to->set_totalcompactingkvs(region.compacting_cells);
  to->set_currentcompactedkvs(region.compacted_cells);
}

}  // namespace

std::string PlaceOf(const ServerName& server, const Request& request) {
  if (server.host.empty()) {
    return {};
  }
  return server.port == 0 ? request.Address() : server.host + ":" + std::to_string(server.port);
}

Response Resources::Answer(const Request& request) {
  const std::vector<std::string>& path = request.path;
  const bool reads = request.verb == Request::Verb::kGet;
  if (path.empty()) {
    return reads ? Tables(request, "") : MethodNotAllowed(kReads);
  }
  Expected<std::string> first = UrlDecode(path[0]);
  if (!first.ok()) {
    return ErrorResponse(first.status());
  }
  if (*first == "version") {
    return reads ? Version(request) : MethodNotAllowed(kReads);
  }
  if (*first == "status" && path.size() == 2 && path[1] == "cluster") {
    return reads ? ClusterStatus(request) : MethodNotAllowed(kReads);
  }
  if (*first == "namespaces") {
    if (path.size() == 1) {
      return reads ? Namespaces(request) : MethodNotAllowed(kReads);
    }
    return path.size() == 3 && path[2] == "tables" ? Tables(request, path[1]) : Namespace(request, path[1]);
  }
  if (path.size() == 1) {
    return NotFound();
  }
  const std::string& second = path[1];
  if (path.size() == 2 && second == "exists") {
    return reads ? Exists(request, *first) : MethodNotAllowed(kReads);
  }
  if (path.size() == 2 && second == "regions") {
    return reads ? Regions(request, *first) : MethodNotAllowed(kReads);
  }
  if (path.size() == 2 && second == "schema") {
    return Schema(request, *first);
  }
  if (second == "scanner" && path.size() == 2) {
    return reads || request.verb == Request::Verb::kDelete ? MethodNotAllowed("PUT, POST")
                                                           : NewScanner(request, *first);
  }
  if (second == "scanner" && path.size() == 3) {
    return Scanner(request, path[2]);
  }
  Path rest(path.begin() + 1, path.end());
  if (second == "multiget") {
    return reads ? MultiGet(request, *first, rest.subspan(1)) : MethodNotAllowed(kReads);
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
  proto::TableList list;
  for (const TableDescriptor& table : *tables) {
    const size_t colon = name_space.empty() ? std::string::npos : table.name.find(':');
    list.add_name(colon == std::string::npos ? table.name : table.name.substr(colon + 1));
  }
  return DocumentResponse(request, list);
}

Response Resources::Version(const Request& request) {
  if (request.path.size() == 2 && request.path[1] == "cluster") {
    return ClusterVersionResponse(request, KLIP_VERSION);
  }
  if (request.path.size() > 1 && !(request.path.size() == 2 && request.path[1] == "rest")) {
    return NotFound();
  }
  proto::Version version;
  version.set_restversion(std::string(kRestVersion));
  version.set_jvmversion("none");
  version.set_osversion("Linux");
  version.set_serverversion("klip " KLIP_VERSION);
  version.set_jerseyversion("");
  return DocumentResponse(request, version);
}

Response Resources::ClusterStatus(const Request& request) {
  const Expected<ClusterMetrics> metrics = connection_->admin().cluster().GetClusterMetrics();
  if (!metrics.ok()) {
    return ErrorResponse(metrics.status());
  }
  proto::StorageClusterStatus status;
  for (const ServerMetrics& server : metrics->live_servers) {
    proto::StorageClusterStatus::Node* node = status.add_livenodes();
    node->set_name(PlaceOf(server.name, request));
    node->set_startcode(server.name.start_code);
    node->set_requests(server.requests);
    node->set_heapsizemb(Megabytes(server.used_heap_bytes));
    node->set_maxheapsizemb(Megabytes(server.max_heap_bytes));
    for (const RegionMetrics& region : server.regions) {
      Fill(region, node->add_regions());
    }
  }
  for (const ServerName& server : metrics->dead_servers) {
    status.add_deadnodes(server.ToString());
  }
  status.set_regions(static_cast<int32_t>(metrics->region_count()));
  status.set_requests(metrics->request_count());
  status.set_averageload(metrics->average_load());
  return DocumentResponse(request, status);
}

Response Resources::Namespaces(const Request& request) {
  Expected<std::vector<NamespaceDescriptor>> namespaces = connection_->admin().ListNamespaces();
  if (!namespaces.ok()) {
    return ErrorResponse(namespaces.status());
  }
  proto::Namespaces list;
  for (const NamespaceDescriptor& name_space : *namespaces) {
    list.add_namespace_(name_space.name);
  }
  return DocumentResponse(request, list);
}

Response Resources::Namespace(const Request& request, const std::string& name) {
  Admin& admin = connection_->admin();
  Expected<NamespaceDescriptor> found = admin.GetNamespace(name);
  switch (request.verb) {
    case Request::Verb::kGet: {
      if (!found.ok()) {
        return ErrorResponse(found.status());
      }
      proto::NamespaceProperties properties;
      for (const auto& [key, value] : found->configuration) {
        proto::NamespaceProperties::Property* property = properties.add_props();
        property->set_key(key);
        property->set_value(value);
      }
      return DocumentResponse(request, properties, name);
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
    Expected<proto::NamespaceProperties> properties = ReadNamespaceProperties(request);
    if (!properties.ok()) {
      return BodyErrorResponse(properties.status());
    }
    for (const proto::NamespaceProperties::Property& property : properties->props()) {
      descriptor.configuration[property.key()] = property.value();
    }
  }
  Status status = creates ? admin.CreateNamespace(descriptor) : admin.ModifyNamespace(descriptor);
  if (!status.ok()) {
    return ErrorResponse(status);
  }
  const std::string location = request.url + "/namespaces/" + name;
  return creates ? Response{.status = 201, .headers = {{"Location", location}}}
                 : Response{.content_type = std::string(kText), .body = location};
}

}  // namespace klip::rest
