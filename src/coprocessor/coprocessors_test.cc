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
  void Start(const std::vector<std::string>& master_hooks, const std::vector<std::string>& log_hooks) {
    FrameWriter start;
    start.U32(0);
    for (const std::vector<std::string>& hooks : {master_hooks, log_hooks}) {
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
  Coprocessors coprocessors_{{.socket = socket_, .configuration = {{"hbase.coprocessor.master.classes", "a.B"}}},
                             false};
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<table::EmbeddedConnection> connection_;
};

TEST_F(CoprocessorsTest, TellsWhichHooksAreNotCalled) {
  Start({"preShutdown"}, {"preWALWrite"});
  ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
  EXPECT_EQ(coprocessors_.UncalledHooks(), std::vector<std::string>{"preWALWrite"});
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
