// ClientService: Get and Mutate of one row. Scan is in scan_service.cc, Multi in multi_service.cc.
#include <utility>

#include "klip/bytes.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"
#include "server/node/services.h"
#include "server/region/meta_table.h"
#include "server/region/row_calls.h"

namespace klip::server {
namespace {

using hbase::pb::GetRequest;
using hbase::pb::GetResponse;
using hbase::pb::MutateRequest;
using hbase::pb::MutateResponse;

// Clients older than 1.3 want the cells of a Get inline even if they have named a codec.
messages::CellOutput GetOutput(Call* call) { return call->client->takes_get_cells ? call->Block() : Call::Inline(); }

rpc::Error Get(Node* node, const GetRequest& request, GetResponse* response, Call* call) {
  if (request.get().closest_row_before()) {
    return rpc::Error::Hbase(
        "exceptions.UnknownProtocolException",
        "Is this a pre-hbase-1.0.0 or asynchbase client? Client is invoking getClosestRowBefore removed in "
        "hbase-2.0.0 replaced by reverse Scan.",
        true);
  }
  return AnswerGet(node, request.region(), request.get(), GetOutput(call), response->mutable_result());
}

rpc::Error Mutate(Node* node, const MutateRequest& request, MutateResponse* response, Call* call) {
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  KLIP_RPC_RETURN_IF_ERROR(CheckRowToWrite(request.mutation().row(), *region.region));
  RowMutations mutations;
  KLIP_RPC_RETURN_IF_ERROR(messages::AddMutations(request.mutation(), &call->cells, &mutations.mutations));
  mutations.row = messages::RowOf(mutations.mutations.front());
  const engine::Nonce nonce = NonceOf(request.nonce_group(), request.mutation());
  if (request.has_condition()) {
    CheckAndMutateResult checked;
    KLIP_RPC_RETURN_IF_ERROR(
        CheckAndMutateRow(node, *region.table, request.condition(), std::move(mutations), nonce, &checked));
    response->set_processed(checked.success);
    if (!checked.result.empty()) {
      messages::FillResult(checked.result, call->Block(), response->mutable_result());
    }
    return {};
  }
  Result result;
  KLIP_RPC_RETURN_IF_ERROR(MutateRow(node, *region.table, mutations, nonce, &result));
  if (messages::Counts(request.mutation())) {
    messages::FillResult(result, call->Block(), response->mutable_result());
  } else {
    response->set_processed(true);
  }
  return {};
}

}  // namespace

void AddClientService(Node* node, MethodTable* methods) {
  methods->Add<GetRequest, GetResponse>("Get", [node](const GetRequest& request, GetResponse* response, Call* call) {
    return Get(node, request, response, call);
  });
  methods->Add<MutateRequest, MutateResponse>(
      "Mutate", [node](const MutateRequest& request, MutateResponse* response, Call* call) {
        return Mutate(node, request, response, call);
      });
  AddScanMethod(node, methods);
  AddMultiMethod(node, methods);
  AddBulkLoadMethods(node, methods);
  AddEndpointMethods(node, methods);
}

}  // namespace klip::server
