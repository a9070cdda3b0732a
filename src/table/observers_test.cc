// Observers and endpoints of an embedded program: when each function is called, what it may do, and the effect of its
// errors.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "klip/coprocessor.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

// Records its calls as "name.hook(row)"; in capitals if locks are held.
class Scribe : public Observer {
 public:
  Scribe(std::string name, std::string* calls) : name_(std::move(name)), calls_(calls) {}

  Status PrePut(ChangeEvent& event, const Put& put) override { return Note(event, "prePut", put.row); }
  Status PreDelete(ChangeEvent& event, const Delete& del) override { return Note(event, "preDelete", del.row); }
  Status PreIncrement(ChangeEvent& event, const Increment& one) override {
    return Note(event, "preIncrement", one.row);
  }
  Status PreAppend(ChangeEvent& event, const Append& one) override { return Note(event, "preAppend", one.row); }
  Status PreBatchMutate(BatchEvent& event) override {
    return Note(event, "preBatch", std::to_string(event.mutations().size()));
  }
  Status PostIncrementBeforeWal(ChangeEvent& event, const Increment& one, std::vector<ComputedCell>* cells) override {
    return Note(event, "newCells", one.row + " " + std::to_string(cells->size()));
  }
  Status PostAppendBeforeWal(ChangeEvent& event, const Append& one, std::vector<ComputedCell>* cells) override {
    return Note(event, "newCells", one.row + " " + std::to_string(cells->size()));
  }
  void PostBatchMutate(BatchEvent& event) override {
    (void)Note(event, "postBatch", std::to_string(event.mutations().size()));
  }
  Status PostPut(ChangeEvent& event, const Put& put) override { return Note(event, "postPut", put.row); }
  Status PostDelete(ChangeEvent& event, const Delete& del) override { return Note(event, "postDelete", del.row); }
  Status PostIncrement(ChangeEvent& event, const Increment& one) override {
    return Note(event, "postIncrement", one.row);
  }
  Status PostAppend(ChangeEvent& event, const Append& one) override { return Note(event, "postAppend", one.row); }
  Status PreCheckAndMutate(BatchEvent& event, const RowCondition& condition) override {
    return Note(event, "preCheck", condition.qualifier);
  }
  Status PreCheckAndMutateAfterRowLock(BatchEvent& event, const RowCondition& condition) override {
    return Note(event, "lockedCheck", condition.qualifier);
  }
  Status PostCheckAndMutate(BatchEvent& event, const RowCondition& /*condition*/) override {
    return Note(event, "postCheck", event.written() ? "written" : "not written");
  }
  Status PreBulkLoad(BulkLoadEvent& event) override { return Note(event, "preBulkLoad", ""); }
  Status PostBulkLoad(BulkLoadEvent& event) override { return Note(event, "postBulkLoad", ""); }
  Expected<bool> PreGet(CoprocessorContext& context, Get* get, Result* /*result*/) override {
    KLIP_RETURN_IF_ERROR(Note(context, "preGet", get->row));
    return false;
  }
  Status PostGet(CoprocessorContext& context, const Get& get, Result* /*result*/) override {
    return Note(context, "postGet", get.row);
  }
  Status PreScannerOpen(CoprocessorContext& context, Scan* /*scan*/) override { return Note(context, "preScan", ""); }
  Expected<std::unique_ptr<ResultScanner>> PostScannerOpen(CoprocessorContext& context, const Scan& /*scan*/,
                                                           std::unique_ptr<ResultScanner> scanner) override {
    KLIP_RETURN_IF_ERROR(Note(context, "postScan", ""));
    return scanner;
  }

 private:
  Status Note(const CoprocessorContext& context, std::string hook, const std::string& what) {
    EXPECT_EQ(context.table().name, "t");
    EXPECT_EQ(context.caller().user, "alice");
    const bool locked = context.connection() == nullptr;
    EXPECT_EQ(context.GetTable("t").ok(), !locked);
    *calls_ += (calls_->empty() ? "" : " ") + name_ + "." + (locked ? "locked:" : "") + hook + "(" + what + ")";
    return Status::Ok();
  }

