#include "klip/async_table.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "klip/cancel.h"

namespace klip {
namespace {

// Returns rows named after the request. Calls wait at the gate until it opens.
class GatedTable final : public Table {
 public:
  struct Gate {
    void Open() {
      const std::lock_guard lock(mutex);
      open = true;
      changed.notify_all();
    }
    // Waits until so many calls are inside.
    void WaitFor(int wanted) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return inside >= wanted; });
    }
    Status Pass() {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      std::unique_lock lock(mutex);
      most_inside = std::max(most_inside, ++inside);
      ++calls;
      changed.notify_all();
      changed.wait(lock, [&] { return open; });
      --inside;
      return Status::Ok();
    }

    std::mutex mutex;
    std::condition_variable changed;
    bool open = true;
    int inside = 0;
    int most_inside = 0;
    int calls = 0;
    std::vector<size_t> batches;  // their sizes
  };

  explicit GatedTable(Gate* gate) : gate_(gate) {}

  const std::string& name() const override { return name_; }
  Expected<Result> Get(const klip::Get& get) override { return Row(get.row); }
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override {
    std::vector<Result> rows;
    for (const klip::Get& get : gets) {
      KLIP_ASSIGN_OR_RETURN(Result row, Row(get.row));
      rows.push_back(std::move(row));
    }
    return rows;
  }
  Expected<bool> Exists(const klip::Get&) override { return false; }
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override {
    KLIP_RETURN_IF_ERROR(gate_->Pass());
    return std::unique_ptr<ResultScanner>(std::make_unique<Digits>(scan.start_row));
  }
  Expected<klip::Explain> Explain(const klip::Scan&) override { return klip::Explain(); }
  Expected<Result> FirstRow() override { return Result(); }
  Expected<Result> LastRow() override { return Result(); }
  Expected<std::vector<KeyCount>> DistinctKeys(int, bool) override { return std::vector<KeyCount>(); }
  Status Put(const klip::Put& put) override { return Row(put.row).status(); }
  Status Put(std::span<const klip::Put> puts) override { return Row(puts[0].row).status(); }
  Status Delete(const klip::Delete& del) override { return Row(del.row).status(); }
  Expected<Result> Increment(const klip::Increment& increment) override { return Row(increment.row); }
  Expected<Result> Append(const klip::Append& append) override { return Row(append.row); }
  Expected<Result> Mutate(const RowMutations& mutations) override { return Row(mutations.row); }
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override {
    KLIP_ASSIGN_OR_RETURN(Result row, Row(check.row));
    return CheckAndMutateResult{.success = true, .result = std::move(row)};
  }
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override {
    {
      const std::lock_guard lock(gate_->mutex);
      gate_->batches.push_back(actions.size());
    }
    std::vector<Expected<Result>> outcomes;
    for (const Action& action : actions) {
      outcomes.push_back(Row(std::visit([](const auto& one) { return one.row; }, action)));
    }
    return outcomes;
  }
  Expected<uint64_t> Prepend(const klip::Prepend&) override { return uint64_t{0}; }
  Expected<KeyQuery> ParseQuery(std::string_view /*text*/) const override {
    return Status(Code::kUnsupported, "no queries");
  }
  std::optional<RowKeySchema> row_key_schema() const override { return std::nullopt; }
  Expected<TableStatistics> Statistics() override { return TableStatistics(); }

 private:
  // Rows 0 to 9, from the first on.
  class Digits final : public ResultScanner {
   public:
    explicit Digits(const std::string& first) : next_(first.empty() ? '0' : first[0]) {}
    Expected<bool> Next(Result* result) override {
      result->Clear();
      if (next_ > '9') {
        return false;
      }
      result->AppendCopy({.row = {&next_, 1}, .family = "f"});
      ++next_;
      return true;
    }
    ScanStatistics statistics() const override { return {}; }
    klip::Explain explain() const override { return {}; }

   private:
    char next_;
  };

  Expected<Result> Row(const std::string& row) {
    KLIP_RETURN_IF_ERROR(gate_->Pass());
    if (row == "bad") {
      return Status(Code::kIoError, row);
    }
    Result result;
    result.AppendCopy({.row = row, .family = "f"});
    return result;
  }

  const std::string name_ = "gated";
  Gate* const gate_;
};

class AsyncTableTest : public testing::Test {
 protected:
  void Open(AsyncOptions options = {}) {
    table_ = std::make_unique<AsyncTable>(std::make_unique<GatedTable>(&gate_), options);
  }

  GatedTable::Gate gate_;
  std::unique_ptr<AsyncTable> table_;
};

TEST_F(AsyncTableTest, EachCall) {
  Open();
  EXPECT_EQ(table_->name(), "gated");
  std::mutex mutex;
  std::string log;  // in the order of calls, one at a time
  const auto add = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    log += what + " ";
  };
  const auto row = [&](const Expected<Result>& result) {
    add(result.ok() ? std::string(result->row()) : result.status().ToString());
  };
  const auto status = [&](const Status& outcome) { add(outcome.ToString()); };
  const auto rows = [&](const Expected<std::vector<Result>>& results) { add(std::to_string(results->size())); };
  table_->Get(Get{.row = "a"}, row);
  table_->Wait();
  table_->Get(Get{.row = "bad"}, row);
  table_->Wait();
  table_->Get(std::vector<Get>{{.row = "b"}, {.row = "c"}}, rows);
  table_->Wait();
  table_->Put(Put{.row = "bad"}, status);
  table_->Wait();
  table_->Put(std::vector<Put>{{.row = "d"}}, status);
  table_->Wait();
  table_->Delete(Delete{.row = "e"}, status);
  table_->Wait();
  table_->Increment(Increment{.row = "f"}, row);
  table_->Wait();
  table_->Append(Append{.row = "g"}, row);
  table_->Wait();
  table_->Mutate({.row = "h"}, row);
  table_->Wait();
  table_->CheckAndMutate({.row = "i"}, [&](const Expected<CheckAndMutateResult>& outcome) {
    add(outcome->success ? std::string(outcome->result.row()) : "not met");
  });
  table_->Wait();
  table_->Batch({Get{.row = "j"}, Delete{.row = "bad"}}, [&](const std::vector<Expected<Result>>& outcomes) {
    row(outcomes[0]);
    row(outcomes[1]);
  });
  table_->Wait();
  table_->Scan(
      {.start_row = "6"},
      [&](const Result& one) {
        add(std::string(one.row()));
        return one.row() < "8";
      },
      status);
  table_->Wait();
  EXPECT_EQ(log, "a IoError: bad 2 IoError: bad ok ok f g h i j IoError: bad 6 7 8 ok ");
}

