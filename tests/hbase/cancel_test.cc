// Calls that are cancelled while they wait for a server.
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"

namespace klip::client {
namespace {

const FakeServer::Handler kBusy = [](const std::string&, const rpc::Request& request) {
  return FakeServer::Exception(request, "RegionTooBusyException", /*do_not_retry=*/false);
};

// How the call ends when its token is cancelled after the server has it.
template <typename Run>
Status CancelledWhile(const FakeServer::Handler& handler, Run run) {
  std::promise<void> there;
  std::once_flag once;
  FakeServer server([&](const std::string& method, const rpc::Request& request) {
    std::call_once(once, [&] { there.set_value(); });
    return handler(method, request);
  });
  const auto connection = Connection::Open(server.uri());
  EXPECT_TRUE(connection.ok());
  const auto table = (*connection)->GetTable("t");
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  const CancelToken token = CancelToken::New();
  std::thread canceller([&] {
    there.get_future().wait();
    token.Cancel();
  });
  const CancelScope scope(token);
  Status status = run(table->get());  // a call that waits for its two minutes ends with another status
  canceller.join();
  return status;
}

TEST(CancelOnACluster, WhatWaitsForAnAnswer) {
  EXPECT_EQ(
      CancelledWhile(FakeServer::Silent, [](Table* table) { return table->Get(Get{.row = "r"}).status(); }).code(),
      Code::kCancelled);
  EXPECT_EQ(
      CancelledWhile(FakeServer::Silent, [](Table* table) { return table->Put(Put{.row = "r"}.Add("f", "q", "v")); })
          .code(),
      Code::kCancelled);
  EXPECT_EQ(CancelledWhile(FakeServer::Silent,
                           [](Table* table) {
                             return table->Get(Get{.row = "r", .consistency = Consistency::kTimeline}).status();
                           })
                .code(),
            Code::kCancelled);
  EXPECT_EQ(CancelledWhile(FakeServer::Silent, [](Table* table) { return table->FirstRow().status(); }).code(),
            Code::kCancelled);
}

TEST(CancelOnACluster, WhatWaitsToTryAgain) {
  EXPECT_EQ(CancelledWhile(kBusy, [](Table* table) { return table->Get(Get{.row = "r"}).status(); }).code(),
            Code::kCancelled);
  EXPECT_EQ(CancelledWhile(kBusy,
                           [](Table* table) {
                             const Action action = Get{.row = "r"};
                             return table->Batch({&action, 1})[0].status();
                           })
                .code(),
            Code::kCancelled);
}

// A scanner keeps the token that it was opened under; the thread that reads may have none.
TEST(CancelOnACluster, AScanFromAnotherThread) {
  const Status status = CancelledWhile(FakeServer::Silent, [](Table* table) {
    const auto scanner = table->Scan({});
    Status read;
    std::thread([&] {
      Result row;
      read = (*scanner)->Next(&row).status();
    }).join();
    return read;
  });
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST(CancelOnACluster, BeforeItBegins) {
  FakeServer server([](const std::string&, const rpc::Request&) -> FakeServer::Answer {
    ADD_FAILURE() << "a call was sent";
    return std::nullopt;
  });
  const auto connection = Connection::Open(server.uri());
  ASSERT_TRUE(connection.ok());
  const auto table = (*connection)->GetTable("t");
  const CancelToken token = CancelToken::New();
  token.Cancel();
  const CancelScope scope(token);
  EXPECT_EQ((*table)->Delete(Delete{.row = "r"}).code(), Code::kCancelled);
  EXPECT_EQ((*table)->Get(std::vector<Get>{{.row = "r"}}).status().code(), Code::kCancelled);
  EXPECT_EQ((*connection)->admin().DisableTable("t").code(), Code::kCancelled);
}

}  // namespace
}  // namespace klip::client
