// Procedures: a call that is repeated, during or after its execution, is the same procedure.
#include "server/node/procedures.h"

#include <atomic>
#include <latch>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "proto/Master.pb.h"
#include "server/master/master_service.h"
#include "table/embedded_connection.h"

namespace klip::server {
namespace {

using hbase::pb::CreateTableRequest;
using hbase::pb::CreateTableResponse;
using State = hbase::pb::GetProcedureResultResponse;

class Answered final : public Responder {
 public:
  void Respond(Call* /*call*/, const rpc::Error& error, const google::protobuf::MessageLite* response) override {
    ASSERT_TRUE(error.ok());
    ASSERT_TRUE(answer.ParseFromString(response->SerializeAsString()));
  }

  State answer;
};

class ProceduresTest : public testing::Test {
 protected:
  static CreateTableRequest Request(uint64_t nonce) {
    CreateTableRequest request;
    request.set_nonce_group(1);
    request.set_nonce(nonce);
    return request;
  }

  State Poll(uint64_t id) {
    MethodTable methods;
    AddClusterMethods(&node_, &methods);
    hbase::pb::GetProcedureResultRequest request;
    request.set_proc_id(id);
    const std::string bytes = request.SerializeAsString();
    Call call;
    call.param = bytes;
    Answered answered;
    methods.Find("getProcedureResult")->run(&call, &answered);
    return answered.answer;
  }

  const TempDirectory temp_;
  Node node_{table::OpenEmbedded(temp_.path() + "/store", {}).value()};
};

TEST_F(ProceduresTest, ACallThatIsSentAgainWhileItRunsIsNotMadeTwice) {
  std::latch running(1);
  std::latch may_end(1);
  std::atomic<int> made = 0;
  CreateTableResponse first;
  std::thread client([&] {
    EXPECT_TRUE(RunProcedure(&node_, Request(7), &first, [&]() -> rpc::Error {
                  ++made;
                  running.count_down();
                  may_end.wait();
                  return {};
                }).ok());
  });
  running.wait();
  const auto again = [&]() -> rpc::Error {
    ++made;
    return {};
  };
  CreateTableResponse second;
  EXPECT_TRUE(RunProcedure(&node_, Request(7), &second, again).ok());
  EXPECT_EQ(Poll(second.proc_id()).state(), State::RUNNING);
  may_end.count_down();
  client.join();
  EXPECT_EQ(first.proc_id(), second.proc_id());
  EXPECT_EQ(Poll(second.proc_id()).state(), State::FINISHED);
  CreateTableResponse third;
  EXPECT_TRUE(RunProcedure(&node_, Request(7), &third, again).ok());
  EXPECT_EQ(third.proc_id(), first.proc_id());
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(RunProcedure(&node_, Request(8), &third, again).ok());
  EXPECT_NE(third.proc_id(), first.proc_id());
  EXPECT_EQ(made, 2);
}

// As in HBase (MasterProcedureUtil.submitProcedure): a repeated call gets the error when it polls.
TEST_F(ProceduresTest, OneThatFailedIsNotMadeAgain) {
  CreateTableResponse response;
  const rpc::Error failed =
      RunProcedure(&node_, Request(7), &response, []() -> rpc::Error { return Status(Code::kTableExists, "t"); });
  EXPECT_EQ(failed.java_class(), "org.apache.hadoop.hbase.TableExistsException");
  EXPECT_TRUE(RunProcedure(&node_, Request(7), &response, []() -> rpc::Error { return {}; }).ok());
  const State told = Poll(response.proc_id());
  EXPECT_EQ(told.state(), State::FINISHED);
  EXPECT_EQ(told.exception().generic_exception().class_name(), "org.apache.hadoop.hbase.TableExistsException");
}

TEST_F(ProceduresTest, WithoutANonceEachIsAnother) {
  CreateTableResponse first;
  CreateTableResponse second;
  const auto nothing = []() -> rpc::Error { return {}; };
  EXPECT_TRUE(RunProcedure(&node_, Request(0), &first, nothing).ok());
  EXPECT_TRUE(RunProcedure(&node_, Request(0), &second, nothing).ok());
  EXPECT_NE(first.proc_id(), second.proc_id());
}

}  // namespace
}  // namespace klip::server
