// Classes of the configuration: of the master, the region server and the log.
#include "coprocessor/coprocessors.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "coprocessor/fake_host_test.h"

namespace klip::coprocessor {
namespace {

class CoprocessorsTest : public testing::Test {
 protected:
  // A host whose classes override these hooks.
  void Start(const std::vector<std::string>& master_hooks, const std::vector<std::string>& log_hooks,
             const std::vector<std::string>& server_hooks = {}) {
    FrameWriter start;
    for (const std::vector<std::string>& hooks : {server_hooks, master_hooks, log_hooks}) {
      start.U32(hooks.size());
      for (const std::string& hook : hooks) {
        start.Text(hook);
      }
    }
    start.U32(0).U32(0).Text("2.6.4");
    FrameWriter changed;
    changed.U8(2).U32(0).U32(1).U8('s').Text("default");
    std::map<Method, FrameWriter> answers;
    answers[Method::kStart] = std::move(start);
    answers[Method::kMaster] = std::move(changed);
    host_ = std::make_unique<FakeHost>(socket_, std::move(answers));
    connection_ = *table::OpenEmbedded(temp_.path() + "/store", {.sync_wal = false}, coprocessors_.ForStore());
  }
  void TearDown() override {
    coprocessors_.Stop();
    connection_.reset();
  }

  const TempDirectory temp_;
  const std::string socket_ = temp_.path() + "/host";
  Coprocessors coprocessors_{
      {.socket = socket_,
       .configuration = {{"hbase.coprocessor.master.classes", "a.B"}, {"hbase.coprocessor.wal.classes", "a.B"}}},
      false};
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<table::EmbeddedConnection> connection_;
};

TEST_F(CoprocessorsTest, TellsWhichHooksAreNotCalled) {
  Start({"preShutdown"}, {"preWALWrite"}, {"preExecuteProcedures"});
  ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
  EXPECT_EQ(coprocessors_.UncalledHooks(), std::vector<std::string>{"preExecuteProcedures"});
}

TEST_F(CoprocessorsTest, TheLogsHooksSeeEachCommitOfEachRegion) {
  Start({}, {"preWALWrite", "postWALWrite"});
  ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
  const std::vector<std::string> splits = {"m"};
  ASSERT_TRUE(connection_->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}, splits).ok());
  const std::unique_ptr<Table> table = *connection_->GetTable("t");
  const auto calls_of = [&](const std::vector<Put>& puts) {
    const int before = host_->calls(Method::kServerEvent);
    EXPECT_EQ(table->Put(puts).ToString(), "ok");
    return host_->calls(Method::kServerEvent) - before;
  };
  const Put one = Put{.row = "a"}.Add("f", "q", "v");
  EXPECT_EQ(calls_of({one}), 2);
  EXPECT_EQ(calls_of({one, Put{.row = "b"}.Add("f", "q", "v")}), 2);
  EXPECT_EQ(calls_of({one, Put{.row = "z"}.Add("f", "q", "v")}), 4);  // two regions
  Put unlogged = one;
  unlogged.durability = Durability::kSkipWal;
  EXPECT_EQ(calls_of({unlogged}), 0);
}

TEST_F(CoprocessorsTest, AHookMayShortenAList) {
  Start({"postListNamespaces"}, {});
  ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
  HookArguments arguments;
  arguments.List(2).Text("default").Text("hidden");
  EXPECT_EQ(arguments.count(), 1U);
  const auto left =
      coprocessors_.CallServerHook(Target::kMaster, "postListNamespaces", "postListNamespaces", arguments);
  ASSERT_TRUE(left.ok()) << left.status().ToString();
  EXPECT_EQ(left->value(), std::vector<std::string>{"default"});
  const auto other = coprocessors_.CallServerHook(Target::kMaster, "preShutdown", "preShutdown", {});
  ASSERT_TRUE(other.ok()) << other.status().ToString();
  EXPECT_FALSE(other->has_value());  // no class overrides it, so there is no call
  EXPECT_EQ(host_->calls(Method::kMaster), 1);
}

}  // namespace
}  // namespace klip::coprocessor
