// Operations on tables with Java classes: what the host answers, and what happens without a class.
#include "coprocessor/java_hooks.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "coprocessor/coprocessors.h"
#include "coprocessor/fake_host_test.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"

namespace klip::coprocessor {
namespace {

constexpr uint64_t kRegion = 1;

Put PutOf(const std::string& row) { return Put{.row = row}.Add("f", "q", row); }

class JavaHooksTest : public testing::Test {
 protected:
  // A host that opens regions with a class that overrides these hooks. `left_out`: it could not load others.
  void Start(const std::vector<std::string>& hooks, const std::vector<std::string>& left_out = {}) {
    FrameWriter open;
    open.U64(kRegion).U32(hooks.size());
    for (const std::string& hook : hooks) {
      open.Text(hook);
    }
    open.U32(0).U32(0).U32(left_out.size());
    for (const std::string& why : left_out) {
      open.Text(why);
    }
    std::map<Method, FrameWriter> answers;
    answers[Method::kOpen] = std::move(open);
    host_ = std::make_unique<FakeHost>(
        socket_, std::move(answers),
        std::map<Method, FakeHost::Hook>{
            {Method::kWrite, [this](FrameReader* call, const FakeHost::Ask& klip) { return OnWrite(call, klip); }}});
    coprocessors_.Listen(
        {.unloaded = [this](const Unloaded& table) { told_.push_back(table.table + ": " + table.why); },
         .aborted = [this](const std::string& why) { told_.push_back("aborts: " + why); }});
    connection_ = *table::OpenEmbedded(temp_.path() + "/store", {.sync_wal = false}, coprocessors_.ForStore());
    ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
    ASSERT_TRUE(connection_->admin()
                    .CreateTable({.name = "t",
                                  .families = {{.name = "f"}},
                                  .attributes = {{"coprocessor$1", "|com.acme.Observer|1001|"}}})
                    .ok());
    ASSERT_TRUE(connection_->admin().CreateTable({.name = "plain", .families = {{.name = "f"}}}).ok());
    table_ = *connection_->GetTable("t");
  }
  void TearDown() override {
    table_.reset();
    coprocessors_.Stop();
    connection_.reset();
  }

  FrameWriter OnWrite(FrameReader* call, const FakeHost::Ask& klip) {
    const uint8_t phase = call->U8();
    call->U8();
    call->U32();
    phases_ += std::to_string(phase);
    if (phase == 5) {
      phases_ += "(" + std::to_string(call->U8()) + ")";
      FrameWriter answer;
      answer.U8(0).U8(0).U8(0).U8(0).U8(0);
      return answer;
    }
    return answer_ ? answer_(phase, klip) : Unchanged(phase, 1);
  }
  static FrameWriter Unchanged(uint8_t phase, int mutations) {
    FrameWriter answer;
    if (phase < 3) {
      answer.U8(0);
    }
    for (int i = 0; i < mutations; ++i) {
      answer.U8(0);
    }
    answer.U32(0);
    return answer;
  }

  static FrameWriter Mutate(const std::vector<Put>& puts) {
    FrameWriter call;
    call.U64(kRegion).U8(0).U8(0).U32(puts.size());
    for (const Put& put : puts) {
      hbase::pb::MutationProto message;
      messages::FillMutation(put, {.cells = call.cells(), .codec = kCodec}, &message);
      call.Message(message);
    }
    return call;
  }

  bool Has(const std::string& row) { return *table_->Exists(Get{.row = row}); }

