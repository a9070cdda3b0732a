#include "engine/store/split_policy.h"

#include <gtest/gtest.h>

namespace klip::engine {
namespace {

constexpr int64_t kMb = 1 << 20;
constexpr int64_t kGb = 1 << 30;

struct Case {
  const char* policy;
  std::map<std::string, std::string> attributes;
  int regions;
  int64_t limit;  // splits above it, not at it; -1: never
};

TEST(SplitPolicyTest, Limits) {
  const Case cases[] = {
      {"", {}, 1, 256 * kMb},
      {"", {}, 2, 10 * kGb},
      {"", {{"MEMSTORE_FLUSHSIZE", "1048576"}}, 1, 2 * kMb},
      {"SteppingSplitPolicy", {{"MAX_FILESIZE", "1000000000"}}, 2, 1000000000},
      {"ConstantSizeRegionSplitPolicy", {}, 1, 10 * kGb},
      {"ConstantSizeRegionSplitPolicy", {{"MAX_FILESIZE", "2097152"}}, 50, 2 * kMb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {}, 1, 256 * kMb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {}, 2, 2048 * kMb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {}, 3, 6912 * kMb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {}, 4, 10 * kGb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {}, 0, 10 * kGb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {}, 101, 10 * kGb},
      {"IncreasingToUpperBoundRegionSplitPolicy", {{"hbase.increasing.policy.initial.size", "1000"}}, 3, 27000},
      {"KeyPrefixRegionSplitPolicy", {}, 2, 2048 * kMb},
      {"DelimitedKeyPrefixRegionSplitPolicy", {}, 2, 2048 * kMb},
      {"BusyRegionSplitPolicy", {}, 2, 2048 * kMb},
      {"DisabledRegionSplitPolicy", {}, 1, -1},
      {"", {{"SPLIT_ENABLED", "false"}}, 1, -1},
  };
  for (const Case& one : cases) {
    TableDescriptor table;
    table.attributes = one.attributes;
    if (*one.policy != '\0') {
      table.attributes["SPLIT_POLICY"] = std::string("org.apache.hadoop.hbase.regionserver.") + one.policy;
    }
    SplitInput input;
    input.table_regions = one.regions;
    input.largest_family_bytes = one.limit < 0 ? 100 * kGb : one.limit;
    EXPECT_FALSE(ShouldSplit(table, input)) << one.policy << " " << one.regions;
    input.largest_family_bytes = one.limit + 1;
    EXPECT_EQ(ShouldSplit(table, input), one.limit >= 0) << one.policy << " " << one.regions;
  }
}

TEST(SplitPolicyTest, AllFamiliesCountWhenAsked) {
  TableDescriptor table;
  const SplitInput input = {.largest_family_bytes = 1, .all_families_bytes = 11 * kGb, .table_regions = 2};
  EXPECT_FALSE(ShouldSplit(table, input));
  table.configuration["hbase.hregion.split.overallfiles"] = "true";
  EXPECT_TRUE(ShouldSplit(table, input));
}

TEST(SplitPolicyTest, BusyRegions) {
  TableDescriptor table;
  table.attributes["SPLIT_POLICY"] = "BusyRegionSplitPolicy";
  SplitInput input = {.table_regions = 2, .blocked_share = 0.2, .region_age_ms = 600000};
  EXPECT_TRUE(ShouldSplit(table, input));
  input.region_age_ms = 599999;
  EXPECT_FALSE(ShouldSplit(table, input));
  input = {.table_regions = 2, .blocked_share = 0.19, .region_age_ms = 600000};
  EXPECT_FALSE(ShouldSplit(table, input));
}

TEST(SplitPolicyTest, Points) {
  struct Point {
    std::map<std::string, std::string> attributes;
    const char* from;
    const char* to;
  };
  const std::string restriction = "hbase.regionserver.region.split_restriction.";
  const Point points[] = {
      {{}, "abc_def", "abc_def"},
      {{{"SPLIT_POLICY", "KeyPrefixRegionSplitPolicy"}}, "abc_def", "abc_def"},  // without a length
      {{{"SPLIT_POLICY", "KeyPrefixRegionSplitPolicy"}, {"KeyPrefixRegionSplitPolicy.prefix_length", "2"}},
       "abc",
       "ab"},
      {{{"SPLIT_POLICY", "KeyPrefixRegionSplitPolicy"}, {"KeyPrefixRegionSplitPolicy.prefix_length", "9"}},
       "abc",
       "abc"},
      {{{"SPLIT_POLICY", "DelimitedKeyPrefixRegionSplitPolicy"},
        {"DelimitedKeyPrefixRegionSplitPolicy.delimiter", "_"}},
       "ab_c_d",
       "ab"},
      {{{"SPLIT_POLICY", "DelimitedKeyPrefixRegionSplitPolicy"},
        {"DelimitedKeyPrefixRegionSplitPolicy.delimiter", "_"}},
       "abcd",
       "abcd"},
      {{{restriction + "type", "None"}}, "abcd", "abcd"},
      {{{restriction + "type", "KeyPrefix"}, {restriction + "prefix_length", "3"}}, "abcd", "abc"},
      {{{restriction + "type", "DelimitedKeyPrefix"}, {restriction + "delimiter", ","}}, "ab,cd", "ab"},
  };
  for (const Point& one : points) {
    TableDescriptor table;
    table.attributes = one.attributes;
    EXPECT_EQ(RestrictSplitPoint(table, one.from), one.to);
  }
}

}  // namespace
}  // namespace klip::engine
