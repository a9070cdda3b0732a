// What the resources tell and are told besides cells, as the messages of Rest.proto: written and read in the kinds that HBase
// 2.6's gateway knows, which are text (to read only), XML, JSON and protobuf. Pure.
#pragma once

#include <string_view>

#include "klip/status.h"
#include "rest/Rest.pb.h"
#include "rest/message.h"

namespace klip::rest {

// 200 and the document in the kind that the client asked for; 406 when it takes none.
Response DocumentResponse(const Request& request, const proto::TableList& tables);
Response DocumentResponse(const Request& request, const proto::TableInfo& table);
Response DocumentResponse(const Request& request, const proto::TableSchema& schema);
Response DocumentResponse(const Request& request, const proto::Version& version);
Response DocumentResponse(const Request& request, const proto::StorageClusterStatus& status);
Response DocumentResponse(const Request& request, const proto::Namespaces& namespaces);
// The name is in the text only.
Response DocumentResponse(const Request& request, const proto::NamespaceProperties& properties, std::string_view name);
// The version of the store, which has no form in protobuf.
Response ClusterVersionResponse(const Request& request, std::string_view version);

// Of the request's body. Errors: kInvalidArgument; kUnsupported for a kind that is none of XML, JSON and protobuf.
Expected<proto::TableSchema> ReadTableSchema(const Request& request);
Expected<proto::NamespaceProperties> ReadNamespaceProperties(const Request& request);
Expected<proto::Scanner> ReadScanner(const Request& request);

}  // namespace klip::rest
