// Table on a store of this process. One .cc per kind of call: reads.cc, mutate.cc, check_and_mutate.cc, batch.cc, prepend.cc,
// scan.cc, distinct_keys.cc, replicate.cc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/read/row_scanner.h"
#include "klip/cancel.h"
#include "klip/table.h"
#include "table/embedded_connection.h"
#include "table/prepend_queue.h"
#include "table/table_info.h"
#include "table/write_step.h"

namespace klip::table {

class EmbeddedTable final : public Table {
 public:
  EmbeddedTable(Shared* shared, SlotPtr slot) : shared_(shared), slot_(std::move(slot)) {}

  const std::string& name() const override { return slot_->name(); }

  Expected<Result> Get(const klip::Get& get) override;
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override;
  Expected<bool> Exists(const klip::Get& get) override;
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override { return Scan(scan, nullptr); }
  // What Next does when there is a watch, see engine::ScanAdvice. It is asked only while Next runs, by its thread.
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan, engine::ScanWatch watch);
  Expected<klip::Explain> Explain(const klip::Scan& scan) override;
  Expected<Result> FirstRow() override;
  Expected<Result> LastRow() override;
  Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) override;

  Status Put(const klip::Put& put) override;
  Status Delete(const klip::Delete& del) override;
  Expected<Result> Increment(const klip::Increment& increment) override { return Increment(increment, {}); }
  Expected<Result> Append(const klip::Append& append) override { return Append(append, {}); }
  Expected<Result> Mutate(const RowMutations& mutations) override { return Mutate(mutations, {}); }
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override {
    return CheckAndMutate(check, {});
  }
  // The same under a client's nonce, which is logged with the change: see engine::Store::RecoveredNonces.
  Expected<Result> Increment(const klip::Increment& increment, const engine::Nonce& nonce);
  Expected<Result> Append(const klip::Append& append, const engine::Nonce& nonce);
  Expected<Result> Mutate(const RowMutations& mutations, const engine::Nonce& nonce);
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check, const engine::Nonce& nonce);
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override;
  Status Put(std::span<const klip::Put> puts) override;
  // Cells of any rows, as they came from other clusters: written as they are, and marked in the log with the ids of those that have
  // them. Each commit of them happens or does not. Errors: as of Put.
  Status Replicate(std::span<const Cell> cells, const engine::ClusterIds& clusters);
  Expected<uint64_t> Prepend(const klip::Prepend& prepend) override;

  std::optional<RowKeySchema> row_key_schema() const override;
  Expected<TableStatistics> Statistics() override;

 private:
  engine::Store& store() const { return *shared_->store; }
  // The table as it is now. Errors: kTableNotFound, kTableNotEnabled, kCancelled.
  Expected<InfoPtr> Readable() const;
  // The same, and checked for writing. REQUIRES: LockForWrite is held, so that what comes back stays true.
  Expected<InfoPtr> Writable() const;
  engine::RowLocks LockRow(const std::string& row) const;

  // Checks, locks, encodes and writes a mutation of one row.
  template <typename One>
  Status WriteOne(const One& mutation, Result* result, const engine::Nonce& nonce = {});

  Expected<Result> EdgeRow(bool last);
  Status PutGroup(std::span<const klip::Put>* puts);
  void BatchGroup(std::span<const Action> actions, std::vector<Expected<Result>>* outcomes);
  Expected<Result> RunAction(const Action& action);
  void PrependGroup(std::span<PrependQueue::Waiting* const> group, std::vector<Expected<uint64_t>>* outcomes);
  Status PrependRound(const TableInfo& info, std::span<PrependQueue::Waiting* const> group, std::vector<size_t>* open,
                      std::vector<Expected<uint64_t>>* outcomes);

  Shared* shared_;
  SlotPtr slot_;
};

}  // namespace klip::table