  const TempDirectory temp_;
  const std::string socket_ = temp_.path() + "/host";
  Coprocessors coprocessors_{{.socket = socket_}, /*off=*/false};
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<table::EmbeddedConnection> connection_;
  std::unique_ptr<Table> table_;
  std::function<FrameWriter(uint8_t phase, const FakeHost::Ask& klip)> answer_;
  std::string phases_;
  std::vector<std::string> told_;
};

TEST_F(JavaHooksTest, NothingRunsWithoutAClassThatCannotBeLoaded) {
  Start({}, {"com.acme.Observer: java.lang.ClassNotFoundException: com.acme.Observer"});
  const std::string why =
      "table 't' can be neither read nor written, because a coprocessor was not loaded: com.acme.Observer: "
      "java.lang.ClassNotFoundException: com.acme.Observer. Repair it and alter the table, or restart with "
      "--no-coprocessors";
  EXPECT_EQ(table_->Put(PutOf("a")).message(), why);
  EXPECT_EQ(table_->Get(Get{.row = "a"}).status().message(), why);
  EXPECT_EQ(table_->Scan({}).status().message(), why);
  EXPECT_EQ(table_->Increment(Increment{.row = "a"}.Add("f", "n")).status().message(), why);
  EXPECT_EQ((*connection_->GetTable("plain"))->Put(PutOf("a")).ToString(), "ok");
  EXPECT_EQ(told_,
            std::vector<std::string>{"t: com.acme.Observer: java.lang.ClassNotFoundException: com.acme.Observer"});
  ASSERT_EQ(coprocessors_.UnloadedTables().size(), 1U);
  // Until the table no longer names it.
  ASSERT_TRUE(connection_->admin().ModifyTable({.name = "t", .families = {{.name = "f"}}}).ok());
  EXPECT_TRUE(coprocessors_.UnloadedTables().empty());
  EXPECT_EQ((*connection_->GetTable("t"))->Put(PutOf("a")).ToString(), "ok");
}

TEST_F(JavaHooksTest, TheServerOfAClassThatMayNotFailEnds) {
  Start({"prePut"});
  answer_ = [](uint8_t, const FakeHost::Ask&) { return FrameWriter(); };
  // HBase's server throws this when it ends.
  host_->Fail(Method::kWrite, Status::OfJava("org.apache.hadoop.hbase.regionserver.RegionServerAbortedException",
                                             "planned", /*retryable=*/true));
  EXPECT_EQ(table_->Put(PutOf("a")).message(), "planned");
  EXPECT_EQ(table_->Put(PutOf("a")).message(), "planned");
  EXPECT_EQ(told_, std::vector<std::string>{"aborts: planned"});
  EXPECT_EQ(coprocessors_.abort_reason(), "planned");
}

TEST_F(JavaHooksTest, AStatusIsThatOfOneMutationOfAList) {
  Start({"preBatchMutate", "postPut"});
  answer_ = [](uint8_t, const FakeHost::Ask&) {
    FrameWriter answer;
    answer.U8(0).U8(4).Text("org.apache.hadoop.hbase.DoNotRetryIOException").Text("planned").U8(1).U8(0).U32(0);
    return answer;
  };
  const std::vector<Action> actions = {PutOf("a"), PutOf("b"), PutOf("c")};
  const std::vector<Expected<Result>> outcomes = table_->Batch(actions);
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_EQ(outcomes[1].status().message(), "planned");
  EXPECT_EQ(outcomes[1].status().code(), Code::kDoNotRetry);
  EXPECT_TRUE(outcomes[2].ok());
  EXPECT_TRUE(Has("a"));
  EXPECT_FALSE(Has("b"));
  EXPECT_TRUE(Has("c"));
  EXPECT_EQ(phases_, "35(1)");
}

TEST_F(JavaHooksTest, AHookMayPutDeleteMarkersIntoAPut) {
  Start({"prePut", "postPut"});
  ASSERT_EQ((*connection_->GetTable("plain"))->Put(PutOf("a")).ToString(), "ok");
  answer_ = [](uint8_t, const FakeHost::Ask&) {
    FrameWriter answer;
    answer.U8(0).U8(1);
    hbase::pb::MutationProto message;
    message.set_row("a");
    message.set_mutate_type(hbase::pb::MutationProto::PUT);
    message.set_associated_cell_count(2);
    rpc::AppendCell({"a", "f", "new", kLatestTimestamp, CellType::kPut, "v"}, kCodec, answer.cells());
    rpc::AppendCell({"a", "f", "old", kLatestTimestamp, CellType::kDeleteColumn, ""}, kCodec, answer.cells());
    answer.Message(message);
    return answer;
  };
  ASSERT_EQ(table_->Put(Put{.row = "a"}.Add("f", "old", "v")).ToString(), "ok");
  const Result row = *table_->Get(Get{.row = "a"});
  ASSERT_EQ(row.size(), 1U);
  EXPECT_EQ(row.begin()->qualifier, "new");
  EXPECT_EQ(phases_, "15(1)");
}

TEST_F(JavaHooksTest, AHookMayWriteItsRegionWhileRowsAreLocked) {
  Start({"preCheckAndMutateAfterRowLock"});
  std::string outcome;
  answer_ = [&](uint8_t phase, const FakeHost::Ask& klip) {
    FrameReader nested = klip(Method::kRegionMutate, Mutate({PutOf("a"), PutOf("other")}));
    outcome = nested.kind() == FrameKind::kError ? ReadError(&nested).ToString() : "ok";
    return Unchanged(phase, 1);
  };
  const RowCondition absent = RowCondition::IfNotExists("f", "own");
  const Put own = Put{.row = "a"}.Add("f", "own", "v");
  EXPECT_TRUE(table_->CheckAndMutate({"a", absent, own})->success);
  EXPECT_EQ(outcome, "ok");
  EXPECT_EQ(table_->Get(Get{.row = "a"})->size(), 2U);
  EXPECT_TRUE(Has("other"));
}

TEST_F(JavaHooksTest, AnExceptionAfterTheCommitIsTheClients) {
  Start({"postBatchMutate", "postPut", "postBatchMutateIndispensably"});
  host_->Fail(Method::kWrite, Status::OfJava("java.io.IOException", "planned", /*retryable=*/true));
  EXPECT_EQ(table_->Put(PutOf("a")).message(), "planned");
  EXPECT_TRUE(Has("a"));
}

TEST_F(JavaHooksTest, HooksLearnOnceWhetherABatchWasWritten) {
  Start({"preBatchMutate", "postBatchMutateIndispensably", "postCheckAndMutate"});
  EXPECT_EQ(table_->Put(PutOf("a")).ToString(), "ok");
  EXPECT_EQ(phases_, "35(1)");
  phases_.clear();
  const RowCondition absent = RowCondition::IfNotExists("f", "q");
  EXPECT_FALSE(table_->CheckAndMutate({"a", absent, PutOf("a")})->success);
  EXPECT_EQ(phases_, "5(0)");  // the condition did not hold: only postCheckAndMutate
  phases_.clear();
  answer_ = [](uint8_t, const FakeHost::Ask&) {
    FrameWriter answer;
    answer.U8(9);  // no verdict
    return answer;
  };
  EXPECT_FALSE(table_->Put(PutOf("b")).ok());
  EXPECT_EQ(phases_, "35(2)");
}

}  // namespace
}  // namespace klip::coprocessor
