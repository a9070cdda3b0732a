// The golden op files through the client, on klip's own server: the output must equal that of the embedded store.
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "hbase/cluster_golden.h"
#include "klip/connection.h"
#include "ops/golden_file.h"
#include "ops/op_language.h"
#include "ops/store_session.h"
#include "server/server.h"
#include "table/embedded_connection.h"

namespace klip::ops {
namespace {

class ClusterGolden : public testing::Test {
 public:
  explicit ClusterGolden(std::string path) : path_(std::move(path)) {}

  void TestBody() override {
    TempDirectory directory(TempDirectory::Where::kMemory);
    const auto clock_ms = std::make_shared<std::atomic<int64_t>>(1000000);
    ConnectionOptions options;
    options.sync_wal = false;
    options.clock_ms = [clock_ms] { return clock_ms->load(); };
    auto store = table::OpenEmbedded(directory.path(), options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    Expected<std::unique_ptr<server::Server>> server = server::Server::Start(*std::move(store), {});
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    const std::string uri = "hbase+rpc://127.0.0.1:" + std::to_string((*server)->rpc_port());
    StoreSession session([uri] { return Connection::Open(uri); }, clock_ms);
    for (const GoldenBlock& block : ReadGoldenFile(path_)) {
      if (std::ranges::any_of(block.ops, IsEmbeddedOnly)) {
        break;  // what follows may build on it
      }
      std::string out;
      for (const std::string& op : block.ops) {
        out += session.Run(op);
      }
      const std::vector<std::string> actual = Lines(out.empty() ? "ok" : out);
      const std::vector<std::string> expected = block.Expected();
      EXPECT_TRUE(std::ranges::equal(expected, actual, ClusterLineFits)) << path_ << ":" << block.line << "\n  ops\n"
                                                                         << Indented(block.ops) << "  expected\n"
                                                                         << Indented(expected) << "  got\n"
                                                                         << Indented(actual);
    }
  }

 private:
  std::string path_;
};

const bool kRegistered = [] {
  for (const std::string& path : GoldenFiles(KLIP_GOLDEN_DIRECTORY)) {
    std::string name = std::filesystem::relative(path, KLIP_GOLDEN_DIRECTORY).replace_extension().string();
    std::ranges::replace(name, '/', '_');
    testing::RegisterTest("ClusterGolden", name.c_str(), nullptr, nullptr, path.c_str(), 1,
                          [path]() -> ClusterGolden* { return new ClusterGolden(path); });
  }
  return true;
}();

}  // namespace
}  // namespace klip::ops
