// The coprocessor endpoints that HBase ships and klip has: AggregateService and MultiRowMutationService.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/read/row_scanner.h"
#include "klip/table.h"
#include "proto/Client.pb.h"
#include "rpc/error.h"
#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

// Calls an endpoint in a region, and names its answer: what ExecService and actions of Multi do (endpoint_service.cc). Errors:
// UnknownProtocolException, there is no such service.
rpc::Error CallEndpoint(Node* node, const RegionRef& region, const hbase::pb::CoprocessorServiceCall& service_call,
                        const Call& call, hbase::pb::NameBytesPair* answer);

// The same in the region of hbase:meta, which can be read only: it has AggregateService.
rpc::Error CallMetaEndpoint(Node* node, const hbase::pb::CoprocessorServiceCall& service_call, const Call& call,
                            hbase::pb::NameBytesPair* answer);

// Scans the part of `scan` that is in the region; null: there is none.
using ScanRegion = std::function<Expected<std::unique_ptr<ResultScanner>>(klip::Scan* scan, engine::ScanWatch watch)>;

// aggregate_endpoint.cc
rpc::Error CallAggregate(const Call& call, const ScanRegion& scan_region, std::string_view method,
                         std::string_view request, EndpointResult* result);
// multi_row_endpoint.cc
rpc::Error CallMultiRowMutation(const EndpointCall& call, EndpointResult* result);

}  // namespace klip::server
