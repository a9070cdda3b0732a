// Transaction on a store of this process.
//
// It reads through an engine::ReadView: the store at Begin, overlaid with the cells that it has written. A write is
// resolved at once into puts and deletes with known values. These go into the view's overlay as cells, with their index
// entries, so that all reads see them; and into a log. Commit makes one WriteOperation of the log. It locks the rows as
// usual and then checks whether any of them was written since Begin (info/conflicts.h).
//
//   statement    Increment a:n by 5 (it is 2)      Put a:n = 7     Delete row b
//   log          put a:n = 7                       put a:n = 7     delete b
//   overlay      cell a:n = 7 at 1000              the same cell   marker of b at 1000
//   commit       one write batch: a:n = 7 at 1234, marker of b at 1234
//
// If a mutation has no timestamp, it gets one twice: a preliminary one for the overlay, when the row is first written,
// and the final one from the row clock at Commit. A put after a delete of the same row is a millisecond later, in both.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/transaction.h"
#include "table/info/shared.h"
#include "table/read/read_operation.h"
#include "table/write/write_operation.h"

namespace klip::table {

class EmbeddedTransaction final : public Transaction {
 public:
  // REQUIRES: not called inside hooks that hold locks.
  EmbeddedTransaction(Shared* shared, const TransactionOptions& options);
  ~EmbeddedTransaction() override;

  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) override;
  Expected<bool> Apply(const AtomicBatch& batch) override;
  Expected<int64_t> Savepoint() override;
  Status RollbackTo(int64_t savepoint) override;
  Status Commit() override;
  void Rollback() override;

  // --- For the tables of the transaction ---
  Expected<ReadOperation> Read(TableSlot* slot);
  // Records a read, for kSerializable.
  void NoteRow(TableSlot* slot, std::string_view row);
  Status NoteScan(TableSlot* slot, const TableInfo& info, const Scan& scan);
  // Executes the operation inside the transaction: its tables, changes, conditions, durability and result. Errors, in
  // addition to those of an operation: see Transaction::GetTable.
  Expected<bool> Write(const WriteRequest& request);
  Expected<TableStatistics> StatisticsOf(const TableInfo& info) const {
    return table::StatisticsOf(&shared_->store->storage(), info);
  }

 private:
  // The timestamps that the transaction gives to a row.
  struct RowTimes {
    int64_t first_ms = 0;  // preliminary; the commit replaces it
    int64_t after_ms = 0;  // how much later the next change is
    bool deleted = false;  // by the last one

    int64_t now_ms() const { return first_ms + after_ms; }
  };
  using RowKey = std::pair<TableSlot*, std::string>;

  // A put or delete.
  struct Logged {
    TableSlot* slot = nullptr;
    Mutation mutation;
    int64_t after_ms = 0;
    bool own_version = false;  // see Change
  };
  struct Mark {
    int64_t number = 0;
    size_t logged = 0;
    uint64_t step = 0;
  };

  // Rows that were read, and ranges with or without rows.
  struct Range {
    RowRange range;
    std::shared_ptr<const filter::RowSet> rows;  // of the range; null: all
  };
  struct ReadRows {
    std::set<std::string, std::less<>> rows;
    std::vector<Range> ranges;
  };

  Status CheckOpen() const;
  Expected<InfoPtr> InfoOf(TableSlot* slot);
  Expected<std::vector<InfoPtr>> Check(const WriteRequest& request);
  RowTimes& TimesOf(TableSlot* slot, std::string_view row);
  void GiveTimes(const WriteRequest& request);
  // Resolves the changes to puts and deletes. `seen_ms`: the newest cell that a condition read.
  Status Resolve(const WriteRequest& request, const std::vector<InfoPtr>& tables, int64_t seen_ms,
                 std::vector<Logged>* resolved);
  Status ResolveCells(const TableInfo& info, const Change& change, RowTimes times, Logged as, Result* result,
                      std::vector<Logged>* resolved) const;
  Status Lay(std::vector<Logged> resolved);
  RowSource source() const { return {shared_->store.get(), shared_->settings.limits, view_}; }
  Status Validate(CommitLog::Place place) const;
  Status ValidateReads(CommitLog::Place place) const;
  bool HasRead(const CommitLog::Row& row) const;
  void End();

  Shared* const shared_;
  const TransactionOptions options_;
  const uint64_t version_;                             // of the store's tables at Begin
  engine::ReadViewPtr view_;                           // null: the transaction is over
  CommitLog::Place begin_ = 0;                         // 0: not serializable
  std::map<std::string, SlotPtr, std::less<>> slots_;  // by name in the catalog
  std::map<TableSlot*, InfoPtr> tables_;               // as they were when first used
  std::map<RowKey, RowTimes> times_;
  std::deque<Logged> log_;
  std::map<std::string, ReadRows, std::less<>> reads_;  // by table
  std::vector<Mark> savepoints_;
  int64_t last_savepoint_ = 0;
};

}  // namespace klip::table
