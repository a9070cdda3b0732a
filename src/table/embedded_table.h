// Table on a store of this process: turns each call into a WriteOperation (writes.cc, prepend.cc) or a ReadOperation
// (reads.cc).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/log/cluster_id.h"
#include "engine/log/nonce.h"
#include "engine/read/row_scanner.h"
#include "klip/table.h"
#include "table/info/prepend_queue.h"
#include "table/info/shared.h"
#include "table/write/write_operation.h"

namespace klip::table {

// A client's number for a change that must not happen twice.
struct Numbered {
  engine::Nonce nonce;      // logged with the change: see engine::Store::RecoveredNonces
  bool repeated = false;    // increments and appends were executed before: they only return the current cells
  bool* written = nullptr;  // set once the change is written, even if the call fails then
};

class EmbeddedTable final : public Table {
 public:
  EmbeddedTable(Shared* shared, SlotPtr slot) : shared_(shared), slot_(std::move(slot)) {}

  const std::string& name() const override { return slot_->name(); }

  Expected<Result> Get(const klip::Get& get) override;
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override;
  Expected<bool> Exists(const klip::Get& get) override;
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override { return Scan(scan, nullptr); }
  // `watch` decides what Next does, see engine::ScanAdvice. Only the thread in Next calls it.
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan, engine::ScanWatch watch);
  Expected<std::unique_ptr<BatchScanner>> ScanBatches(const klip::Scan& scan,
                                                      const std::vector<ColumnName>& columns) override;
  Expected<int64_t> CountRows(const klip::Scan& scan) override;
  Expected<KeyQuery> ParseQuery(std::string_view text) const override;
  Expected<klip::Explain> Explain(const klip::Scan& scan) override;
  Expected<std::optional<double>> EstimateRows(const klip::Scan& scan) override;
  Expected<Result> FirstRow() override;
  Expected<Result> LastRow() override;
  Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) override;

  Status Put(const klip::Put& put) override;
  Status Put(std::span<const klip::Put> puts) override;
  Status Delete(const klip::Delete& del) override;
  Expected<Result> Increment(const klip::Increment& increment) override;
  Expected<Result> Append(const klip::Append& append) override;
  Expected<Result> Mutate(const RowMutations& mutations) override { return Mutate(mutations, {}); }
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override {
    return CheckAndMutate(check, {});
  }
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override;
  Expected<uint64_t> Prepend(const klip::Prepend& prepend) override;

  // The same for a client that may send a change twice.
  Expected<Result> Mutate(const RowMutations& mutations, const Numbered& number);
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check, const Numbered& number);
  // Writes cells of any rows unchanged, as they came from other clusters, and marks them in the log with the ids of the
  // clusters that have them. Each commit is atomic. Errors: as of Put.
  Status Replicate(std::span<const Cell> cells, const engine::ClusterIds& clusters);

  Expected<std::vector<EndpointAnswer>> CallEndpoint(const EndpointRequest& call) override;

  // For code that reads keys in another way. Errors: kTableNotFound, those of TableInfo::CheckReadable.
  Status CheckReadable() const;
  std::optional<RowKeySchema> row_key_schema() const override;
  Expected<TableStatistics> Statistics() override;
  Expected<std::vector<std::string>> SampleKeys() override;
  Expected<HeatMap> Heat(const HeatQuery& query) override;

 private:
  // One operation on this table.
  Expected<bool> Run(WriteRequest request);
  template <typename One>
  Expected<Result> WriteOne(WriteKind kind, const One& mutation);
  Status PutGroup(std::span<const klip::Put>* puts);
  size_t BatchGroup(std::span<const Action> actions, std::vector<Expected<Result>>* outcomes);
  Expected<Result> EdgeRow(bool last);
  void PrependGroup(std::span<PrependQueue::Waiting* const> group, std::vector<Expected<uint64_t>>* outcomes);
  Status PrependRound(std::span<PrependQueue::Waiting* const> group, std::vector<size_t>* open,
                      std::vector<Expected<uint64_t>>* outcomes);

  Shared* shared_;
  SlotPtr slot_;
};

}  // namespace klip::table
