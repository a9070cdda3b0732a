// The coprocessor endpoints of HBase that klip has for every table: AggregateService and MultiRowMutationService, and
// from hbase-examples RowCountService and BulkDeleteService.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"
#include "proto/Client.pb.h"
#include "rpc/error.h"
#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

// Calls an endpoint in a region, and names its answer, for ExecService and actions of Multi (endpoint_service.cc).
// Errors: UnknownProtocolException, there is no such service.
rpc::Error CallEndpoint(Node* node, const RegionRef& region, const hbase::pb::CoprocessorServiceCall& service_call,
                        const Call& call, hbase::pb::NameBytesPair* answer);

// The same in the region of hbase:meta, which is read-only: it has AggregateService.
rpc::Error CallMetaEndpoint(Node* node, const hbase::pb::CoprocessorServiceCall& service_call, const Call& call,
                            hbase::pb::NameBytesPair* answer);

// Scans the part of `scan` that is in the region; null: none.
using ScanRegion = std::function<Expected<std::unique_ptr<ResultScanner>>(klip::Scan* scan)>;

// `scan` in the region of the call, without hooks, as its coprocessors read. Ends when nobody waits for the call any
// more. Null: the region contains nothing of the scan.
Expected<std::unique_ptr<ResultScanner>> ScanRegionOf(const EndpointCall& call, klip::Scan* scan);
// Errors: kCancelled, nobody waits for the call any more.
Status CheckWanted(const Call& call);
// The error for a method that the service does not have.
rpc::Error NoEndpointMethod(std::string_view method, std::string_view service);

// aggregate_endpoint.cc
rpc::Error CallAggregate(const Call& call, const ScanRegion& scan_region, std::string_view method,
                         std::string_view request, EndpointResult* result);
// multi_row_endpoint.cc
rpc::Error CallMultiRowMutation(const EndpointCall& call, EndpointResult* result);
// row_count_endpoint.cc
rpc::Error CallRowCount(const EndpointCall& call, EndpointResult* result);
// bulk_delete_endpoint.cc
rpc::Error CallBulkDelete(const EndpointCall& call, EndpointResult* result);

}  // namespace klip::server
