#include "table/transaction_table.h"

#include <utility>

#include "klip/cancel.h"
#include "rowkey/query_names.h"
#include "table/read/distinct_keys.h"
#include "table/read/scan_request.h"

namespace klip::table {

Expected<Result> TransactionTable::Get(const klip::Get& get) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  transaction_->NoteRow(slot_.get(), get.row);
  Result result;
  KLIP_RETURN_IF_ERROR(read.Get(get, &result));
  return result;
}

Expected<std::vector<Result>> TransactionTable::Get(std::span<const klip::Get> gets) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  for (const klip::Get& get : gets) {
    transaction_->NoteRow(slot_.get(), get.row);
  }
  return read.Get(gets);
}

Expected<bool> TransactionTable::Exists(const klip::Get& get) {
  klip::Get check = get;
  check.check_existence_only = true;
  KLIP_ASSIGN_OR_RETURN(const Result result, Get(check));
  return result.exists();
}

Expected<std::unique_ptr<ResultScanner>> TransactionTable::Scan(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  KLIP_RETURN_IF_ERROR(transaction_->NoteScan(slot_.get(), read.table(), scan));
  return read.Scan(scan, nullptr);
}

Expected<klip::Explain> TransactionTable::Explain(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  return read.Explain(scan);
}

Expected<std::optional<double>> TransactionTable::EstimateRows(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  return read.EstimateRows(scan);
}

Expected<Result> TransactionTable::EdgeRow(bool last) {
  KLIP_ASSIGN_OR_RETURN(const auto rows, Scan({.reversed = last, .limit_rows = 1}));
  Result row;
  KLIP_RETURN_IF_ERROR(rows->Next(&row).status());
  return row;
}

Expected<std::vector<KeyCount>> TransactionTable::DistinctKeys(int fields, bool count_rows) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  KLIP_RETURN_IF_ERROR(transaction_->NoteScan(slot_.get(), read.table(), {}));
  return table::DistinctKeys(read, fields, count_rows);
}

Expected<Result> TransactionTable::WriteOne(ChangeSource mutation) {
  Change change(mutation);
  Result result;
  KLIP_RETURN_IF_ERROR(
      transaction_->Write({.tables = {&slot_, 1}, .changes = {&change, 1}, .result = &result}).status());
  return result;
}

Status TransactionTable::Put(std::span<const klip::Put> puts) {
  std::vector<Change> changes;
  changes.reserve(puts.size());
  for (const klip::Put& put : puts) {
    AddChanges(put, &changes);
  }
  return transaction_->Write({.tables = {&slot_, 1}, .changes = changes}).status();
}

Expected<Result> TransactionTable::Mutate(const RowMutations& mutations) {
  std::vector<Change> changes;
  Result result;
  KLIP_RETURN_IF_ERROR(TakeChanges(mutations, &changes));
  KLIP_RETURN_IF_ERROR(transaction_->Write({.tables = {&slot_, 1}, .changes = changes, .result = &result}).status());
  return result;
}

Expected<CheckAndMutateResult> TransactionTable::CheckAndMutate(const klip::CheckAndMutate& check) {
  std::vector<Change> changes;
  CheckAndMutateResult result;
  KLIP_RETURN_IF_ERROR(TakeChanges(check, &changes));
  const Condition condition = {.row = check.row, .condition = &check.condition};
  KLIP_ASSIGN_OR_RETURN(
      result.success,
      transaction_->Write(
          {.tables = {&slot_, 1}, .changes = changes, .conditions = {&condition, 1}, .result = &result.result}));
  return result;
}

namespace {

// One action of a Batch.
struct InTransaction {
  TransactionTable* table;

  Expected<Result> operator()(const Get& get) const { return table->Get(get); }
  Expected<Result> operator()(const Put& put) const { return Done(table->Put(put)); }
  Expected<Result> operator()(const Delete& del) const { return Done(table->Delete(del)); }
  Expected<Result> operator()(const Increment& increment) const { return table->Increment(increment); }
  Expected<Result> operator()(const Append& append) const { return table->Append(append); }
  Expected<Result> operator()(const RowMutations& mutations) const { return table->Mutate(mutations); }
  Expected<Result> operator()(const CheckAndMutate& check) const {
    KLIP_ASSIGN_OR_RETURN(CheckAndMutateResult checked, table->CheckAndMutate(check));
    checked.result.set_exists(checked.success);
    return std::move(checked.result);
  }

  static Expected<Result> Done(const Status& status) { return status.ok() ? Expected<Result>(Result()) : status; }
};

}  // namespace

std::vector<Expected<Result>> TransactionTable::Batch(std::span<const Action> actions) {
  std::vector<Expected<Result>> outcomes;
  for (const Action& action : actions) {
    outcomes.push_back(std::visit(InTransaction{this}, action));
  }
  return outcomes;
}

Expected<uint64_t> TransactionTable::Prepend(const klip::Prepend& /*prepend*/) {
  return Status(Code::kUnsupported,
                "Prepend shares its commit with other callers, so it cannot be part of a transaction");
}

Expected<std::vector<EndpointAnswer>> TransactionTable::CallEndpoint(const EndpointRequest& /*call*/) {
  return Status(Code::kUnsupported, "endpoints cannot be called in a transaction");
}

Expected<KeyQuery> TransactionTable::ParseQuery(std::string_view text) const {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  KLIP_ASSIGN_OR_RETURN(const rowkey::QueryNames names, rowkey::QueryNamesOf(info->view->descriptor));
  return rowkey::ParseQuery(names, text);
}

std::optional<RowKeySchema> TransactionTable::row_key_schema() const {
  const Expected<InfoPtr> info = slot_->Current();
  return info.ok() ? (*info)->schema : std::nullopt;
}

Expected<TableStatistics> TransactionTable::Statistics() {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, transaction_->Read(slot_.get()));
  return transaction_->StatisticsOf(read.table());
}

}  // namespace klip::table