TEST_F(AsyncTableTest, SoManyAtATime) {
  Open({.max_threads = 3});
  gate_.open = false;
  std::atomic<int> done{0};
  for (int i = 0; i < 20; ++i) {
    table_->Get(Get{.row = "a"}, [&](const Expected<Result>&) { ++done; });
  }
  gate_.WaitFor(3);
  EXPECT_EQ(done, 0);
  gate_.Open();
  table_->Wait();
  EXPECT_EQ(done, 20);
  EXPECT_EQ(gate_.most_inside, 3);
}

TEST_F(AsyncTableTest, OneMoreThanMayWaitWaitsInItsCaller) {
  Open({.max_threads = 1, .max_waiting = 1});
  gate_.open = false;
  const auto ignore = [](const Status&) {};
  table_->Put(Put{.row = "a"}, ignore);
  table_->Put(Put{.row = "b"}, ignore);
  std::atomic<bool> returned{false};
  std::thread third([&] {
    table_->Put(Put{.row = "c"}, ignore);
    returned = true;
  });
  gate_.WaitFor(1);
  EXPECT_FALSE(returned);
  gate_.Open();
  third.join();
  table_->Wait();
  EXPECT_EQ(gate_.calls, 3);
}

TEST_F(AsyncTableTest, CallbacksMakeFurtherCalls) {
  Open({.max_threads = 1, .max_waiting = 0});
  std::atomic<int> done{0};
  table_->Get(Get{.row = "a"}, [&](const Expected<Result>&) {
    for (int i = 0; i < 5; ++i) {
      table_->Get(Get{.row = "b"}, [&](const Expected<Result>&) { ++done; });
    }
  });
  table_->Wait();
  EXPECT_EQ(done, 5);
}

TEST_F(AsyncTableTest, CancelledWhileItWaits) {
  Open({.max_threads = 1});
  gate_.open = false;
  Status first;
  Status second;
  const CancelToken token = CancelToken::New();
  table_->Put(Put{.row = "a"}, [&](Status status) { first = std::move(status); });
  {
    const CancelScope scope(token);
    table_->Put(Put{.row = "b"}, [&](Status status) { second = std::move(status); });
  }
  gate_.WaitFor(1);
  token.Cancel();
  gate_.Open();
  table_->Wait();
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(second.code(), Code::kCancelled);
  EXPECT_EQ(gate_.calls, 1);
}

// Each gets its own outcome.
TEST_F(AsyncTableTest, WaitingCallsOnRowsGoTogether) {
  Open({.max_threads = 1});
  gate_.open = false;
  std::string log;  // written by the one thread
  const auto row = [&](const Expected<Result>& result) {
    log += (result.ok() ? std::string(result->row()) : result.status().ToString()) + " ";
  };
  const auto status = [&](const Status& outcome) { log += outcome.ToString() + " "; };
  table_->Get(Get{.row = "a"}, row);
  gate_.WaitFor(1);
  table_->Get(Get{.row = "b"}, row);
  table_->Put(Put{.row = "bad"}, status);
  table_->Increment(Increment{.row = "c"}, row);
  table_->Scan({.start_row = "9"}, [](const Result&) { return true; }, status);
  table_->Append(Append{.row = "d"}, row);
  {
    const CancelScope scope(CancelToken::New());
    table_->Get(Get{.row = "e"}, row);
  }
  table_->Delete(Delete{.row = "bad"}, status);
  table_->Mutate({.row = "f"}, row);
  gate_.Open();
  table_->Wait();
  EXPECT_EQ(log, "a b IoError: bad c ok d e IoError: bad f ");
  EXPECT_EQ(gate_.batches, (std::vector<size_t>{3, 2}));
}

// Each thread gets a share: none waits while another does what both could share.
TEST_F(AsyncTableTest, ThreadsShareWhatWaits) {
  Open({.max_threads = 4});
  gate_.open = false;
  std::atomic<int> done{0};
  for (int i = 0; i < 84; ++i) {
    table_->Get(Get{.row = "a"}, [&](const Expected<Result>&) { ++done; });
  }
  gate_.WaitFor(4);
  gate_.Open();
  table_->Wait();
  EXPECT_EQ(done, 84);
  EXPECT_LE(*std::ranges::max_element(gate_.batches), 21);
  EXPECT_GE(gate_.batches.size(), 4);
}

TEST_F(AsyncTableTest, TheEndWaitsForAllCalls) {
  Open({.max_threads = 2});
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    table_->Increment(Increment{.row = "a"}, [&](const Expected<Result>&) { ++done; });
  }
  table_.reset();
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace klip
