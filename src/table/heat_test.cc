// Heat maps: what they count, how ranges follow key fields, and their limits.
#include "klip/heat.h"

#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "table/info/access_sampler.h"
#include "table/info/table_heat.h"

namespace klip::table {
namespace {

constexpr int64_t kMinute = 60'000;
constexpr int64_t kHour = 60 * kMinute;

HeatCell Sum(const HeatMap& map) {
  HeatCell sum;
  for (const HeatSlot& slot : map.slots) {
    for (const HeatCell& cell : slot.cells) {
      sum += cell;
    }
  }
  return sum;
}

std::string Padded(int number, int digits) {
  std::string text = std::to_string(number);
  return std::string(static_cast<size_t>(digits) - text.size(), '0') + text;
}

class HeatTest : public testing::Test {
 protected:
  int64_t now_ms_ = 100 * 24 * kHour;
  std::shared_ptr<HeatMaps> maps_ = std::make_shared<HeatMaps>([this] { return now_ms_; });
  std::shared_ptr<TableHeat> heat_ = maps_->Add();
};

TEST_F(HeatTest, CountsByKeyAndMinute) {
  heat_->Record("a", {.reads = 1, .bytes = 10});
  heat_->Record("b", {.writes = 2, .latency_us = 50, .timed = 2});
  now_ms_ += 3 * kMinute;
  heat_->Record("b", {.writes = 5});
  const HeatMap map = heat_->Read({});
  ASSERT_EQ(map.ranges.size(), 2U);
  EXPECT_EQ(map.ranges[0].first, "a");
  EXPECT_EQ(map.ranges[1].last, "b");
  ASSERT_EQ(map.slots.size(), 2U);
  EXPECT_EQ(map.slots[1].start_ms - map.slots[0].start_ms, 3 * kMinute);
  EXPECT_EQ(map.slots[0].cells[0].reads, 1);
  EXPECT_EQ(map.slots[0].cells[1].latency_us, 50);
  EXPECT_EQ(map.slots[1].cells[0].writes, 0);
  EXPECT_EQ(map.slots[1].cells[1].writes, 5);
  EXPECT_EQ(heat_->Read({.from_ms = map.slots[1].start_ms}).slots.size(), 1U);
  EXPECT_EQ(heat_->Read({.start_row = "b"}).ranges.size(), 1U);
  EXPECT_EQ(heat_->Read({.stop_row = "b"}).ranges.size(), 1U);
}

TEST_F(HeatTest, RangesEndWhereFieldsEnd) {
  heat_->SetKey({{.width_bytes = 4}, {.width_bytes = 8}});
  for (int user = 0; user < 300; ++user) {
    for (int day = 0; day < 30; ++day) {
      heat_->Record("u" + Padded(user, 3) + Padded(day, 8) + "domain", {.writes = 1});
    }
  }
  const HeatMap map = heat_->Read({});
  EXPECT_EQ(Sum(map).writes, 9000);
  ASSERT_GT(map.ranges.size(), 100U);
  for (const HeatRange& range : map.ranges) {
    EXPECT_TRUE(range.first.size() == 4 || range.first.size() == 12) << ToStringBinary(range.first);
  }
}

// One user in a thousand gets nine writes out of ten: nobody else is in its range.
TEST_F(HeatTest, HotRangesStayFineWhileColdOnesMerge) {
  heat_->SetKey({{.width_bytes = 5}});
  for (int round = 0; round < 20'000; ++round) {
    const int user = round % 10 == 0 ? round / 10 : 777;
    heat_->Record("u" + Padded(user, 4) + Padded(round, 6), {.writes = 1});
  }
  const HeatMap map = heat_->Read({.max_ranges = 50});
  EXPECT_LE(map.ranges.size(), 50U);
  double most = 0;
  std::string hottest;
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    if (map.slots[0].cells[i].writes > most) {
      most = map.slots[0].cells[i].writes;
      hottest = map.ranges[i].first + ".." + map.ranges[i].last;
    }
  }
  EXPECT_EQ(hottest, "u0777..u0777");
  EXPECT_NEAR(most, 18'001, 1);
  EXPECT_EQ(Sum(map).writes, 20'000);
}

TEST_F(HeatTest, RowsThatBeginWithOthersAreNotTheirs) {
  for (const char* const row : {"1", "10", "100", "2"}) {
    heat_->Record(row, {.reads = 1});
  }
  const HeatMap map = heat_->Read({});
  ASSERT_EQ(map.ranges.size(), 4U);
  for (const HeatCell& cell : map.slots[0].cells) {
    EXPECT_EQ(cell.reads, 1);
  }
}

TEST_F(HeatTest, KeepsAWeekInSlotsThatGrowWithAge) {
  const int64_t begin_ms = now_ms_;
  double written = 0;
  for (; now_ms_ < begin_ms + 8 * 24 * kHour; now_ms_ += 7 * kMinute) {
    heat_->Record(Padded(static_cast<int>(written) % 500, 4), {.writes = 1});
    ++written;
  }
  const HeatMap map = heat_->Read({});
  EXPECT_LE(map.slots.front().start_ms, now_ms_ - 7 * 24 * kHour);
  EXPECT_EQ(map.slots.front().length_ms, kHour);
  EXPECT_EQ(map.slots.back().length_ms, kMinute);
  EXPECT_LT(map.slots.size(), 450U);
  for (size_t i = 1; i < map.slots.size(); ++i) {
    EXPECT_GE(map.slots[i].start_ms, map.slots[i - 1].start_ms + map.slots[i - 1].length_ms);
  }
  EXPECT_EQ(Sum(map).writes, written);
  now_ms_ += 30 * 24 * kHour;
  heat_->Record("x", {.reads = 1});
  EXPECT_EQ(heat_->Read({}).slots.size(), 1U);
  EXPECT_EQ(Sum(heat_->Read({})).writes, 0);
}

// The worst case: new keys in every minute of more than a week, in many tables.
TEST_F(HeatTest, MemoryIsBounded) {
  std::vector<std::shared_ptr<TableHeat>> tables;
  for (int i = 0; i < 20; ++i) {
    tables.push_back(maps_->Add());
  }
  int number = 0;
  size_t most = 0;
  for (int minute = 0; minute < 9 * 24 * 60; minute += 45) {
    now_ms_ += 45 * kMinute;
    for (const auto& table : tables) {
      for (int i = 0; i < 200; ++i) {
        table->Record("a key of some length " + Padded(++number, 9), {.reads = 1, .writes = 1, .bytes = 1e6});
      }
    }
    most = std::max(most, maps_->SizeBytes());
  }
  EXPECT_LE(most, HeatMaps::kMaxBytes);
  for (const auto& table : tables) {
    EXPECT_GT(table->Read({}).ranges.size(), 20U);
  }
}

TEST_F(HeatTest, ManyTablesShareTheBound) {
  auto maps = std::make_shared<HeatMaps>([this] { return now_ms_; }, 64 << 10);
  std::vector<std::shared_ptr<TableHeat>> tables;
  for (int i = 0; i < 200; ++i) {
    tables.push_back(maps->Add());
  }
  for (int minute = 0; minute < 60; ++minute) {
    now_ms_ += kMinute;
    for (const auto& table : tables) {
      for (int i = 0; i < 10; ++i) {
        table->Record(Padded(i * minute, 6), {.reads = 1});
      }
    }
  }
  now_ms_ += kMinute;
  tables[0]->Record("x", {.reads = 1});
  // Each may keep the ranges of the current minute.
  EXPECT_LE(maps->SizeBytes(), size_t{200} * (64 + 5 * 256));
}

TEST_F(HeatTest, OtherKeysBeginAnew) {
  heat_->SetKey({{.width_bytes = 2}});
  heat_->Record("aabb", {.reads = 1});
  heat_->SetKey({{.width_bytes = 2}});
  EXPECT_EQ(Sum(heat_->Read({})).reads, 1);
  heat_->SetKey({{.width_bytes = 3}});
  EXPECT_EQ(Sum(heat_->Read({})).reads, 0);
}

TEST_F(HeatTest, EncodedEntriesComeBack) {
  HeatEntries entries;
  for (int i = 0; i < 300; ++i) {
    entries.push_back({.range = {"key" + Padded(i, 4), "key" + Padded(i, 4) + std::string(1, '\xFF')},
                       .cell = {double(i), 1e12, 3.4, 0, double(1 << (i % 30))}});
  }
  const HeatEntries back = DecodeHeat(Encode(entries));
  ASSERT_EQ(back.size(), entries.size());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].range.first, entries[i].range.first);
    EXPECT_EQ(back[i].range.last, entries[i].range.last);
    EXPECT_EQ(back[i].cell.reads, entries[i].cell.reads);
    EXPECT_EQ(back[i].cell.writes, 1e12);
    EXPECT_EQ(back[i].cell.bytes, 3);
    EXPECT_EQ(back[i].cell.timed, entries[i].cell.timed);
  }
}

