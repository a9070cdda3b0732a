#include "server/region/row_calls.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "klip/bytes.h"
#include "server/region/meta_table.h"

namespace klip::server {
namespace {

// The increments and appends of a mutation that was done before.
class DoneBefore {
 public:
  // Takes them out of the mutation. Its puts and deletes are made again, as HBase does.
  explicit DoneBefore(WrittenMutation* mutation) {
    RowMutations rest = {.row = RowOf(*mutation)};
    for (Mutation& one : MutationsOf(std::move(*mutation))) {
      if (const auto* increment = std::get_if<Increment>(&one)) {
        Take(*increment);
      } else if (const auto* append = std::get_if<Append>(&one)) {
        Take(*append);
      } else {
        rest.mutations.push_back(std::move(one));
      }
    }
    *mutation = std::move(rest);
  }

  // They answer their columns as they are.
  Status Answer(Table* table, Result* result) const {
    for (const klip::Get& get : gets_) {
      KLIP_ASSIGN_OR_RETURN(const Result present, table->Get(get));
      for (const Cell& cell : present) {
        result->AppendCopy(cell);
      }
    }
    return Status::Ok();
  }

 private:
  template <typename Change>
  void Take(const Change& change) {
    if (!change.return_results) {
      return;
    }
    klip::Get& get = gets_.emplace_back(klip::Get{.row = change.row, .time_range = change.time_range});
    for (const auto& column : change.columns) {
      get.columns.push_back({column.family, column.qualifier});
    }
  }

  std::vector<klip::Get> gets_;
};

Status Write(table::EmbeddedTable& table, const WrittenMutation& mutation, const engine::Nonce& nonce, Result* result) {
  if (const auto* put = std::get_if<Put>(&mutation)) {
    return table.Put(*put);
  }
  if (const auto* del = std::get_if<Delete>(&mutation)) {
    return table.Delete(*del);
  }
  Expected<Result> done = [&] {
    if (const auto* increment = std::get_if<Increment>(&mutation)) {
      return table.Increment(*increment, nonce);
    }
    if (const auto* append = std::get_if<Append>(&mutation)) {
      return table.Append(*append, nonce);
    }
    return table.Mutate(std::get<RowMutations>(mutation), nonce);
  }();
  KLIP_RETURN_IF_ERROR(done.status());
  *result = *std::move(done);
  return Status::Ok();
}

void FillGetResult(const hbase::pb::Get& get, const Result& result, const CellOutput& output,
                   hbase::pb::Result* message) {
  if (get.existence_only()) {
    message->set_associated_cell_count(0);
    message->set_exists(result.exists());
    return;
  }
  FillResult(result, output, message);
}

}  // namespace

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

rpc::Error AnswerGet(const RegionRef& region, const hbase::pb::Get& message, const CellOutput& output,
                     hbase::pb::Result* answer) {
  KLIP_RPC_RETURN_IF_ERROR(CheckRowInRegion(message.row(), *region.region));
  Expected<klip::Get> get = ToGet(message);
  if (!get.ok()) {
    return get.status();
  }
  const Expected<Result> read = region.table->Get(*get);
  if (!read.ok()) {
    return read.status();
  }
  region.region->requests->reads += 1;
  FillGetResult(message, *read, output, answer);
  if (region.region->replica_id != 0) {
    answer->set_stale(true);
  }
  return {};
}

rpc::Error AnswerMetaGet(Node* node, const hbase::pb::Get& message, const CellOutput& output,
                         hbase::pb::Result* answer) {
  const Expected<klip::Get> get = ToGet(message);
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
                     const CellOutput& output, hbase::pb::Result* answer) {
  if (IsMetaRegion(specifier.value())) {
    return AnswerMetaGet(node, message, output, answer);
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(specifier, &region));
  return AnswerGet(region, message, output, answer);
}

rpc::Error MutateRow(Node* node, table::EmbeddedTable& table, WrittenMutation mutation, const engine::Nonce& nonce,
                     Result* result) {
  if (const auto* put = std::get_if<Put>(&mutation); put != nullptr && put->columns.empty()) {
    return {};  // as HBase takes it: nothing to do
  }
  Once once(&node->nonces, nonce);
  std::optional<DoneBefore> before;
  if (once.done_before()) {
    before.emplace(&mutation);
  }
  node->row_clock.Before(table.name(), node->NowMs(), &mutation);
  Status status = Write(table, mutation, once.nonce(), result);
  once.set_done(status.ok());
  if (status.ok() && before) {
    status = before->Answer(&table, result);
  }
  node->row_clock.After(table.name(), node->NowMs(), mutation, *result);
  return status;
}

rpc::Error CheckAndMutateRow(Node* node, table::EmbeddedTable& table, const hbase::pb::Condition& condition,
                             WrittenMutation mutation, const engine::Nonce& nonce, CheckAndMutateResult* result) {
  Expected<RowCondition> parsed = ToCondition(condition);
  if (!parsed.ok()) {
    return parsed.status();
  }
  Once once(&node->nonces, nonce);
  std::optional<DoneBefore> before;
  if (once.done_before()) {
    before.emplace(&mutation);
  }
  node->row_clock.Before(table.name(), node->NowMs(), &mutation);
  klip::CheckAndMutate check = {condition.row(), *std::move(parsed), std::move(mutation)};
  Expected<CheckAndMutateResult> checked = table.CheckAndMutate(check, once.nonce());
  once.set_done(checked.ok() && checked->success);
  if (!checked.ok()) {
    return checked.status();
  }
  if (checked->success && before) {
    KLIP_RETURN_IF_ERROR(before->Answer(&table, &checked->result));
  }
  node->row_clock.After(table.name(), node->NowMs(), check.action, checked->result);
  *result = *std::move(checked);
  return {};
}

}  // namespace klip::server
