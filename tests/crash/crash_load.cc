#include "crash/crash_load.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <unistd.h>

#include "klip/index.h"
#include "klip/transaction.h"
#include "ops/random.h"

namespace klip::crash {
namespace {

class Writer {
 public:
  Writer(Connection* connection, int thread, uint64_t seed, Items items, const Listener& listener)
      : connection_(connection), thread_(thread), random_(seed), items_(std::move(items)), listener_(listener) {
    if (auto table = connection_->GetTable("base"); table.ok()) {
      table_ = *std::move(table);
    }
  }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      Status status = Step();
      if (!status.ok()) {
        listener_("E " + std::to_string(thread_) + " " + status.ToString());
        return;
      }
    }
  }

 private:
  void Intend(const std::string& item, const std::string& value) {
    items_[item] = value;
    listener_("I " + std::to_string(thread_) + " " + item + " " + value);
  }
  Status Done(Status status) {
    if (status.ok()) {
      listener_("A " + std::to_string(thread_));
    }
    return status;
  }
  // A name that only this thread writes to.
  std::string Mine() { return std::to_string(thread_) + "_" + std::to_string(random_.Below(kRowsPerThread)); }
  std::string NextNumber() { return std::to_string(random_.Below(1000000000)); }
  int64_t Number(const std::string& item) { return strtoll(items_[item].c_str(), nullptr, 10); }

  static Put Triple(const std::string& row, const std::string& value) {
    return Put{.row = row}.Add("f", "a", value).Add("f", "b", value).Add("g", "a", value);
  }

  Status Step() {
    switch (random_.Below(thread_ == kThreads ? 1 : 14)) {
      case 0:
        return thread_ == kThreads ? Maintain() : Count();
      case 1:
        return AppendOne();
      case 2:
      case 3:
        return MoveIndex();
      case 4:
        return DeleteOne();
      case 5:
        return CheckAndPut();
      case 6:
        return PutLax();
      case 7:
      case 8:
        return Transfer();
      default:
        return PutOne();
    }
  }

  Status PutOne() {
    const std::string mine = Mine();
    const std::string value = NextNumber();
    Intend("row:" + mine, value);
    const Put put = Triple("row" + mine, value);
    return Done(random_.OneIn(20) ? Load(put) : table_->Put(put));
  }

