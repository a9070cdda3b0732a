#include "console/findings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::console {
namespace {

constexpr int kRanges = 60;

std::string Day(int day) { return "201401" + std::string(day < 10 ? "0" : "") + std::to_string(day); }

// Ranges of one key each, two users with 30 days.
HeatMap Map(int slots, double (*writes)(int slot, int range)) {
  HeatMap map;
  for (int i = 0; i < kRanges; ++i) {
    const std::string key = (i < 30 ? "amy|" : "bob|") + Day(i % 30 + 1);
    map.ranges.push_back({key, key});
  }
  for (int slot = 0; slot < slots; ++slot) {
    HeatSlot& one = map.slots.emplace_back(HeatSlot{.start_ms = slot * 60'000, .length_ms = 60'000});
    for (int i = 0; i < kRanges; ++i) {
      one.cells.push_back({.writes = writes(slot, i)});
    }
  }
  return map;
}

class FindingsTest : public testing::Test {
 protected:
  const std::optional<RowKeySchema> schema_ = *RowKeySchema::Parse("user:text('|') day:date");
  const std::vector<RegionInfo> regions_ = {{.start_key = ""}, {.start_key = "b"}, {.start_key = "bob|20140120"}};
};

TEST_F(FindingsTest, EvenLoadIsNoFinding) {
  EXPECT_TRUE(FindingsOf(Map(5, [](int, int) { return 100.0; }), regions_, schema_).empty());
  EXPECT_TRUE(FindingsOf({}, regions_, schema_).empty());
}

TEST_F(FindingsTest, LittleLoadIsNoFinding) {
  EXPECT_TRUE(FindingsOf(Map(1, [](int, int range) { return range == 3 ? 900.0 : 0; }), regions_, schema_).empty());
}

TEST_F(FindingsTest, NamesTheHotRegionAndTheHotKey) {
  const auto found = FindingsOf(Map(1, [](int, int range) { return range == 55 ? 8000.0 : 30.0; }), regions_, schema_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "85 % of writes hit one region of 3: the last one, from user = bob, day = 20140120 on");
  EXPECT_EQ(found[0].stop, "");
  EXPECT_EQ(found[1].text, "82 % of writes hit one of 60 ranges of keys: user = bob, day = 20140126");
  EXPECT_EQ(found[1].start, "bob|20140126");
  EXPECT_EQ(found[1].stop, "bob|20140127");
}

TEST_F(FindingsTest, NamesAHotValueWhoseRowsAreMany) {
  HeatMap map = Map(1, [](int, int range) { return range < 30 ? 300.0 : 10.0; });
  for (int i = 30; i < kRanges; ++i) {  // as many users as ranges
    const std::string key = "user" + std::to_string(i) + "|20140101";
    map.ranges[static_cast<size_t>(i)] = {key, key};
  }
  const auto found = FindingsOf(map, {}, schema_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "97 % of writes hit one of 31 values: user = amy");
  EXPECT_EQ(found[0].start, "amy|20140101");
}

TEST_F(FindingsTest, SeesKeysThatGrow) {
  const auto found =
      FindingsOf(Map(10, [](int slot, int range) { return range / 6 == slot ? 100.0 : 0; }), {}, schema_);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].text.starts_with("100 % of writes went above all keys written before: the keys grow"))
      << found[0].text;
  // The same writes in another order are not growth.
  for (const Finding& finding :
       FindingsOf(Map(10, [](int slot, int range) { return range / 6 == (slot * 7) % 10 ? 100.0 : 0; }), {}, schema_)) {
    EXPECT_EQ(finding.text.find("grow"), std::string::npos);
  }
}

TEST_F(FindingsTest, SeesWhatIsSlow) {
  HeatMap map = Map(1, [](int, int) { return 0.0; });
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    map.slots[0].cells[i] = {.latency_us = i == 7 ? 1e6 : 2e4, .timed = 1000};
  }
  const auto found = FindingsOf(map, {}, schema_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "Gets and writes of user = amy, day = 20140108 take 1000 us, others 20 us");
}

TEST_F(FindingsTest, LabelsKeysWithAndWithoutFields) {
  EXPECT_EQ(LabelOf(schema_, "amy|20140101"), "user = amy, day = 20140101");
  EXPECT_EQ(LabelOf(schema_, "amy|2014"), "user = amy");
  EXPECT_EQ(LabelOf(schema_, "am"), "row am");
  EXPECT_EQ(LabelOf(std::nullopt, "a\x01"), "row a\\x01");
  EXPECT_EQ(LabelOf(schema_, ""), "the first row");
}

}  // namespace
}  // namespace klip::console
