#include "console/read_only.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace klip::console {
namespace {

Status Refused() { return {Code::kReadOnly, "the console is read-only"}; }

class ReadOnlyTable final : public Table {
 public:
  explicit ReadOnlyTable(std::unique_ptr<Table> table) : table_(std::move(table)) {}

  const std::string& name() const override { return table_->name(); }
  Expected<Result> Get(const klip::Get& get) override { return table_->Get(get); }
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override { return table_->Get(gets); }
  Expected<bool> Exists(const klip::Get& get) override { return table_->Exists(get); }
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override { return table_->Scan(scan); }
  Expected<std::unique_ptr<BatchScanner>> ScanBatches(const klip::Scan& scan,
                                                      const std::vector<ColumnName>& columns) override {
    return table_->ScanBatches(scan, columns);
  }
  Expected<int64_t> CountRows(const klip::Scan& scan) override { return table_->CountRows(scan); }
  Expected<KeyQuery> ParseQuery(std::string_view text) const override { return table_->ParseQuery(text); }
  Expected<klip::Explain> Explain(const klip::Scan& scan) override { return table_->Explain(scan); }
  Expected<Result> FirstRow() override { return table_->FirstRow(); }
  Expected<Result> LastRow() override { return table_->LastRow(); }
  Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) override {
    return table_->DistinctKeys(fields, count_rows);
  }
  std::optional<RowKeySchema> row_key_schema() const override { return table_->row_key_schema(); }
  Expected<TableStatistics> Statistics() override { return table_->Statistics(); }
  Expected<std::vector<std::string>> SampleKeys() override { return table_->SampleKeys(); }
  Expected<HeatMap> Heat(const HeatQuery& query) override { return table_->Heat(query); }

  Status Put(const klip::Put& /*put*/) override { return Refused(); }
  Status Put(std::span<const klip::Put> /*puts*/) override { return Refused(); }
  Status Delete(const klip::Delete& /*del*/) override { return Refused(); }
  Expected<Result> Increment(const klip::Increment& /*increment*/) override { return Refused(); }
  Expected<Result> Append(const klip::Append& /*append*/) override { return Refused(); }
  Expected<Result> Mutate(const RowMutations& /*mutations*/) override { return Refused(); }
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& /*check*/) override { return Refused(); }
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override {
    std::vector<Expected<Result>> outcomes;
    for (size_t i = 0; i < actions.size(); ++i) {
      outcomes.emplace_back(Refused());
    }
    return outcomes;
  }
  Expected<uint64_t> Prepend(const klip::Prepend& /*prepend*/) override { return Refused(); }

 private:
  const std::unique_ptr<Table> table_;
};

class ReadOnlyConnection final : public Connection {
 public:
  explicit ReadOnlyConnection(Connection* connection) : connection_(connection) {}

  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) override {
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> table, connection_->GetTable(name));
    return std::unique_ptr<Table>(std::make_unique<ReadOnlyTable>(std::move(table)));
  }
  Admin& admin() override { return connection_->admin(); }
  Expected<bool> Apply(const AtomicBatch& /*batch*/) override { return Refused(); }
  Expected<std::unique_ptr<Transaction>> Begin(const TransactionOptions& /*options*/) override { return Refused(); }
  Expected<std::unique_ptr<BulkLoader>> NewBulkLoader(std::string_view /*table*/) override { return Refused(); }

 private:
  Connection* const connection_;
};

}  // namespace

std::unique_ptr<Connection> ReadOnly(Connection* connection) {
  return std::make_unique<ReadOnlyConnection>(connection);
}

}  // namespace klip::console
