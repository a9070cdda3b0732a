#include "server/region/row_calls.h"

#include <utility>
#include <variant>

#include "klip/bytes.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "server/region/meta_table.h"

namespace klip::server {
namespace {

void FillGetResult(const hbase::pb::Get& get, const Result& result, const messages::CellOutput& output,
                   hbase::pb::Result* message) {
  if (get.existence_only()) {
    message->set_associated_cell_count(0);
    message->set_exists(result.exists());
    return;
  }
  messages::FillResult(result, output, message);
}

}  // namespace

engine::Nonce NonceOf(uint64_t group, const hbase::pb::MutationProto& message) {
  return messages::Counts(message) ? engine::Nonce{group, message.nonce()} : engine::Nonce{};
}

rpc::Error CheckRowInRegion(std::string_view row, const ServedRegion& region) {
  if (region.Contains(row)) {
    return {};
  }
  return rpc::Error::Hbase("regionserver.WrongRegionException",
                           "Requested row out of range for row lock on HRegion " + ToStringBinary(region.name) +
                               ", startKey='" + ToStringBinary(region.start_key) + "', getEndKey()='" +
                               ToStringBinary(region.end_key) + "', row='" + ToStringBinary(row) + "'",
                           false);
}

bool ClipToRegion(const ServedRegion& region, klip::Scan* scan) {
  std::string& low = scan->reversed ? scan->stop_row : scan->start_row;
  bool& include_low = scan->reversed ? scan->include_stop : scan->include_start;
  std::string& high = scan->reversed ? scan->start_row : scan->stop_row;
  bool& include_high = scan->reversed ? scan->include_start : scan->include_stop;
  if (!region.end_key.empty() && !low.empty() && low >= region.end_key) {
    return false;
  }
  if (!high.empty() && high < region.start_key) {
    return false;
  }
  if (low < region.start_key) {
    low = region.start_key;
    include_low = true;
  }
  if (!region.end_key.empty() && (high.empty() || high >= region.end_key)) {
    high = region.end_key;
    include_high = false;
  }
  return true;
}

rpc::Error CheckRowToWrite(std::string_view row, const ServedRegion& region) {
  if (region.replica_id != 0) {
    return Status(Code::kDoNotRetry, "region is read only");
  }
  return CheckRowInRegion(row, region);
}

rpc::Error AnswerGet(const RegionRef& region, const hbase::pb::Get& message, const messages::CellOutput& output,
                     hbase::pb::Result* answer) {
  KLIP_RPC_RETURN_IF_ERROR(CheckRowInRegion(message.row(), *region.region));
  Expected<klip::Get> get = messages::ToGet(message);
  if (!get.ok()) {
    return get.status();
  }
  const Expected<Result> read = region.table->Get(*get);
  if (!read.ok()) {
    return read.status();
  }
  FillGetResult(message, *read, output, answer);
  if (region.region->replica_id != 0) {
    answer->set_stale(true);
  }
  return {};
}

rpc::Error AnswerMetaGet(Node* node, const hbase::pb::Get& message, const messages::CellOutput& output,
                         hbase::pb::Result* answer) {
  const Expected<klip::Get> get = messages::ToGet(message);
  if (!get.ok()) {
    return get.status();
  }
  const Expected<Result> read = MetaTable(&node->regions, &node->self).Get(*get);
  if (!read.ok()) {
    return read.status();
  }
  FillGetResult(message, *read, output, answer);
  return {};
}

rpc::Error AnswerGet(Node* node, const hbase::pb::RegionSpecifier& specifier, const hbase::pb::Get& message,
                     const messages::CellOutput& output, hbase::pb::Result* answer) {
  if (IsMetaRegion(specifier.value())) {
    return AnswerMetaGet(node, message, output, answer);
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(specifier, &region));
  return AnswerGet(region, message, output, answer);
}

rpc::Error MutateRow(Node* node, table::EmbeddedTable& table, const RowMutations& mutations, const engine::Nonce& nonce,
                     Result* result) {
  if (const auto* put = std::get_if<Put>(&mutations.mutations.front());
      put != nullptr && put->columns.empty() && mutations.mutations.size() == 1) {
    return {};  // as in HBase: nothing to do
  }
  Once once(&node->nonces, nonce);
  bool done = false;
  Expected<Result> written = table.Mutate(mutations, {once.nonce(), once.done_before(), &done});
  once.set_done(written.ok() || done);  // a hook may have failed the call when the row was written
  KLIP_RPC_RETURN_IF_ERROR(written.status());
  *result = *std::move(written);
  return {};
}

rpc::Error CheckAndMutateRow(Node* node, table::EmbeddedTable& table, const hbase::pb::Condition& message,
                             RowMutations mutations, const engine::Nonce& nonce, CheckAndMutateResult* result) {
  Expected<RowCondition> condition = messages::ToCondition(message);
  if (!condition.ok()) {
    return condition.status();
  }
  Once once(&node->nonces, nonce);
  bool done = false;
  Expected<CheckAndMutateResult> checked = table.CheckAndMutate(
      {message.row(), *std::move(condition), std::move(mutations)}, {once.nonce(), once.done_before(), &done});
  once.set_done(done || (checked.ok() && checked->success));
  KLIP_RPC_RETURN_IF_ERROR(checked.status());
  *result = *std::move(checked);
  return {};
}

}  // namespace klip::server
