// The coprocessor endpoints that HBase ships and klip has: AggregateService and MultiRowMutationService.
#pragma once

#include <string>
#include <string_view>

#include "proto/Client.pb.h"
#include "rpc/error.h"
#include "server/call.h"
#include "server/node.h"

namespace klip::server {

// An endpoint's answer: the name of its Java message class, and the message.
struct EndpointResult {
  std::string java_class;
  std::string bytes;
};

// Calls an endpoint in a region, and names its answer: what ExecService and actions of Multi do (endpoint_service.cc). Errors:
// UnknownProtocolException, there is no such service.
rpc::Error CallEndpoint(Node* node, const RegionRef& region, const hbase::pb::CoprocessorServiceCall& service_call,
                        const Call& call, hbase::pb::NameBytesPair* answer);

// aggregate_endpoint.cc
rpc::Error CallAggregate(const Call& call, const RegionRef& region, std::string_view method, std::string_view request,
                         EndpointResult* result);
// multi_row_endpoint.cc
rpc::Error CallMultiRowMutation(Node* node, const RegionRef& region, std::string_view method, std::string_view request,
                                EndpointResult* result);

}  // namespace klip::server
