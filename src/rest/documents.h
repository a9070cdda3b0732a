// The documents of resources other than cells, as messages of Rest.proto. Read and written in the formats of HBase 2.6's
// gateway: text (written only), XML, JSON and protobuf. Pure.
#pragma once

#include <string_view>

#include "klip/status.h"
#include "rest/Rest.pb.h"
#include "rest/message.h"

namespace klip::rest {

// 200 and the document in the requested format; 406 if the client accepts none.
Response DocumentResponse(const Request& request, const proto::TableList& tables);
Response DocumentResponse(const Request& request, const proto::TableInfo& table);
Response DocumentResponse(const Request& request, const proto::TableSchema& schema);
Response DocumentResponse(const Request& request, const proto::Version& version);
Response DocumentResponse(const Request& request, const proto::StorageClusterStatus& status);
Response DocumentResponse(const Request& request, const proto::Namespaces& namespaces);
// Only the text format contains the name.
Response DocumentResponse(const Request& request, const proto::NamespaceProperties& properties, std::string_view name);
// The version of the store, which has no protobuf format.
Response ClusterVersionResponse(const Request& request, std::string_view version);

// From the request's body. Errors: kInvalidArgument; kUnsupported for other formats than XML, JSON and protobuf.
Expected<proto::TableSchema> ReadTableSchema(const Request& request);
Expected<proto::NamespaceProperties> ReadNamespaceProperties(const Request& request);
Expected<proto::Scanner> ReadScanner(const Request& request);

}  // namespace klip::rest