  Status Load(const Put& put) {
    usleep(5000);  // a load has the clock's time, and a put of the row may have been given one that is later
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<BulkLoader> loader, connection_->NewBulkLoader("base"));
    KLIP_RETURN_IF_ERROR(loader->Add(put));
    return loader->Finish();
  }

  Status PutLax() {
    const std::string mine = Mine();
    const std::string value = NextNumber();
    Intend("lax:" + mine, value);
    Put put = Triple("lax" + mine, value);
    put.durability = random_.OneIn(2) ? Durability::kSkipWal : Durability::kAsyncWal;
    return Done(table_->Put(put));
  }

  Status DeleteOne() {
    const std::string mine = Mine();
    Intend("row:" + mine, "-");
    // A put of the same millisecond would be masked.
    Status status = table_->Delete({.row = "row" + mine});
    usleep(2000);
    return Done(status);
  }

  Status CheckAndPut() {
    const std::string mine = Mine();
    const std::string item = "row:" + mine;
    const std::string old = items_.contains(item) ? items_[item] : "-";
    const std::string value = NextNumber();
    CheckAndMutate check{
        .row = "row" + mine,
        .condition = old == "-" ? RowCondition::IfNotExists("f", "a") : RowCondition::IfEquals("f", "a", old),
        .action = Triple("row" + mine, value)};
    Intend(item, value);
    Expected<CheckAndMutateResult> outcome = table_->CheckAndMutate(check);
    if (outcome.ok() && !outcome->success) {
      return {Code::kCorruption, "the store does not hold " + old + " in " + item};
    }
    return Done(outcome.status());
  }

  Status Count() {
    const std::string item = "cnt:" + std::to_string(thread_);
    Intend(item, std::to_string(Number(item) + 1));
    return Done(
        table_->Increment(Increment{.row = "cnt" + std::to_string(thread_)}.Add("f", "n").Add("g", "n")).status());
  }

  Status AppendOne() {
    const std::string item = "app:" + std::to_string(thread_);
    if (Number(item) > 500) {
      return {};
    }
    Intend(item, std::to_string(Number(item) + 1));
    return Done(table_->Append(Append{.row = "app" + std::to_string(thread_)}.Add("f", "s", "x")).status());
  }

  // Scenario A7: a row and its row in a second table, as one step.
  Status MoveIndex() {
    const std::string row = Mine();
    const std::string item = "idx:" + row;
    const std::string value = NextNumber();
    AtomicBatch batch;
    batch.steps.push_back({"base", Put{.row = "idx" + row}.Add("f", "k", value)});
    batch.steps.push_back({"index", Put{.row = value + "_idx" + row}.Add("i", "", "")});
    if (items_.contains(item)) {
      batch.steps.push_back({"index", Delete{.row = items_[item] + "_idx" + row}});
    }
    Intend(item, value);
    if (random_.OneIn(2)) {
      const Status status = MoveInTransaction(batch);
      if (status.code() != Code::kTransactionConflict) {  // a table was changed: nothing has happened
        return Done(status);
      }
    }
    Expected<bool> applied = connection_->Apply(batch);
    return Done(applied.status());
  }

  Status MoveInTransaction(const AtomicBatch& batch) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Transaction> transaction, connection_->Begin());
    KLIP_RETURN_IF_ERROR(transaction->Apply(batch).status());
    return transaction->Commit();
  }

  // From one account to another, both used by all threads: the sum of all accounts is always 0.
  Status Transfer() {
    if (random_.OneIn(2)) {
      return TransferAtOnce();
    }
    const auto level = random_.OneIn(2) ? IsolationLevel::kSnapshot : IsolationLevel::kSerializable;
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Transaction> transaction, connection_->Begin({.isolation = level}));
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> bank, transaction->GetTable("bank"));
    const auto amount = static_cast<int64_t>(random_.Below(1000));
    const std::string from = "account" + std::to_string(random_.Below(20));
    const std::string to = "account" + std::to_string(random_.Below(20));
    KLIP_RETURN_IF_ERROR(bank->Increment(Increment{.row = from}.Add("f", "n", -amount)).status());
    KLIP_RETURN_IF_ERROR(bank->Increment(Increment{.row = to}.Add("f", "n", amount)).status());
    const Status status = transaction->Commit();
    return status.code() == Code::kTransactionConflict ? Status() : status;
  }

  // Without a transaction, between accounts that the other threads use at the same time: increments wait for each other.
  Status TransferAtOnce() {
    const auto amount = static_cast<int64_t>(random_.Below(1000));
    const size_t from = random_.Below(3);
    const size_t to = (from + 1 + random_.Below(2)) % 3;
    AtomicBatch batch;
    batch.steps.push_back({"bank", Increment{.row = "account" + std::to_string(from)}.Add("f", "n", -amount)});
    batch.steps.push_back({"bank", Increment{.row = "account" + std::to_string(to)}.Add("f", "n", amount)});
    return connection_->Apply(batch).status();
  }

  Status Maintain() {
    usleep(static_cast<useconds_t>(random_.Below(20000)));
    Admin& admin = connection_->admin();
    switch (random_.Below(8)) {
      case 0:
        return admin.MajorCompact("base");
      case 1:
        return admin.Compact("index");
      case 2:
      case 3:
        return ChangeTable();
      case 4:
        return ChangeIndex();
      default:
        return admin.Flush(random_.OneIn(2) ? "base" : "index");
    }
  }

  Status ChangeTable() {
    const std::string number = std::to_string(random_.Below(3));
    const std::string item = "tab:" + number;
    const std::string name = "ddl" + number;
    Admin& admin = connection_->admin();
    if (!items_.contains(item) || items_[item] == "-") {
      Intend(item, "yes");
      return Done(admin.CreateTable({.name = name, .families = {{.name = "f"}}}));
    }
    KLIP_ASSIGN_OR_RETURN(bool enabled, admin.IsTableEnabled(name));
    if (enabled) {
      KLIP_RETURN_IF_ERROR(admin.DisableTable(name));
    }
    Intend(item, "-");
    return Done(admin.DeleteTable(name));
  }

  Status ChangeIndex() {
    KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection_->admin().indexes());
    KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> all, indexes->ListIndexes("base"));
    KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse("made", "g:a text INCLUDE f:b"));
    const bool there = std::ranges::any_of(
        all, [&](const IndexInfo& info) { return info.index.name == index.name && !info.building; });
    return there ? indexes->DropIndex("base", index.name) : indexes->CreateIndex("base", index);
  }

  Connection* connection_;
  std::unique_ptr<Table> table_;
  int thread_;
  ops::Random random_;
  Items items_;
  const Listener& listener_;
};

}  // namespace

void RunLoad(Connection* connection, int thread, uint64_t seed, int steps, const Items& items,
             const Listener& listener) {
  Writer(connection, thread, seed, items, listener).Run(steps);
}

}  // namespace klip::crash
