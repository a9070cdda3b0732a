// Calls that there is no memory for are refused so that the client tries again, and do no harm.
#include "server/memory.h"

#include <string>

#include "proto/Client.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

TEST(MemoryBudgetTest, OneCallAlwaysFitsAndOthersWhileThereIsRoom) {
  std::atomic<int64_t> unsent = 0;
  MemoryBudget budget;
  budget.Limit(80, &unsent);  // of which an eighth
  EXPECT_TRUE(budget.Take(25));
  EXPECT_FALSE(budget.Take(1));
  budget.Give(25);
  EXPECT_TRUE(budget.Take(6));
  EXPECT_TRUE(budget.Take(4));
  EXPECT_FALSE(budget.Take(1));
  budget.Give(6);
  unsent = 6;
  EXPECT_FALSE(budget.Take(1)) << "answers count too";
  unsent = 5;
  EXPECT_TRUE(budget.Take(1));
}

TEST_F(ServerTest, CallsWithoutMemoryAreRefusedOneByOne) {
  ServerOptions options;
  options.memory_limit = kLeastMemoryLimit;
  Start(options);
  const size_t large = static_cast<size_t>(kLeastMemoryLimit) / 8;
  // One that takes all there is, and is not sent to its end.
  RawClient slow(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(large, 'x'));
  slow.socket().Send(std::string_view(whole).substr(0, 1 << 20));
  RawClient client(rpc_port(), "ClientService");
  const hbase::pb::GetRequest none;
  std::string exception;
  // The server may see the second client's call first; then it is served.
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.CallQueueTooBigException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, std::string(100000, 'y')).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.CallQueueTooBigException");
  slow.socket().Send(std::string_view(whole).substr(1 << 20));
  EXPECT_EQ(slow.ReceiveAnswer().header.call_id(), 1U);
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.DoNotRetryIOException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, std::string(100000, 'y')).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.DoNotRetryIOException") << "there is room again";
}

}  // namespace
}  // namespace klip::server
