// Gets, and reads of the first and last row.
#include <utility>

#include "hbase/table/remote_table.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "model/checks.h"

namespace klip::client {

Expected<Result> RemoteTable::Get(const klip::Get& get) {
  KLIP_RETURN_IF_ERROR(model::CheckGet(get));
  hbase::pb::GetRequest request;
  KLIP_RETURN_IF_ERROR(messages::FillGet(get, request.mutable_get()));
  const Cluster::RowCall call = {
      .table = &name_, .row = get.row, .method = "Get", .request = &request, .region = request.mutable_region()};
  Reply reply;
  KLIP_RETURN_IF_ERROR(get.consistency == Consistency::kTimeline ? cluster_->CallReplicas(call, get.replica_id, &reply)
                                                                 : cluster_->CallRow(call, &reply));
  hbase::pb::GetResponse response;
  KLIP_RETURN_IF_ERROR(reply.Parse(&response));
  rpc::CellBlockReader block(reply.cells, rpc::CellCodec::kKeyValue);
  Result result;
  KLIP_RETURN_IF_ERROR(messages::TakeResult(response.result(), &block, &result));
  return result;
}

Expected<bool> RemoteTable::Exists(const klip::Get& get) {
  klip::Get check = get;
  check.check_existence_only = true;
  KLIP_ASSIGN_OR_RETURN(const Result result, Get(check));
  return result.exists();
}

Expected<Result> RemoteTable::EdgeRow(bool last) {
  klip::Scan scan;
  scan.limit_rows = 1;
  scan.reversed = last;
  const auto scanner = OpenScanner(cluster_, name_, {.scan = scan});
  Result row;
  KLIP_RETURN_IF_ERROR(scanner->Next(&row).status());
  return row;
}

Expected<Result> RemoteTable::FirstRow() { return EdgeRow(/*last=*/false); }
Expected<Result> RemoteTable::LastRow() { return EdgeRow(/*last=*/true); }

}  // namespace klip::client
