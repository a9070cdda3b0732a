// All front ends use the same phases. A hook at each phase is called once per operation, in order, with the locks that
// the phase promises; what it adds belongs to the same commit.
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/store/lock_table.h"
#include "engine/store/views.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"
#include "table/load/hfile_load.h"
#include "table/table_test_util.h"
#include "table/write/row_clock.h"

namespace klip::table {
namespace {

// Records its calls, and whether its table and `row` were locked.
class Recorder : public OperationHooks {
 public:
  Status BeforeWrite(WriteContext& write) override {
    if (before) {
      before(write);
    }
    return Note("before", write);
  }
  Status Locked(WriteContext& write) override {
    if (after_lock) {
      after_lock(write);
    }
    return Status::Ok();
  }
  Status InWrite(WriteContext& write) override {
    if (add) {
      add(write);
    }
    return Note("in", write);
  }
  Status Written(WriteContext& write) override { return Note("written", write); }
  Status AfterWrite(WriteContext& write) override { return Note(write.written() ? "after" : "after nothing", write); }
  Status OnGet(const TableInfo& /*table*/, const klip::Get& get, const RunGet& run, Result* result) override {
    (void)NoteRead("get");
    return run(get, result);
  }
  Expected<std::unique_ptr<ResultScanner>> OnScan(const TableInfo& /*table*/, const klip::Scan& scan,
                                                  const OpenScan& open) override {
    (void)NoteRead("scan");
    return open(scan);
  }

  engine::Store* store = nullptr;
  std::function<void(WriteContext&)> before;
  std::function<void(WriteContext&)> after_lock;
  std::function<void(WriteContext&)> add;
  Status refuse;       // what BeforeWrite returns
  std::string calls;   // "before(free) in(table, row) ..."
  std::string user;    // of the last write
  std::string kind;    // of the last write
  size_t changes = 0;  // of the last write
  std::string row = "r";

 private:
  Status Note(std::string_view phase, WriteContext& write) {
    kind = NameOf(write.kind());
    changes = write.changes().size();
    user = write.caller().user;
    const std::string locked = write.kind() == WriteKind::kBulkLoad
                                   ? row
                                   : std::string(write.changes().empty() ? row : write.changes().front()->row);
    calls += (calls.empty() ? "" : " ") + std::string(phase) + LocksOf(write.table().name(), locked);
    return phase == "before" ? refuse : Status();
  }
  Status NoteRead(std::string_view phase) {
    calls += (calls.empty() ? "" : ", ") + std::string(phase);
    return Status::Ok();
  }
  // Checked by another thread, since a thread must not request a lock that it holds.
  std::string LocksOf(std::string_view table, std::string_view locked_row) const {
    const auto ask = [&]() -> std::string {
      engine::RowLocks own;
      const bool row_free = store->locks().TryLockRows({engine::RowLockIdOf(table, locked_row)}, &own);
      const std::unique_lock whole(store->locks().ForTable(table), std::try_to_lock);
      return whole.owns_lock() ? row_free ? "(free)" : "(row)" : row_free ? "(table)" : "(table, row)";
    };
    return std::async(std::launch::async, ask).get();
  }
};

class OperationTest : public TableTest {
 protected:
  OperationTest() {
    hooks_ = std::make_shared<Recorder>();
    table_.reset();
    connection_.reset();
    auto opened =
        OpenEmbedded(root_ + "/store", options_, {.hooks = [this](const TableDescriptor& descriptor) -> HookChainPtr {
                       return descriptor.attributes.contains("hooked")
                                  ? std::make_shared<const HookChain>(HookChain{hooks_, second_})
                                  : nullptr;
                     }});
    EXPECT_TRUE(opened.ok());
    embedded_ = opened->get();
    connection_ = std::move(*opened);
    hooks_->store = second_->store = embedded_->shared().store.get();
    Create("log", {Family("f")});
    Create("keys", {Family("f")}, {{"hooked", "1"}});
    Create("t", {Family("f")}, {{"hooked", "1"}, {"KLIP_ROW_KEY", "a:text(1)"}}, {"m"});
  }

