// MultiRowMutationService: atomic changes to several rows of one region, under conditions.
#include <utility>
#include <vector>

#include "klip/mutation.h"
#include "messages/decode.h"
#include "proto/MultiRowMutation.pb.h"
#include "server/region/endpoints.h"
#include "server/region/row_calls.h"

namespace klip::server {

rpc::Error CallMultiRowMutation(const EndpointCall& call, EndpointResult* result) {
  Node* const node = call.node;
  const RegionRef& region = *call.region;
  if (call.method != "MutateRows") {
    return NoEndpointMethod(call.method, "MultiRowMutationService");
  }
  hbase::pb::MutateRowsRequest request;
  if (!request.ParsePartialFromArray(call.request.data(), static_cast<int>(call.request.size())) ||
      !request.IsInitialized()) {
    return Status(Code::kDoNotRetry, "the MutateRowsRequest is invalid");
  }
  AtomicBatch batch;
  for (const hbase::pb::Condition& message : request.condition()) {
    KLIP_RPC_RETURN_IF_ERROR(CheckRowToWrite(message.row(), *region.region));
    Expected<RowCondition> condition = messages::ToCondition(message);
    if (!condition.ok()) {
      return condition.status();
    }
    batch.conditions.push_back({region.region->table, message.row(), *std::move(condition)});
  }
  for (const hbase::pb::MutationProto& message : request.mutation_request()) {
    KLIP_RPC_RETURN_IF_ERROR(CheckRowToWrite(message.row(), *region.region));
    rpc::CellBlockReader no_cells;
    std::vector<Mutation> mutations;
    KLIP_RPC_RETURN_IF_ERROR(messages::AddMutations(message, &no_cells, &mutations));
    for (Mutation& one : mutations) {
      if (const Put* put = std::get_if<Put>(&one); put != nullptr && put->columns.empty()) {
        continue;  // only here HBase accepts it
      }
      batch.steps.push_back({region.region->table, std::move(one)});
    }
  }
  Once once(&node->nonces, {request.nonce_group(), request.nonce()});
  bool done = false;
  const Expected<bool> applied = node->embedded->Apply(batch, {once.nonce(), once.done_before(), &done});
  once.set_done(done || (applied.ok() && *applied));
  if (!applied.ok()) {
    return applied.status();
  }
  hbase::pb::MutateRowsResponse response;
  response.set_processed(*applied);
  result->java_class = "org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos$MutateRowsResponse";
  result->bytes = response.SerializeAsString();
  return {};
}

}  // namespace klip::server