  const std::string name_;
  std::string* const calls_;
};

class ObserversTest : public TableTest {
 protected:
  // Opens the store with these, and creates table t (family f, regions split at m) and table other.
  void OpenWith(std::vector<ObserverRegistration> observers, std::vector<EndpointRegistration> endpoints = {}) {
    options_.observers = std::move(observers);
    options_.endpoints = std::move(endpoints);
    Open();
    Create("other", {Family("f")});
    Create("t", {Family("f")}, {{"observed", "yes"}}, {"m"});
  }
  void OpenWith(std::shared_ptr<Observer> observer) {
    OpenWith({{.tables = TableNamed("t"), .observer = std::move(observer)}});
  }

  std::string CallsOf(const std::function<Status()>& operation) {
    calls_.clear();
    EXPECT_EQ(operation().ToString(), "ok");
    return calls_;
  }

  const Caller alice_ = {.user = "alice"};
  const CallerScope scope_{&alice_};
  std::string calls_;
};

Put PutX(const std::string& row, const std::string& value = "v") { return Put{.row = row}.Add("f", "q", value); }

TEST_F(ObserversTest, EachHookIsCalledInItsPhase) {
  OpenWith(std::make_shared<Scribe>("a", &calls_));
  EXPECT_EQ(CallsOf([&] { return table_->Put(PutX("r")); }),
            "a.prePut(r) a.locked:preBatch(1) a.locked:postBatch(1) a.postPut(r)");
  EXPECT_EQ(CallsOf([&] { return table_->Delete(Delete{.row = "r"}); }),
            "a.preDelete(r) a.locked:preBatch(1) a.locked:postBatch(1) a.postDelete(r)");
  EXPECT_EQ(CallsOf([&] { return table_->Increment(Increment{.row = "n"}.Add("f", "n")).status(); }),
            "a.preIncrement(n) a.locked:preBatch(1) a.locked:newCells(n 1) a.locked:postBatch(1) a.postIncrement(n)");
  EXPECT_EQ(CallsOf([&] { return table_->Append(Append{.row = "n"}.Add("f", "a", "x")).status(); }),
            "a.preAppend(n) a.locked:preBatch(1) a.locked:newCells(n 1) a.locked:postBatch(1) a.postAppend(n)");
  EXPECT_EQ(CallsOf([&] {
              const std::vector<Action> actions = {PutX("r"), Delete{.row = "s"}};
              return table_->Batch(actions).back().status();
            }),
            "a.prePut(r) a.preDelete(s) a.locked:preBatch(2) a.locked:postBatch(2) a.postPut(r) a.postDelete(s)");
  EXPECT_EQ(CallsOf([&] { return table_->Get(Get{.row = "r"}).status(); }), "a.preGet(r) a.postGet(r)");
  EXPECT_EQ(CallsOf([&] { return table_->Exists(Get{.row = "r"}).status(); }), "a.preGet(r) a.postGet(r)");
  EXPECT_EQ(CallsOf([&] { return table_->Scan({}).status(); }), "a.preScan() a.postScan()");
  EXPECT_EQ(CallsOf([&] {
              auto loader = connection_->NewBulkLoader("t");
              EXPECT_TRUE((*loader)->Add(PutX("b")).ok());
              return (*loader)->Finish();
            }),
            "a.preBulkLoad() a.postBulkLoad()");
}

// Shows the new cells of increments and appends, and does to them what a test says.
class CellEditor : public Observer {
 public:
  using Edit = std::function<Status(const std::string& row, std::vector<ComputedCell>* cells)>;
  explicit CellEditor(Edit edit) : edit_(std::move(edit)) {}