  EmbeddedTable& Embedded() { return static_cast<EmbeddedTable&>(*table_); }

  // The calls of the first hook during `operation`. The second must have seen the same, each time after the first.
  std::string CallsOf(const std::function<Status()>& operation) {
    hooks_->calls.clear();
    hooks_->user = "alice";
    second_->calls.clear();
    const Caller alice = {.user = "alice", .address = "10.0.0.7:1", .door = Door::kRest};
    const CallerScope scope(&alice);
    EXPECT_EQ(operation().ToString(), "ok");
    EXPECT_EQ(hooks_->user, "alice");
    EXPECT_EQ(hooks_->calls, second_->calls);
    return hooks_->calls;
  }

  EmbeddedConnection* embedded_ = nullptr;
  std::shared_ptr<Recorder> hooks_;
  std::shared_ptr<Recorder> second_ = std::make_shared<Recorder>();
};

Put PutOf(const std::string& row) { return Put{.row = row}.Add("f", "q", "v"); }

TEST_F(OperationTest, EveryDoorOfWritesPassesEveryPhaseOnce) {
  struct Door {
    std::string kind;
    size_t changes;
    std::function<Status()> write;
  };
  const RowCondition absent = RowCondition::IfNotExists("f", "absent");
  const std::vector<Door> doors = {
      {"put", 1, [&] { return table_->Put(PutOf("r")); }},
      {"delete", 1, [&] { return table_->Delete(Delete{.row = "r"}); }},
      {"increment", 1, [&] { return table_->Increment(Increment{.row = "r"}.Add("f", "n")).status(); }},
      {"append", 1, [&] { return table_->Append(Append{.row = "r", .columns = {{"f", "a", "x"}}}).status(); }},
      {"row mutations", 2,
       [&] {
         return table_->Mutate({.row = "r", .mutations = {PutOf("r"), Delete{.row = "r"}.AddColumns("f", "z")}})
             .status();
       }},
      {"check and mutate", 1, [&] { return table_->CheckAndMutate({"r", absent, PutOf("r")}).status(); }},
      {"check and mutate", 2,
       [&] {
         return table_->CheckAndMutate({"r", absent, RowMutations{.row = "r", .mutations = {PutOf("r"), PutOf("r")}}})
             .status();
       }},
      {"batch", 2,
       [&] {
         const std::vector<Action> actions = {PutOf("r"), Delete{.row = "s"}};
         return table_->Batch(actions).back().status();
       }},
      {"batch", 3,
       [&] {
         const std::vector<Put> puts = {PutOf("r"), PutOf("s"), PutOf("t")};
         return table_->Put(puts);
       }},
      {"atomic batch", 1,
       [&] {
         AtomicBatch batch;
         batch.conditions.push_back({"t", "r", absent});
         batch.steps.push_back({"t", PutOf("r")});
         batch.steps.push_back({"log", PutOf("r")});
         return connection_->Apply(batch).status();
       }},
      {"replicated", 1,
       [&] {
         const std::vector<Cell> cells = {
             {.row = "r", .family = "f", .qualifier = "q", .timestamp_ms = 5, .type = CellType::kPut, .value = "v"}};
         return Embedded().Replicate(cells, {});
       }},
  };
  for (const Door& door : doors) {
    EXPECT_EQ(CallsOf(door.write), "before(free) in(table, row) written(table, row) after(free)") << door.kind;
    EXPECT_EQ(hooks_->kind, door.kind);
    EXPECT_EQ(hooks_->changes, door.changes) << door.kind;
  }
}

TEST_F(OperationTest, PrependsAndBulkLoadsPassThemToo) {
  Use("keys");
  EXPECT_EQ(CallsOf([&] {
              return table_->Prepend({.family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}).status();
            }),
            "before(free) in(table, row) written(table, row) after(free)");
  EXPECT_EQ(hooks_->kind, "prepend");
  Use("t");
  const std::string bulk = "before(free) in(table) written(table) after(free)";  // no rows
  EXPECT_EQ(CallsOf([&] {
              auto loader = connection_->NewBulkLoader("t");
              EXPECT_TRUE((*loader)->Add(PutOf("b")).ok());
              return (*loader)->Finish();
            }),
            bulk);
  EXPECT_EQ(hooks_->kind, "bulk load");
  EXPECT_EQ(CallsOf([&]() -> Status {
              KLIP_ASSIGN_OR_RETURN(const auto load, HFileLoad::Open(&embedded_->shared(), "t", {}));
              return load->Run();
            }),
            bulk);
}

TEST_F(OperationTest, EveryDoorOfReadsPassesTheHooks) {
  const std::string get = "get";
  const std::string scan = "scan";
  const auto read_all = [](Expected<std::unique_ptr<ResultScanner>> rows) -> Status {
    KLIP_RETURN_IF_ERROR(rows.status());
    Result row;
    bool more = true;
    while (more) {
      KLIP_ASSIGN_OR_RETURN(more, (*rows)->Next(&row));
    }
    return Status::Ok();
  };
  EXPECT_EQ(CallsOf([&] { return table_->Get(Get{.row = "r"}).status(); }), get);
  EXPECT_EQ(CallsOf([&] { return table_->Exists(Get{.row = "r"}).status(); }), get);
  const std::vector<Get> gets = {Get{.row = "r"}, Get{.row = "s"}};
  EXPECT_EQ(CallsOf([&] { return table_->Get(gets).status(); }), get + ", " + get);
  const std::vector<Action> actions = {Get{.row = "r"}};
  EXPECT_EQ(CallsOf([&] { return table_->Batch(actions).front().status(); }), get);
  EXPECT_EQ(CallsOf([&] { return read_all(table_->Scan({})); }), scan);
  EXPECT_EQ(CallsOf([&] { return read_all(table_->Scan({.threads = 2})); }), scan);
  Scan points;
  points.where = *table_->row_key_schema()->ParseQuery("a=r");
  EXPECT_EQ(CallsOf([&] { return read_all(table_->Scan(points)); }), scan);
  EXPECT_EQ(CallsOf([&] { return table_->FirstRow().status(); }), scan);
  EXPECT_EQ(CallsOf([&] { return table_->LastRow().status(); }), scan);
  EXPECT_EQ(CallsOf([&] { return table_->DistinctKeys(1, false).status(); }), scan);
}

TEST_F(OperationTest, AFailedConditionWritesNothingAndHooksLearnIt) {
  const RowCondition present = RowCondition::IfEquals("f", "absent", "x");
  EXPECT_EQ(CallsOf([&] { return table_->CheckAndMutate({"r", present, PutOf("r")}).status(); }),
            "before(free) after nothing(free)");
  EXPECT_TRUE(table_->Get(Get{.row = "r"})->empty());
}

TEST_F(OperationTest, WhatAHookAddsIsInTheSameCommit) {
  hooks_->add = [](WriteContext& write) { write.Add("log", PutOf("of " + std::string(write.changes().front()->row))); };
  const std::unique_ptr<Table> log = Handle("log");
  CallsOf([&] { return table_->Put(PutOf("r")); });
  EXPECT_FALSE(log->Get(Get{.row = "of r"})->empty());
  // One that cannot be written fails the whole operation.
  hooks_->add = [](WriteContext& write) {
    write.Add("log", PutOf("good"));
    write.Add("log", Put{.row = "bad"}.Add("nothing", "q", "v"));
  };
  const Caller alice = {.user = "alice"};
  const CallerScope scope(&alice);
  EXPECT_EQ(table_->Put(PutOf("s")).code(), Code::kNoSuchColumnFamily);
  EXPECT_TRUE(table_->Get(Get{.row = "s"})->empty());
  EXPECT_TRUE(log->Get(Get{.row = "good"})->empty());
}

TEST_F(OperationTest, RowsThatAHookAddsJoinInOrderWhenTheyAreLocked) {
  std::string added = "x";  // locked before the operation's own row, which is free while the operation waits for it
  while (engine::RowLockIdOf("log", added) > engine::RowLockIdOf("t", "r")) {
    added += "x";
  }
  engine::RowLocks other = hooks_->store->locks().LockRows({engine::RowLockIdOf("log", added)});
  std::promise<void> release;
  int calls = 0;
  hooks_->add = [&](WriteContext& write) {
    if (++calls == 2) {
      EXPECT_NE(hooks_->calls.find("in(table, row)"), std::string::npos);
    }
    write.Add("log", PutOf(added));
    if (calls == 1) {  // the row is released only after the operation has failed to lock it
      release.set_value();
    }
  };
  std::thread releaser([&] {
    release.get_future().wait();
    while (!std::async(std::launch::async, [&] {
              engine::RowLocks own;
              return hooks_->store->locks().TryLockRows({engine::RowLockIdOf("t", "r")}, &own);
            }).get()) {
    }
    other.Release();
  });
  const Caller alice = {.user = "alice"};
  const CallerScope scope(&alice);
  EXPECT_EQ(table_->Put(PutOf("r")).ToString(), "ok");
  releaser.join();
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(Handle("log")->Get(Get{.row = added})->empty());
}

TEST_F(OperationTest, AChangeOfTheTableWaitsForWritersWithinTheirLocks) {
  std::future<Status> change;
  hooks_->add = [&](WriteContext& /*write*/) {
    change = std::async(std::launch::async, [this] { return admin().AddFamily("t", Family("later")); });
    EXPECT_EQ(change.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  };
  EXPECT_TRUE(table_->Put(PutOf("r")).ok());
  EXPECT_TRUE(change.get().ok());
  hooks_->add = nullptr;
  EXPECT_TRUE(table_->Put(Put{.row = "r"}.Add("later", "q", "v")).ok());
}

TEST_F(OperationTest, AHookEditsLeavesOutAndRefusesChanges) {
  class Editor final : public OperationHooks {
   public:
    Status BeforeWrite(WriteContext& write) override {
      for (Change* const change : write.changes()) {
        if (change->row == "skip") {
          change->left_out = true;
        } else if (change->row == "refuse") {
          return {Code::kDoNotRetry, "refused by the hook"};
        } else {
          std::get<klip::Put>(*write.Edit(change)).Add("f", "added", "by the hook");
        }
      }
      return Status::Ok();
    }
  };
  table_.reset();
  connection_.reset();
  connection_ = *OpenEmbedded(root_ + "/store", options_, {.hooks = [](const TableDescriptor& descriptor) {
                                return descriptor.name == "t"
                                           ? std::make_shared<const HookChain>(HookChain{std::make_shared<Editor>()})
                                           : nullptr;
                              }});
  Use("t");
  EXPECT_TRUE(table_->Put(PutOf("r")).ok());
  EXPECT_EQ(table_->Get(Get{.row = "r"})->Value("f", "added"), "by the hook");
  EXPECT_TRUE(table_->Put(PutOf("skip")).ok());
  EXPECT_TRUE(table_->Get(Get{.row = "skip"})->empty());
  EXPECT_EQ(table_->Put(PutOf("refuse")).ToString(), "DoNotRetry: refused by the hook");
}

TEST_F(OperationTest, RequestsAreCountedByRegionWhicheverDoorTheyCameThrough) {
  const auto counts = [&] {
    std::string text;
    for (const engine::Region& region : *(*hooks_->store->views().GetTable("t"))->regions) {
      text += std::to_string(region.requests->reads) + "/" + std::to_string(region.requests->writes) + " ";
    }
    return text;
  };
  EXPECT_EQ(counts(), "0/0 0/0 ");
  const Caller alice = {.user = "alice"};
  const CallerScope scope(&alice);
  const std::vector<Put> puts = {PutOf("a"), PutOf("b"), PutOf("x")};
  EXPECT_TRUE(table_->Put(puts).ok());
  EXPECT_EQ(counts(), "0/2 0/1 ");
  EXPECT_TRUE(table_->Get(Get{.row = "x"}).ok());
  EXPECT_TRUE(table_->Increment(Increment{.row = "x"}.Add("f", "n")).ok());
  EXPECT_EQ(counts(), "0/2 2/2 ");
  Result row;
  for (auto rows = *table_->Scan({}); *rows->Next(&row);) {
  }
  EXPECT_EQ(counts(), "2/2 3/2 ");
  EXPECT_TRUE(table_->CheckAndMutate({"a", RowCondition::IfEquals("f", "q", "other"), PutOf("a")}).ok());
  EXPECT_EQ(counts(), "3/2 3/2 ");  // the condition was read, nothing was written
}

int64_t SystemNowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST_F(OperationTest, AHookLeavesOutChanges) {
  hooks_->before = [](WriteContext& write) {
    for (Change* const change : write.changes()) {
      if (change->row == "skipped") {
        write.LeaveOut(change);
      }
    }
  };
  const std::vector<Put> puts = {PutOf("a"), PutOf("skipped"), PutOf("b")};
  ASSERT_TRUE(table_->Put(puts).ok());
  EXPECT_EQ(hooks_->changes, 2U);
  EXPECT_FALSE(table_->Get(Get{.row = "a"})->empty());
  EXPECT_TRUE(table_->Get(Get{.row = "skipped"})->empty());
  EXPECT_FALSE(table_->Get(Get{.row = "b"})->empty());
}

TEST_F(OperationTest, AHookAnswersInPlaceOfACondition) {
  const CheckAndMutate check = {"r", RowCondition::IfNotExists("f", "q"), PutOf("r")};
  hooks_->before = [](WriteContext& write) { write.Answer(write.condition() == nullptr); };
  EXPECT_FALSE(table_->CheckAndMutate(check)->success);
  hooks_->before = nullptr;
  hooks_->after_lock = [](WriteContext& write) { write.Answer(true); };
  EXPECT_TRUE(table_->CheckAndMutate(check)->success);
  EXPECT_TRUE(table_->Get(Get{.row = "r"})->empty());
  hooks_->after_lock = nullptr;
  EXPECT_TRUE(table_->CheckAndMutate(check)->success);
  EXPECT_FALSE(table_->Get(Get{.row = "r"})->empty());
}

// With the system's clock, hundreds of writes of a row fall into one millisecond.
class RowClockTest : public TableTest {
 protected:
  RowClockTest() {
    options_.clock_ms = nullptr;
    Open();
    Create("t", {Family("f", 1000)});
  }
};

TEST_F(RowClockTest, APutAfterADeleteIsSeenThroughEveryDoor) {
  const std::vector<std::function<Status()>> deletes = {
      [&] { return table_->Delete(Delete{.row = "r"}); },
      [&] { return table_->Mutate({.row = "r", .mutations = {Delete{.row = "r"}.AddFamily("f")}}).status(); },
      [&] {
        const std::vector<Action> actions = {Delete{.row = "r"}.AddColumns("f", "q")};
        return table_->Batch(actions).front().status();
      },
      [&] {
        AtomicBatch batch;
        batch.steps.push_back({"t", Delete{.row = "r"}});
        return connection_->Apply(batch).status();
      }};
  const std::vector<std::function<Status()>> puts = {
      [&] { return table_->Put(PutOf("r")); },
      [&] { return table_->CheckAndMutate({"r", RowCondition::IfNotExists("f", "q"), PutOf("r")}).status(); },
      [&] {
        const std::vector<Action> actions = {PutOf("r")};
        return table_->Batch(actions).front().status();
      },
      [&] { return table_->Append(Append{.row = "r", .columns = {{"f", "q", "v"}}}).status(); }};
  for (int round = 0; round < 25; ++round) {
    for (const auto& del : deletes) {
      for (const auto& put : puts) {
        ASSERT_EQ(put().ToString(), "ok");
        ASSERT_EQ(del().ToString(), "ok");
        ASSERT_TRUE(table_->Get(Get{.row = "r"})->empty());
        ASSERT_EQ(put().ToString(), "ok");
        ASSERT_EQ(table_->Get(Get{.row = "r"})->Value("f", "q"), "v");
        ASSERT_EQ(del().ToString(), "ok");
      }
    }
  }
}

// As in HBase, where no client can write a row twice in a millisecond: a new column gets the timestamp of the replaced
// ones.
TEST_F(RowClockTest, CellsOfOneAppendHaveOneTime) {
  for (int round = 0; round < 200; ++round) {
    const std::string row = std::to_string(round);
    ASSERT_TRUE(table_->Put(Put{.row = row}.Add("f", "a", "v")).ok());
    for (int append = 0; append < 3; ++append) {
      const Expected<Result> made =
          table_->Append(Append{.row = row, .columns = {{"f", "a", "x"}, {"f", "new" + std::to_string(append), "y"}}});
      ASSERT_TRUE(made.ok());
      ASSERT_EQ(made->begin()->timestamp_ms, std::next(made->begin())->timestamp_ms);
    }
  }
}

// A condition may see a cell that is ahead of the clock. A put of the same operation is at least as new, and a later
// delete of its row must be too.
TEST_F(RowClockTest, ADeleteCoversAPutThatAConditionMovedAheadOfTheClock) {
  const int64_t ahead_ms = SystemNowMs() + 5000;
  ASSERT_TRUE(table_->Put(Put{.row = "seen"}.Add("f", "q", "v", ahead_ms)).ok());
  AtomicBatch batch;
  batch.conditions.push_back({"t", "seen", RowCondition::IfEquals("f", "q", "v")});
  batch.steps.push_back({"t", PutOf("other")});
  ASSERT_TRUE(*connection_->Apply(batch));
  ASSERT_EQ(table_->Get(Get{.row = "other"})->begin()->timestamp_ms, ahead_ms);
  ASSERT_TRUE(table_->Delete(Delete{.row = "other"}).ok());
  EXPECT_TRUE(table_->Get(Get{.row = "other"})->empty());
}

// Deletes were made while the clock was a year ahead. Other rows of their locks get the right time, and stay in order.
TEST(RowClock, ForgetsTheTimesOfAClockThatWasSetBack) {
  constexpr int64_t kNowMs = 1'000'000;
  constexpr int64_t kAheadMs = kNowMs + int64_t{365} * 24 * 3600 * 1000;
  engine::RowTime last;
  Remember(kAheadMs, kAheadMs, /*is_delete=*/true, &last);
  EXPECT_EQ(TimeOfChange(last, kAheadMs, /*is_delete=*/false, /*counts=*/false), kAheadMs + 1);
  EXPECT_EQ(TimeOfChange(last, kAheadMs - 5000, /*is_delete=*/false, /*counts=*/false), kAheadMs + 1);
  EXPECT_EQ(TimeOfChange(last, kNowMs, /*is_delete=*/false, /*counts=*/false), kNowMs);
  EXPECT_EQ(TimeOfChange(last, kNowMs, /*is_delete=*/false, /*counts=*/true), kNowMs);
  Remember(kNowMs, kNowMs, /*is_delete=*/true, &last);
  EXPECT_EQ(TimeOfChange(last, kNowMs, /*is_delete=*/false, /*counts=*/false), kNowMs + 1);
}

}  // namespace
}  // namespace klip::table
