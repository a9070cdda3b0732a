// What explain says of blocks that are not in the block cache, and what a scan then reads.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/read/read_costs.h"
#include "table/embedded_connection.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class ExplainBlocksTest : public TableTest {
 protected:
  // 200 users with 250 days each: 50,000 rows of 100 bytes in blocks of 16 KB.
  // A shard of the cache holds them all: which shard a block goes to is chance, and one that is full drops blocks.
  ExplainBlocksTest() {
    options_.block_cache_bytes = 256 << 20;
    Open();
    Create("t", {Family("f")}, {{std::string(RowKeySchema::kTableAttribute), "user:u32 day:u16"}});
    std::vector<Put> puts;
    for (int user = 0; user < 200; ++user) {
      for (int day = 0; day < 250; ++day) {
        puts.push_back(Put{.row = *table_->row_key_schema()->Encode({std::to_string(user), std::to_string(day)})});
        puts.back().Add("f", "q", RandomBytes(100));
      }
    }
    EXPECT_TRUE(table_->Put(puts).ok());
    EXPECT_TRUE(admin().Flush("t").ok() && admin().MajorCompact("t").ok());
  }

  std::string RandomBytes(size_t count) {
    std::string bytes(count, 0);
    for (char& byte : bytes) {
      random_ = random_ * 1664525 + 1013904223;
      byte = static_cast<char>(random_ >> 24);
    }
    return bytes;
  }

  Scan Where(const std::string& text) {
    Scan scan;
    scan.where = *table_->ParseQuery(text);
    return scan;
  }
  // The blocks that a scan reads from files.
  double Read(const Scan& scan) {
    const auto scanner = *table_->Scan(scan);
    Result row;
    while (*scanner->Next(&row)) {
    }
    return static_cast<double>(scanner->statistics().blocks_read);
  }

  uint32_t random_ = 1;
};

TEST_F(ExplainBlocksTest, EstimatesWhatAScanReads) {
  ASSERT_TRUE(table_->Explain(Where("day=7")).ok());  // measures costs, and so reads some blocks
  for (const char* const query : {"day=7", "user=50..80", "user=50..80 day=9", "user>=0"}) {
    ASSERT_TRUE(admin().ClearBlockCache("t").ok());
    const PlanCost cold = table_->Explain(Where(query))->estimated;
    EXPECT_GT(cold.blocks_read, cold.blocks * 0.9) << query;
    EXPECT_GT(cold.cold_time_us, cold.time_us) << query;
    ASSERT_TRUE(admin().ClearBlockCache("t").ok());
    const double read = Read(Where(query));
    EXPECT_GT(read, cold.blocks_read / 1.5) << query;
    EXPECT_LT(read, cold.blocks_read * 1.5) << query;
    const PlanCost warm = table_->Explain(Where(query))->estimated;
    EXPECT_LE(warm.blocks_read, warm.blocks * 0.05) << query;
    EXPECT_NEAR(warm.blocks, cold.blocks, 1) << query;
  }
}

// Of the rows that a scan may read, not of the whole table.
TEST_F(ExplainBlocksTest, LookIntoTheCacheWhereTheScanReads) {
  ASSERT_TRUE(table_->Explain(Where("day=7")).ok());
  ASSERT_TRUE(admin().ClearBlockCache("t").ok());
  Read(Where("user<100"));
  EXPECT_EQ(table_->Explain(Where("user=20..60"))->estimated.blocks_read, 0);
  const PlanCost other = table_->Explain(Where("user=120..160"))->estimated;
  EXPECT_GT(other.blocks_read, other.blocks * 0.8);
  ASSERT_TRUE(admin().ClearBlockCache("t").ok());
  Read(Where("user<100"));
  const PlanCost half = table_->Explain(Where("user=50..150"))->estimated;
  EXPECT_NEAR(half.blocks_read / half.blocks, 0.5, 0.2);
}

TEST_F(ExplainBlocksTest, AreShownAsTextAndJson) {
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const auto fix = [&](double cached) {
    engine::FixCosts(connection.store(), (*(*connection.FindSlot("t"))->Current())->view,
                     {.seek_us = 2, .far_seek_us = 2, .step_us = 0.25, .short_step_us = 0.25, .return_us = 0.1},
                     {.cached = cached, .cells_per_block = 125, .near_us = 10, .far_us = 1000});
  };
  fix(0.25);
  const Explain cold = *table_->Explain(Where("user=50..80"));
  const std::string text = cold.ToText();
  EXPECT_NE(text.find("\n  time, cold cache     3.8 ms\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  blocks read              47\n"), std::string::npos) << text;
  const nlohmann::json costs = nlohmann::json::parse(cold.ToJson())["costs"];
  EXPECT_EQ(costs["far_seek_us"], 2);
  EXPECT_EQ(costs["return_us"], 0.1);
  const nlohmann::json json = nlohmann::json::parse(cold.ToJson())["estimated"];
  EXPECT_NEAR(json["blocks"].get<double>(), 62, 2);
  EXPECT_NEAR(json["blocks_read"].get<double>(), 47, 2);
  EXPECT_NEAR(json["cold_time_us"].get<double>() - json["time_us"].get<double>(), 0.75 * (1000 + 61 * 10), 40);
  fix(0.97);
  EXPECT_EQ(table_->Explain(Where("user=50..80"))->ToText().find("cold"), std::string::npos);
}

}  // namespace
}  // namespace klip::table
