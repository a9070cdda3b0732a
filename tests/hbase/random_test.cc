// Random ops through the client, on klip's own server.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "hbase/random_cases.h"
#include "server/server.h"
#include "table/embedded_connection.h"

namespace klip::ops {
namespace {

TEST(RandomOpsOfTheClient, AgreeWithTheEmbeddedStore) {
  constexpr uint64_t kCases = 6;
  constexpr size_t kOps = 300;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    const TempDirectory of_server(TempDirectory::Where::kMemory);
    const TempDirectory of_embedded(TempDirectory::Where::kMemory);
    ConnectionOptions options;
    options.sync_wal = false;
    const auto clock_ms = std::make_shared<std::atomic<int64_t>>(1'700'000'000'000);
    options.clock_ms = [clock_ms] { return clock_ms->load(); };
    auto store = table::OpenEmbedded(of_server.path(), options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    const auto server = server::Server::Start(*std::move(store), {});
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    const std::string uri = "hbase+rpc://127.0.0.1:" + std::to_string((*server)->rpc_port());
    StoreSession cluster([&uri] { return Connection::Open(uri); }, clock_ms);
    StoreSession embedded([&] { return Connection::Open("klip:" + of_embedded.path(), options); }, clock_ms);
    const std::optional<std::string> difference =
        RandomDifference(embedded, cluster, seed, kOps, [&] { *clock_ms += 2; });
    EXPECT_FALSE(difference.has_value()) << *difference;
  }
}

}  // namespace
}  // namespace klip::ops