  Status PreBatchMutate(BatchEvent& event) override {
    return add_ ? event.Add("t", Increment{.row = "added"}.Add("f", "n")) : Status::Ok();
  }
  Status PostIncrementBeforeWal(ChangeEvent& event, const Increment& one, std::vector<ComputedCell>* cells) override {
    EXPECT_EQ(event.Edit(), nullptr);
    return edit_(one.row, cells);
  }
  Status PostAppendBeforeWal(ChangeEvent& /*event*/, const Append& one, std::vector<ComputedCell>* cells) override {
    return edit_(one.row, cells);
  }
  bool add_ = false;

 private:
  const Edit edit_;
};

std::string TextOf(const std::vector<ComputedCell>& cells) {
  std::string text;
  for (const ComputedCell& cell : cells) {
    text += (text.empty() ? "" : " ") + cell.family + ":" + cell.qualifier + "=" + ToStringBinary(cell.value);
    text += cell.old == nullptr ? "" : " after " + ToStringBinary(cell.old->value);
  }
  return text;
}

TEST_F(ObserversTest, NewCellsOfIncrementsAndAppendsAreSeenAndReplaced) {
  std::string seen;
  const auto editor = std::make_shared<CellEditor>([&seen](const std::string& row, std::vector<ComputedCell>* cells) {
    seen += (seen.empty() ? "" : "; ") + row + " " + TextOf(*cells);
    if (row == "twice") {
      cells->push_back(cells->front());
      cells->back().qualifier = "copy";
    } else if (row == "none") {
      cells->clear();
    } else if (row == "bad") {
      cells->front().family = "nope";
    } else if (row == "large") {
      cells->front().value.assign(11 << 20, 'x');
    } else if (row == "tags") {
      cells->front().tags = "x";
    } else if (row == "now") {
      cells->front().timestamp_ms = kLatestTimestamp;
    } else if (row == "refused") {
      return Status(Code::kDoNotRetry, "not this one");
    }
    return Status::Ok();
  });
  OpenWith(editor);
  EXPECT_EQ(table_->Append(Append{.row = "twice"}.Add("f", "a", "x").Add("f", "b", "y"))->size(), 2U);
  EXPECT_EQ(table_->Append(Append{.row = "twice"}.Add("f", "a", "z")).status().ToString(), "ok");
  EXPECT_EQ(seen, "twice f:a=x f:b=y; twice f:a=xz after x");
  EXPECT_EQ(table_->Get({.row = "twice"})->Find("f", "copy")->value, "xz");
  EXPECT_EQ(table_->Get({.row = "twice"})->Find("f", "a")->value, "xz");

  seen.clear();
  const Expected<Result> five = table_->Increment(Increment{.row = "none"}.Add("f", "n", 5));
  EXPECT_EQ(five->Find("f", "n")->value, std::string_view("\0\0\0\0\0\0\0\5", 8));  // as HBase answers
  EXPECT_TRUE(table_->Get({.row = "none"})->empty());
  EXPECT_EQ(table_->Increment(Increment{.row = "bad"}.Add("f", "n")).status().code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(table_->Increment(Increment{.row = "refused"}.Add("f", "n")).status().ToString(),
            "DoNotRetry: not this one");
  EXPECT_NE(table_->Increment(Increment{.row = "large"}.Add("f", "n")).status().message().find("too large"),
            std::string::npos);
  EXPECT_NE(table_->Increment(Increment{.row = "tags"}.Add("f", "n")).status().message().find("tags of a cell"),
            std::string::npos);
  EXPECT_TRUE(table_->Increment(Increment{.row = "now"}.Add("f", "n")).ok());
  EXPECT_LT(table_->Get({.row = "now"})->Find("f", "n")->timestamp_ms, kLatestTimestamp);
  EXPECT_TRUE(table_->Get({.row = "bad"})->empty());
  EXPECT_TRUE(table_->Get({.row = "large"})->empty());
  EXPECT_TRUE(table_->Get({.row = "refused"})->empty());

  seen.clear();
  editor->add_ = true;  // what an observer adds is not shown
  const std::vector<Action> actions = {PutX("p"), Increment{.row = "i"}.Add("f", "n", 1),
                                       Append{.row = "twice"}.Add("f", "b", "w")};
  for (const auto& result : table_->Batch(actions)) {
    EXPECT_EQ(result.status().ToString(), "ok");
  }
  EXPECT_EQ(seen, "i f:n=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01; twice f:b=yw after y");
  EXPECT_EQ(table_->Get({.row = "added"})->size(), 1U);

  seen.clear();
  editor->add_ = false;
  const RowMutations changes = {.row = "twice", .mutations = {Append{.row = "twice"}.Add("f", "c", "1")}};
  EXPECT_TRUE(table_->CheckAndMutate({"twice", RowCondition::IfNotExists("f", "c"), changes})->success);
  EXPECT_FALSE(table_->CheckAndMutate({"twice", RowCondition::IfNotExists("f", "c"), changes})->success);
  EXPECT_EQ(seen, "twice f:c=1");
}

TEST_F(ObserversTest, ACheckAndMutateHasHooksOfItsOwnAndPutsUnderItsRowLock) {
  OpenWith(std::make_shared<Scribe>("a", &calls_));
  const auto check = [&] {
    return table_->CheckAndMutate({"r", RowCondition::IfNotExists("f", "q"), PutX("r")}).status();
  };
  EXPECT_EQ(CallsOf(check),
            "a.preCheck(q) a.locked:lockedCheck(q) a.locked:prePut(r) a.locked:preBatch(1) a.locked:postBatch(1) "
            "a.postPut(r) a.postCheck(written)");
  EXPECT_EQ(CallsOf(check), "a.preCheck(q) a.locked:lockedCheck(q) a.postCheck(not written)");
}

TEST_F(ObserversTest, CellsOfReplicationComeAsPutsAndDeletes) {
  OpenWith(std::make_shared<Scribe>("a", &calls_));
  const std::vector<Cell> cells = {
      {.row = "r", .family = "f", .qualifier = "p", .timestamp_ms = 5, .type = CellType::kDeleteColumn},
      {.row = "r", .family = "f", .qualifier = "q", .timestamp_ms = 5, .type = CellType::kPut, .value = "v"}};
  EXPECT_EQ(CallsOf([&] { return static_cast<EmbeddedTable&>(*table_).Replicate(cells, {}); }),
            "a.prePut(r) a.preDelete(r) a.locked:preBatch(2) a.locked:postBatch(2) a.postPut(r) a.postDelete(r)");
}

TEST_F(ObserversTest, ObserversAreCalledByPriorityAndOnlyOfTheirTables) {
  const auto scribe = [this](const char* name) { return std::make_shared<Scribe>(name, &calls_); };
  OpenWith({{.tables = TableNamed("t"), .observer = scribe("late")},
            {.tables = TableNamed("other"), .observer = scribe("none")},
            {.tables = [](const TableDescriptor& table) { return table.attributes.contains("observed"); },
             .observer = scribe("later")},
            {.tables = TableNamed("t"), .observer = scribe("early"), .priority = 7}});
  EXPECT_EQ(CallsOf([&] { return table_->Get(Get{.row = "r"}).status(); }),
            "early.preGet(r) late.preGet(r) later.preGet(r) early.postGet(r) late.postGet(r) later.postGet(r)");
}

TEST_F(ObserversTest, BeforeAPutItMayBeEditedBypassedOrRefused) {
  class Editor final : public Observer {
    Status PrePut(ChangeEvent& event, const Put& put) override {
      if (put.row == "refuse") {
        return {Code::kDoNotRetry, "not this one"};
      }
      if (put.row == "skip") {
        event.Bypass();
        return Status::Ok();
      }
      Put& mine = std::get<Put>(*event.Edit());
      mine.Add("f", "by", std::string(event.caller().user));
      mine.row = put.row == "move" ? "elsewhere" : mine.row;
      return Status::Ok();
    }
  };
  const auto scribe = std::make_shared<Scribe>("a", &calls_);
  OpenWith({{.tables = TableNamed("t"), .observer = std::make_shared<Editor>()},
            {.tables = TableNamed("t"), .observer = scribe}});
  EXPECT_EQ(CallsOf([&] {
              const std::vector<Put> puts = {PutX("r"), PutX("skip")};
              return table_->Put(puts);
            }),
            "a.prePut(r) a.locked:preBatch(1) a.locked:postBatch(1) a.postPut(r) a.postPut(skip)");
  EXPECT_EQ(GetText("r"), "f:by@1000000=alice f:q@1000000=v");
  EXPECT_EQ(GetText("skip"), "");
  const std::vector<Put> refused = {PutX("s"), PutX("refuse")};
  EXPECT_EQ(table_->Put(refused).ToString(), "DoNotRetry: not this one");
  EXPECT_EQ(GetText("s"), "");
  EXPECT_EQ(table_->Put(PutX("move")).ToString(),
            "DoNotRetry: an observer has changed the row or the kind of a mutation of row move");
}

TEST_F(ObserversTest, WhatIsAddedInABatchIsWrittenInTheSameCommit) {
  class Counter final : public Observer {
    Status PreBatchMutate(BatchEvent& event) override {
      for (const MutationRef& one : event.mutations()) {
        const std::string row = std::visit([](const auto* mutation) { return mutation->row; }, one);
        Result before;
        KLIP_RETURN_IF_ERROR(event.Get("t", {.row = row}, &before));
        if (row == "bad") {
          KLIP_RETURN_IF_ERROR(event.Add("other", Put{.row = "x"}.Add("no", "q", "v")));
        }
        KLIP_RETURN_IF_ERROR(event.Add("other", PutX(row, before.empty() ? "new" : "old")));
      }
      return Status::Ok();
    }
    Status PreCheckAndMutate(BatchEvent& event, const RowCondition& /*condition*/) override {
      return event.Add("other", PutX("r"));
    }
  };
  OpenWith(std::make_shared<Counter>());
  const auto other = Handle("other");
  EXPECT_TRUE(table_->Put(PutX("r")).ok());
  EXPECT_EQ(other->Get(Get{.row = "r"})->Value("f", "q"), "new");
  EXPECT_TRUE(table_->Put(PutX("r")).ok());
  EXPECT_EQ(other->Get(Get{.row = "r"})->Value("f", "q"), "old");
  EXPECT_EQ(table_->Put(PutX("bad")).code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(GetText("bad"), "");
  EXPECT_EQ(table_->CheckAndMutate({"r", RowCondition::IfNotExists("f", "q"), PutX("r")}).status().code(),
            Code::kUnsupported);
}

// All writers add a change of the same row: a writer that finds it locked starts again, with the current changes of its
// observer.
TEST_F(ObserversTest, WhatIsAddedIsWrittenOnceByEachOfManyWriters) {
  class Totals final : public Observer {
    Status PreBatchMutate(BatchEvent& event) override {
      for (const MutationRef& one : event.mutations()) {
        KLIP_RETURN_IF_ERROR(event.Add("other", PutX(std::get<const Put*>(one)->row)));
      }
      const auto count = static_cast<int64_t>(event.mutations().size());
      return event.Add("other", Increment{.row = "total"}.Add("f", "n", count));
    }
  };
  constexpr int kWriters = 8;
  constexpr int kPuts = 50;
  OpenWith(std::make_shared<Totals>());
  std::vector<std::thread> writers;
  std::atomic<int> failures = 0;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer, &failures] {
      for (int i = 0; i < kPuts; ++i) {
        const std::vector<Put> puts = {PutX(std::to_string(writer) + "a" + std::to_string(i)),
                                       PutX(std::to_string(writer) + "b" + std::to_string(i))};
        failures += table_->Put(puts).ok() ? 0 : 1;
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(failures, 0);
  const auto other = Handle("other");
  EXPECT_EQ(other->Get(Get{.row = "total"})->Value("f", "n"), Number(kWriters * kPuts * 2));
  EXPECT_EQ(RowsText(*other, {}), RowsText({}) + " total");
}

TEST_F(ObserversTest, InABatchMutationsAreEditedAndBypassed) {
  class Editor final : public Observer {
    Status PreBatchMutate(BatchEvent& event) override {
      event.Bypass(0);
      std::get<Put>(*event.Edit(1)).columns.front().value = "edited";
      EXPECT_EQ(std::get<const Put*>(event.mutations()[1])->columns.front().value, "edited");
      return Status::Ok();
    }
  };
  OpenWith(std::make_shared<Editor>());
  const std::vector<Put> puts = {PutX("a"), PutX("b"), PutX("c")};
  EXPECT_TRUE(table_->Put(puts).ok());
  EXPECT_EQ(RowsText({}), "b c");
  EXPECT_EQ(table_->Get(Get{.row = "b"})->Value("f", "q"), "edited");
}

TEST_F(ObserversTest, AnObserverAnswersInPlaceOfACondition) {
  class Judge final : public Observer {
    Status PreCheckAndMutate(BatchEvent& event, const RowCondition& condition) override {
      if (condition.qualifier == "before") {
        event.Answer(true);
      }
      return Status::Ok();
    }
    Status PreCheckAndMutateAfterRowLock(BatchEvent& event, const RowCondition& condition) override {
      if (condition.qualifier == "locked") {
        event.Answer(true);
      }
      return Status::Ok();
    }
    Status PostCheckAndMutate(BatchEvent& event, const RowCondition& condition) override {
      if (condition.qualifier == "after") {
        event.Answer(false);
      }
      return Status::Ok();
    }
  };
  const auto scribe = std::make_shared<Scribe>("a", &calls_);
  OpenWith({{.tables = TableNamed("t"), .observer = std::make_shared<Judge>()},
            {.tables = TableNamed("t"), .observer = scribe}});
  const auto check = [&](const std::string& qualifier) {
    bool success = false;
    const std::string calls = CallsOf([&]() -> Status {
      KLIP_ASSIGN_OR_RETURN(const CheckAndMutateResult result,
                            table_->CheckAndMutate({"r", RowCondition::IfNotExists("f", qualifier), PutX("r")}));
      success = result.success;
      return Status::Ok();
    });
    return (success ? "true " : "false ") + calls;
  };
  EXPECT_EQ(check("before"), "true ");
  EXPECT_EQ(GetText("r"), "");
  EXPECT_EQ(check("locked"), "true a.preCheck(locked) a.postCheck(not written)");
  EXPECT_EQ(GetText("r"), "");
  EXPECT_EQ(check("after").substr(0, 6), "false ");
  EXPECT_EQ(GetText("r"), "f:q@1000000=v");
}

TEST_F(ObserversTest, AfterAWriteAnObserverMayCallAnythingAndItsErrorIsTheCallers) {
  class Copier final : public Observer {
    Status PostPut(ChangeEvent& event, const Put& put) override {
      KLIP_ASSIGN_OR_RETURN(const auto other, event.GetTable(put.row == "lost" ? "nowhere" : "other"));
      KLIP_RETURN_IF_ERROR(other->Put(PutX("of " + put.row)));
      KLIP_ASSIGN_OR_RETURN(const auto own, event.connection()->GetTable("t"));
      return own->Delete(Delete{.row = put.row + " of old"});
    }
    Status PostIncrement(ChangeEvent& event, const Increment& /*increment*/) override {
      event.result()->Clear();
      EXPECT_EQ(event.Edit(), nullptr);
      return Status::Ok();
    }
  };
  OpenWith(std::make_shared<Copier>());
  EXPECT_TRUE(table_->Put(PutX("r")).ok());
  EXPECT_EQ(RowsText(*Handle("other"), {}), "of r");
  EXPECT_EQ(table_->Put(PutX("lost")).code(), Code::kTableNotFound);
  EXPECT_EQ(GetText("lost"), "f:q@1000000=v");  // it is written
  EXPECT_EQ(Show(table_->Increment(Increment{.row = "n"}.Add("f", "n"))), "");
}

TEST_F(ObserversTest, AWriteUnderLocksIsRefusedAndDoesNotWaitForItself) {
  class Captor final : public Observer {
   public:
    Status PreBatchMutate(BatchEvent& /*event*/) override {
      before = other->Put(PutX("r"));
      return Status::Ok();
    }
    void PostBatchMutate(BatchEvent& /*event*/) override { behind = other->Put(PutX("r")); }
    Status PostPut(ChangeEvent& /*event*/, const Put& /*put*/) override {
      after = other->Put(PutX("r"));
      return Status::Ok();
    }

    Table* other = nullptr;
    Status before;
    Status behind;
    Status after;
  };
  const auto captor = std::make_shared<Captor>();
  OpenWith(captor);
  const auto other = Handle("other");
  captor->other = other.get();
  EXPECT_TRUE(table_->Put(PutX("r")).ok());
  EXPECT_EQ(captor->before.code(), Code::kUnsupported);
  EXPECT_EQ(captor->behind.code(), Code::kUnsupported);
  EXPECT_EQ(captor->after.ToString(), "ok");
}

TEST_F(ObserversTest, ReadsMayBeChangedAndAnswered) {
  class Veil final : public Observer {
   public:
    class First final : public ResultScanner {
     public:
      explicit First(std::unique_ptr<ResultScanner> rows) : rows_(std::move(rows)) {}
      Expected<bool> Next(Result* result) override { return count_++ > 0 ? false : rows_->Next(result); }
      ScanStatistics statistics() const override { return rows_->statistics(); }
      klip::Explain explain() const override { return rows_->explain(); }

     private:
      const std::unique_ptr<ResultScanner> rows_;
      int count_ = 0;
    };

    Expected<bool> PreGet(CoprocessorContext& /*context*/, Get* get, Result* result) override {
      if (get->row == "made up") {
        result->AppendCopy({.row = "made up", .family = "f", .qualifier = "q", .timestamp_ms = 1, .value = "x"});
        return true;
      }
      if (get->row == "secret") {
        return Status(Code::kDoNotRetry, "no");
      }
      get->row = get->row == "alias" ? "r" : get->row;
      return false;
    }
    Status PostGet(CoprocessorContext& /*context*/, const Get& /*get*/, Result* result) override {
      result->Truncate(std::min<size_t>(result->size(), 1));
      return Status::Ok();
    }
    Status PreScannerOpen(CoprocessorContext& /*context*/, Scan* scan) override {
      scan->start_row = "b";
      return Status::Ok();
    }
    Expected<std::unique_ptr<ResultScanner>> PostScannerOpen(CoprocessorContext& /*context*/, const Scan& scan,
                                                             std::unique_ptr<ResultScanner> scanner) override {
      return std::unique_ptr<ResultScanner>(scan.reversed ? nullptr : std::make_unique<First>(std::move(scanner)));
    }
  };
  OpenWith(std::make_shared<Veil>());
  const std::vector<Put> puts = {PutX("a"), PutX("b"), PutX("c"), PutX("r").Add("f", "second", "v")};
  EXPECT_TRUE(table_->Put(puts).ok());
  EXPECT_EQ(GetText("alias"), "f:q@1000000=v");
  EXPECT_EQ(GetText("made up"), "f:q@1=x");
  EXPECT_EQ(GetText("secret"), "DoNotRetry: no");
  EXPECT_EQ(RowsText({}), "b");
  EXPECT_EQ(RowsText(Scan{.reversed = true}), "DoNotRetry: an observer of table 't' has returned no scanner");
}

TEST_F(ObserversTest, BadRegistrationsAreRefused) {
  const auto code = [this](ConnectionOptions options) {
    return Connection::Open("klip:" + root_ + "/fresh", options).status().code();
  };
  const auto scribe = std::make_shared<Scribe>("a", &calls_);
  EXPECT_EQ(code({.observers = {{.tables = nullptr, .observer = scribe}}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.observers = {{.tables = TableNamed("t"), .observer = nullptr}}}), Code::kInvalidArgument);
  EXPECT_EQ(code({.observers = {{.tables = TableNamed("t"), .observer = scribe, .priority = -1}}}),
            Code::kInvalidArgument);
  EXPECT_EQ(code({.endpoints = {{.tables = TableNamed("t"), .service = "s", .endpoint = nullptr}}}),
            Code::kInvalidArgument);
  EXPECT_EQ(Connection::Open("hbase+rpc://127.0.0.1:1", {.observers = {{TableNamed("t"), scribe}}}).status().code(),
            Code::kInvalidArgument);
}

// Answers "method(request) of [start, end)".
class Echo final : public Endpoint {
 public:
  Expected<std::string> Call(EndpointContext& context, std::string_view method, std::string_view request) override {
    if (method == "Fail") {
      return Status(Code::kUnsupported, "no method Fail");
    }
    KLIP_ASSIGN_OR_RETURN(const auto other, context.GetTable("other"));
    KLIP_RETURN_IF_ERROR(other->Put(PutX("called")));
    return std::string(method) + "(" + std::string(request) + ") of [" + context.start_key() + "," + context.end_key() +
           ") of " + context.table().name;
  }
};

TEST_F(ObserversTest, EndpointsAreCalledInTheRegionsOfTheirTables) {
  OpenWith({}, {{.tables = TableNamed("t"), .service = "Echo", .endpoint = std::make_shared<Echo>()}});
  const auto call = [this](const EndpointRequest& request) {
    const auto answers = table_->CallEndpoint(request);
    std::string out;
    if (!answers.ok()) {
      return answers.status().ToString();
    }
    for (const EndpointAnswer& answer : *answers) {
      out += (out.empty() ? "" : "; ") + answer.start_key + ": " + answer.bytes;
    }
    return out;
  };
  EXPECT_EQ(call({.service = "Echo", .method = "Say", .request = "hi"}),
            ": Say(hi) of [,m) of t; m: Say(hi) of [m,) of t");
  EXPECT_EQ(call({.service = "Echo", .method = "Say", .start_row = "a", .stop_row = "a"}), ": Say() of [,m) of t");
  EXPECT_EQ(call({.service = "Echo", .method = "Say", .start_row = "m"}), "m: Say() of [m,) of t");
  EXPECT_EQ(call({.service = "Echo", .method = "Say", .stop_row = "m"}), ": Say() of [,m) of t; m: Say() of [m,) of t");
  EXPECT_EQ(call({.service = "Echo", .method = "Fail"}), "Unsupported: no method Fail");
  EXPECT_EQ(RowsText(*Handle("other"), {}), "called");
  EXPECT_EQ(call({.service = "Other", .method = "Say"}),
            "Unsupported: No registered coprocessor service found for Other in table 't'");
  Use("other");
  EXPECT_EQ(call({.service = "Echo", .method = "Say"}),
            "Unsupported: No registered coprocessor service found for Echo in table 'other'");
  EXPECT_TRUE(admin().DisableTable("other").ok());
  EXPECT_EQ(table_->CallEndpoint({.service = "Echo"}).status().code(), Code::kTableNotEnabled);
}

}  // namespace
}  // namespace klip::table