// Every access is counted once, by its own sample or a later one.
TEST(AccessSampler, TellsOfAll) {
  std::thread([] {
    AccessSampler& sampler = AccessSampler::OfThread();
    int64_t told = 0;
    int64_t looks = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      const int64_t weight = sampler.Hit(1);
      told += weight;
      looks += weight > 0 ? 1 : 0;
    }
    EXPECT_LE(told, 1'000'000);
    EXPECT_GT(told, 1'000'000 - 1024);
    EXPECT_LT(looks, 100'000);
  }).join();
}

TEST(HeatOfStore, CountsGetsPutsAndScans) {
  const TempDirectory directory(TempDirectory::Where::kMemory);
  ConnectionOptions options;
  options.sync_wal = false;
  auto connection = *Connection::Open("klip:" + directory.Sub("store"), options);
  ASSERT_TRUE(
      connection->admin()
          .CreateTable(
              {.name = "t", .families = {{.name = "f"}}, .attributes = {{"KLIP_ROW_KEY", "user:text(1) n:digits(6)"}}})
          .ok());
  auto table = *connection->GetTable("t");
  constexpr int kRows = 20'000;
  for (int i = 0; i < kRows; ++i) {
    // Three in four are of user b.
    ASSERT_TRUE(table->Put(Put{.row = (i % 4 == 0 ? "a" : "b") + Padded(i, 6)}.Add("f", "q", "value")).ok());
  }
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(table->Get(Get{.row = "a" + Padded(i, 6)}).ok());
  }
  auto scanner = *table->Scan(Scan{.start_row = "b"});
  Result result;
  while (*scanner->Next(&result)) {
  }
  const auto map = table->Heat({});
  ASSERT_TRUE(map.ok());
  const HeatCell sum = Sum(*map);
  EXPECT_NEAR(sum.writes + sum.reads, kRows + kRows + 15'000, 3000);
  EXPECT_NEAR(sum.writes, kRows, kRows * 0.15);
  EXPECT_GT(sum.bytes, 10'000);
  EXPECT_GT(sum.latency_us / sum.timed, 0);
  double of_b = 0;
  for (const HeatSlot& slot : map->slots) {
    for (size_t i = 0; i < slot.cells.size(); ++i) {
      of_b += map->ranges[i].first.starts_with("b") ? slot.cells[i].writes : 0;
    }
  }
  EXPECT_NEAR(of_b / sum.writes, 0.75, 0.1);
  // A new table of the same name starts empty.
  ASSERT_TRUE(connection->admin().DisableTable("t").ok());
  ASSERT_TRUE(connection->admin().DeleteTable("t").ok());
  ASSERT_TRUE(connection->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}).ok());
  EXPECT_TRUE((*connection->GetTable("t"))->Heat({})->slots.empty());
}

}  // namespace
}  // namespace klip::table
