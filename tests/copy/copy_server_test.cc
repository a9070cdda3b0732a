// Copies to klip serve and back: the result must equal the source.
#include "copy/random_table.h"
#include "klip/copy.h"
#include "server/raw_client_test.h"

namespace klip::ops {
namespace {

class CopyServerTest : public server::ServerTest {
 protected:
  // Store -> server -> store.
  void RoundTrip(bool new_versions) {
    const auto source = OpenOrDie("klip:" + root_ + "/source");
    const auto back = OpenOrDie("klip:" + root_ + "/back");
    const auto cluster = OpenOrDie("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
    const std::vector<std::string> splits = {"c", "m"};
    ASSERT_TRUE(source->admin().CreateTable(CopiedDescriptor("t", new_versions), splits).ok());
    const auto table = TableOf(source.get(), "t");
    WriteRandomRows(table.get(), 7, 4000, new_versions);
    const Expected<CopyCounts> there = CopyTable(*source, "t", *cluster, "t", {.threads = 3});
    ASSERT_TRUE(there.ok()) << there.status().ToString();
    EXPECT_EQ(CompareTables(*source, "t", *cluster, "t", {})->differing_rows, 0);
    EXPECT_EQ(CompareTables(*source, "t", *cluster, "t", {}, {.raw = true})->differing_rows, 0);
    EXPECT_EQ(cluster->admin().GetRegions("t")->size(), 3U);
    const Expected<CopyCounts> again = CopyTable(*cluster, "t", *back, "t", {.threads = 3});
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(again->cells, there->cells);
    const auto copied = TableOf(back.get(), "t");
    EXPECT_EQ(Cells(copied.get(), /*raw=*/true), Cells(table.get(), /*raw=*/true));
    EXPECT_EQ(Cells(copied.get(), /*raw=*/false), Cells(table.get(), /*raw=*/false));
    EXPECT_EQ(back->admin().GetDescriptor("t")->families, source->admin().GetDescriptor("t")->families);
  }
};

TEST_F(CopyServerTest, ThereAndBack) { RoundTrip(/*new_versions=*/false); }
TEST_F(CopyServerTest, ThereAndBackWithNewVersionBehavior) { RoundTrip(/*new_versions=*/true); }

}  // namespace
}  // namespace klip::ops
