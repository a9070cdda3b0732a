// Heat maps from the counts of a cluster's regions, through klip's client on klip's server.
#include "cli/region_heat.h"

#include <gtest/gtest.h>

#include "console/api.h"
#include "server/raw_client_test.h"

namespace klip::cli {
namespace {

class RegionHeatTest : public server::ServerTest {
 protected:
  RegionHeatTest() {
    Start({.http_port = 0});
    connection_ = *Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
    TableDescriptor descriptor = {.name = "t", .families = {{.name = "f"}}};
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:text('|') day:date";
    const std::vector<std::string> splits = {"g|", "p|"};
    EXPECT_TRUE(connection_->admin().CreateTable(descriptor, splits).ok());
    table_ = *connection_->GetTable("t");
    heat_ = std::make_unique<RegionHeat>(connection_.get(), [this] { return now_ms_; });
  }

  void Write(const std::string& user, int rows) {
    std::vector<Put> puts;
    for (int i = 0; i < rows; ++i) {
      puts.push_back(Put{.row = *table_->row_key_schema()->Encode({user + std::to_string(i), "2014-06-28"})});
      puts.back().Add("f", "q", "v");
    }
    ASSERT_TRUE(table_->Put(puts).ok());
  }

  int64_t now_ms_ = 1'400'000'000'000;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<RegionHeat> heat_;
};

TEST_F(RegionHeatTest, CountsWhatRegionsDidBetweenPolls) {
  Write("a", 7);
  heat_->Poll();
  Write("a", 100);
  Write("h", 2000);
  heat_->Poll();
  now_ms_ += 60'000;
  Write("z", 50);
  heat_->Poll();
  const Expected<HeatMap> map = heat_->Read("t", {});
  ASSERT_TRUE(map.ok()) << map.status().ToString();
  ASSERT_EQ(map->ranges.size(), 3U);
  EXPECT_EQ(map->ranges[0].first, "");
  EXPECT_EQ(map->ranges[1].first, "g|");
  EXPECT_EQ(map->ranges[2].first, "p|");
  ASSERT_EQ(map->slots.size(), 2U);
  EXPECT_EQ(map->slots[0].cells[0].writes, 100);
  EXPECT_EQ(map->slots[0].cells[1].writes, 2000);
  EXPECT_EQ(map->slots[0].cells[2].writes, 0);
  EXPECT_EQ(map->slots[1].cells[1].writes, 0);
  EXPECT_EQ(map->slots[1].cells[2].writes, 50);
}

// A region that no server reported at a poll, or that its server opened again, counts from 0.
TEST(RegionCountsTest, AreDifferencesWhateverServersTell) {
  const std::vector<RegionInfo> regions = {{.table = "t", .end_key = "m,n", .encoded_name = "0"},
                                           {.table = "t", .start_key = "m,n", .encoded_name = "1"}};
  LastCounts last;
  const auto since = [&](int64_t first, int64_t second) {
    std::vector<RegionMetrics> told;
    for (const int64_t writes : {first, second}) {
      if (writes >= 0) {
        told.push_back({.name = regions[writes == first ? 0 : 1].Name(), .write_requests = writes});
      }
    }
    std::string text;
    for (const RegionCount& one : CountsSince(told, &last)) {
      text += one.start_key + ":" + std::to_string(static_cast<int>(one.cell.writes)) + " ";
    }
    return text;
  };
  EXPECT_EQ(since(5000, -1), ":0 ");
  EXPECT_EQ(since(5010, 70), ":10 m,n:70 ");
  EXPECT_EQ(since(-1, 71), "m,n:1 ");
  EXPECT_EQ(since(30, 73), ":30 m,n:2 ");
  EXPECT_EQ(since(4, 73), ":4 m,n:0 ");
  EXPECT_EQ(since(-1, -2), "");
  EXPECT_EQ(since(5030, 7003), ":0 m,n:0 ");
}

// A table is a row of hbase:meta for each region: at a poll, its regions are listed once.
TEST_F(RegionHeatTest, APollListsTheRegionsOfATableOnce) {
  const auto scans = [this] {
    server::RawSocket socket(server_->http_port());
    socket.Send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string page = socket.Receive(1 << 20);
    const std::string count = "klip_call_seconds_count{service=\"ClientService\",method=\"Scan\"} ";
    const size_t at = page.find(count);
    return at == std::string::npos ? 0 : std::stoi(page.substr(at + count.size()));
  };
  const int start = scans();
  ASSERT_TRUE(connection_->admin().GetRegions("t").ok());
  const int listed = scans();
  ASSERT_GT(listed, start);
  heat_->Poll();
  EXPECT_EQ(scans() - listed, listed - start);
}

// The daughters of a split count from 0.
TEST_F(RegionHeatTest, KeepsItsHistoryWhenARegionSplits) {
  heat_->Poll();
  Write("h", 300);
  heat_->Poll();
  ASSERT_TRUE(connection_->admin().SplitRegion(connection_->admin().LocateRegion("t", "h")->Name(), "k|").ok());
  Write("m", 40);
  heat_->Poll();
  const HeatMap map = *heat_->Read("t", {});
  ASSERT_EQ(map.ranges.size(), 4U);
  EXPECT_EQ(map.ranges[2].first, "k|");
  EXPECT_EQ(map.slots.back().cells[1].writes, 300);
  EXPECT_EQ(map.slots.back().cells[2].writes, 40);
}

TEST_F(RegionHeatTest, IdleTablesHaveNoSlots) {
  heat_->Poll();
  heat_->Poll();
  const HeatMap map = *heat_->Read("t", {});
  EXPECT_TRUE(map.slots.empty());
  EXPECT_EQ(map.since_ms, 0);
}

TEST_F(RegionHeatTest, TheConsoleShowsRegionsWithTheirFieldsAndNamesTheHotOne) {
  heat_->Poll();
  Write("h", 2000);
  Write("a", 200);
  heat_->Poll();
  const console::Json json = *console::HeatWith(connection_.get(), {{"table", "t"}, {"metric", "writes"}}, heat_.get());
  EXPECT_EQ(json["by_region"], true);
  ASSERT_EQ(json["ranges"].size(), 3U);
  EXPECT_EQ(json["ranges"][1]["label"], "user = g");
  EXPECT_EQ(json["ranges"][1]["stop"], "p|");
  EXPECT_EQ(json["ranges"][2]["stop"], "");
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["text"], "91 % of writes hit one region of 3: the one from user = g on");
  const console::Parameters zoom = {{"table", "t"}, {"start", "g|"}, {"stop", "p|"}};
  EXPECT_EQ((*console::HeatWith(connection_.get(), zoom, heat_.get()))["ranges"].size(), 1U);
  EXPECT_EQ(console::HeatWith(connection_.get(), {{"table", "none"}}, heat_.get()).status().code(),
            Code::kTableNotFound);
}

}  // namespace
}  // namespace klip::cli
