// A table as a transaction sees it: turns each call into a ReadOperation with the transaction's view, or a write of the
// transaction.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "table/embedded_transaction.h"

namespace klip::table {

class TransactionTable final : public Table {
 public:
  TransactionTable(EmbeddedTransaction* transaction, SlotPtr slot)
      : transaction_(transaction), slot_(std::move(slot)) {}

  const std::string& name() const override { return slot_->name(); }

  Expected<Result> Get(const klip::Get& get) override;
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override;
  Expected<bool> Exists(const klip::Get& get) override;
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override;
  Expected<klip::Explain> Explain(const klip::Scan& scan) override;
  Expected<std::optional<double>> EstimateRows(const klip::Scan& scan) override;
  Expected<Result> FirstRow() override { return EdgeRow(/*last=*/false); }
  Expected<Result> LastRow() override { return EdgeRow(/*last=*/true); }
  Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) override;

  Status Put(const klip::Put& put) override { return WriteOne(&put).status(); }
  Status Put(std::span<const klip::Put> puts) override;
  Status Delete(const klip::Delete& del) override { return WriteOne(&del).status(); }
  Expected<Result> Increment(const klip::Increment& increment) override { return WriteOne(&increment); }
  Expected<Result> Append(const klip::Append& append) override { return WriteOne(&append); }
  Expected<Result> Mutate(const RowMutations& mutations) override;
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override;
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override;
  Expected<uint64_t> Prepend(const klip::Prepend& prepend) override;
  Expected<std::vector<EndpointAnswer>> CallEndpoint(const EndpointRequest& call) override;

  Expected<KeyQuery> ParseQuery(std::string_view text) const override;
  std::optional<RowKeySchema> row_key_schema() const override;
  Expected<TableStatistics> Statistics() override;

 private:
  Expected<Result> WriteOne(ChangeSource mutation);
  Expected<Result> EdgeRow(bool last);

  EmbeddedTransaction* const transaction_;
  const SlotPtr slot_;
};

}  // namespace klip::table
