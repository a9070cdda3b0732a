// Writes of one row.
#include <utility>

#include "hbase/table/remote_table.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "model/checks.h"

namespace klip::client {

template <typename One>
Status RemoteTable::MutateOne(const One& mutation, const RowCondition* condition, bool* processed, Result* result) {
  KLIP_RETURN_IF_ERROR(model::CheckForm(mutation));
  const MultiItem item = {.action = &mutation};
  KLIP_RETURN_IF_ERROR(indexes_->WriteAhead(name_, {&item, 1}));
  hbase::pb::MutateRequest request;
  messages::FillMutation(mutation, {.nonce = messages::NeedsNonce(mutation) ? cluster_->NewNonce() : 0},
                         request.mutable_mutation());
  if (messages::NeedsNonce(mutation)) {
    request.set_nonce_group(cluster_->nonce_group());
  }
  if (condition != nullptr) {
    KLIP_RETURN_IF_ERROR(messages::FillCondition(mutation.row, *condition, request.mutable_condition()));
  }
  Reply reply;
  KLIP_RETURN_IF_ERROR(cluster_->CallRow({.table = &name_,
                                          .row = mutation.row,
                                          .method = "Mutate",
                                          .request = &request,
                                          .region = request.mutable_region()},
                                         &reply));
  hbase::pb::MutateResponse response;
  KLIP_RETURN_IF_ERROR(reply.Parse(&response));
  *processed = response.processed();
  rpc::CellBlockReader block(reply.cells, rpc::CellCodec::kKeyValue);
  return messages::TakeResult(response.result(), &block, result);
}

Status RemoteTable::Put(const klip::Put& put) {
  bool processed = false;
  Result result;
  return MutateOne(put, nullptr, &processed, &result);
}

Status RemoteTable::Delete(const klip::Delete& del) {
  bool processed = false;
  Result result;
  return MutateOne(del, nullptr, &processed, &result);
}

template <typename One>
Expected<Result> RemoteTable::Count(const One& mutation) {
  bool processed = false;
  Result result;
  KLIP_RETURN_IF_ERROR(MutateOne(mutation, nullptr, &processed, &result));
  if (!mutation.return_results || !result.empty()) {
    return result;
  }
  // It was sent twice, and executed before the region moved: HBase knows that (by the nonce), but not the result.
  klip::Get get = {.row = mutation.row};
  for (const auto& column : mutation.columns) {
    get.columns.push_back({column.family, column.qualifier});
  }
  return Get(get);
}

Expected<Result> RemoteTable::Increment(const klip::Increment& increment) { return Count(increment); }
Expected<Result> RemoteTable::Append(const klip::Append& append) { return Count(append); }

}  // namespace klip::client
