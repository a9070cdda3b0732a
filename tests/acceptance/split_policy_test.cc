// Scenario I1: split policies. Sizes are HBase's smallest allowed, so that a few megabytes split.
#include <algorithm>
#include <set>

#include "acceptance/store_test.h"
#include "ops/random.h"

namespace klip::acceptance {
namespace {

constexpr char kPackage[] = "org.apache.hadoop.hbase.regionserver.";

class SplitPolicyTest : public StoreTest {
 protected:
  std::unique_ptr<Table> CreateWith(const std::string& policy, std::map<std::string, std::string> attributes) {
    TableDescriptor descriptor{.name = "t", .families = {{.name = "f"}}};
    descriptor.attributes = std::move(attributes);
    descriptor.attributes["SPLIT_POLICY"] = kPackage + policy;
    descriptor.attributes["MEMSTORE_FLUSHSIZE"] = "1048576";
    return Create(descriptor);
  }

  // About `megabytes` of values that do not compress, spread over `groups` prefixes "g00_".."g15_".
  void Load(Table& table, int megabytes, int groups, const std::string& delimiter = "_") {
    ops::Random random(5);
    std::vector<Put> puts;
    for (int i = 0; i < megabytes * 100; ++i) {
      std::string value(10000, ' ');
      for (char& byte : value) {
        byte = static_cast<char>(random.Bits());
      }
      const std::string row = "g" + std::to_string(10 + i % groups) + delimiter + std::to_string(100000 + rows_++);
      puts.push_back(Put{.row = row}.Add("f", "q", value));
      if (puts.size() == 50) {
        ASSERT_TRUE(table.Put(puts).ok());
        puts.clear();
      }
    }
    ASSERT_TRUE(table.Put(puts).ok());
    ASSERT_TRUE(connection_->admin().Flush("t").ok());
  }

  // The number of regions when the policy has no more splits to do, here or in the background.
  size_t RegionsInTheEnd() {
    for (int i = 0; i < 20; ++i) {
      Expected<int> splits = connection_->admin().RunSplitPolicies();
      EXPECT_TRUE(splits.ok()) << splits.status().ToString();
      if (!splits.ok() || *splits == 0) {
        break;
      }
    }
    return Regions().size();
  }

  std::vector<RegionInfo> Regions() {
    Expected<std::vector<RegionInfo>> regions = connection_->admin().GetRegions("t");
    EXPECT_TRUE(regions.ok());
    // Gapless, from the first row to the last.
    EXPECT_EQ(regions->front().start_key, "");
    EXPECT_EQ(regions->back().end_key, "");
    for (size_t i = 0; i + 1 < regions->size(); ++i) {
      EXPECT_EQ((*regions)[i].end_key, (*regions)[i + 1].start_key);
    }
    return *regions;
  }

  void ExpectAllRows(Table& table) { EXPECT_EQ(Rows(table, {}).size(), static_cast<size_t>(rows_)); }

  int rows_ = 0;
};

TEST_F(SplitPolicyTest, ConstantSizeSplitsAboveMaxFileSize) {
  std::unique_ptr<Table> table = CreateWith("ConstantSizeRegionSplitPolicy", {{"MAX_FILESIZE", "4194304"}});
  Load(*table, 3, 8);
  EXPECT_EQ(RegionsInTheEnd(), 1u);
  Load(*table, 3, 8);
  EXPECT_EQ(RegionsInTheEnd(), 2u);
  ExpectAllRows(*table);
}

// Limit: 2 x flush size x regions^3, at most MAX_FILESIZE.
TEST_F(SplitPolicyTest, IncreasingToUpperBoundSplitsEarlyAtFirst) {
  std::unique_ptr<Table> table = CreateWith("IncreasingToUpperBoundRegionSplitPolicy", {});
  Load(*table, 1, 8);
  EXPECT_EQ(RegionsInTheEnd(), 1u);
  Load(*table, 2, 8);
  EXPECT_EQ(RegionsInTheEnd(), 2u);
  // Two regions: the limit is 16 MB now.
  Load(*table, 4, 8);
  EXPECT_EQ(RegionsInTheEnd(), 2u);
  ExpectAllRows(*table);
}

TEST_F(SplitPolicyTest, SteppingSplitsTheFirstRegionEarlyOnly) {
  std::unique_ptr<Table> table = CreateWith("SteppingSplitPolicy", {});
  Load(*table, 3, 8);
  EXPECT_EQ(RegionsInTheEnd(), 2u);
  Load(*table, 6, 8);
  EXPECT_EQ(RegionsInTheEnd(), 2u);
  ExpectAllRows(*table);
}

TEST_F(SplitPolicyTest, DisabledNeverSplits) {
  std::unique_ptr<Table> table = CreateWith("DisabledRegionSplitPolicy", {{"MAX_FILESIZE", "2097152"}});
  Load(*table, 5, 8);
  EXPECT_EQ(RegionsInTheEnd(), 1u);
}

// No two rows with one prefix are in different regions.
void ExpectPrefixesTogether(const std::vector<RegionInfo>& regions, const std::vector<std::string>& rows,
                            size_t length) {
  for (size_t i = 1; i < regions.size(); ++i) {
    const std::string& border = regions[i].start_key;
    EXPECT_LE(border.size(), length) << border;
    for (const std::string& row : rows) {
      EXPECT_FALSE(row < border && row.substr(0, length) >= border) << row << " is cut from its prefix by " << border;
    }
  }
}

TEST_F(SplitPolicyTest, KeyPrefixKeepsPrefixesTogether) {
  std::unique_ptr<Table> table = CreateWith(
      "KeyPrefixRegionSplitPolicy", {{"MAX_FILESIZE", "2097152"}, {"KeyPrefixRegionSplitPolicy.prefix_length", "3"}});
  Load(*table, 8, 8);
  EXPECT_GT(RegionsInTheEnd(), 2u);
  ExpectPrefixesTogether(Regions(), Rows(*table, {}), 3);
  ExpectAllRows(*table);
}

TEST_F(SplitPolicyTest, DelimitedKeyPrefixKeepsPrefixesTogether) {
  std::unique_ptr<Table> table =
      CreateWith("DelimitedKeyPrefixRegionSplitPolicy",
                 {{"MAX_FILESIZE", "2097152"}, {"DelimitedKeyPrefixRegionSplitPolicy.delimiter", "_"}});
  Load(*table, 8, 8);
  EXPECT_GT(RegionsInTheEnd(), 2u);
  ExpectPrefixesTogether(Regions(), Rows(*table, {}), 3);
  ExpectAllRows(*table);
}

TEST_F(SplitPolicyTest, SwitchesHold) {
  std::unique_ptr<Table> table = CreateWith("ConstantSizeRegionSplitPolicy", {{"MAX_FILESIZE", "2097152"}});
  EXPECT_TRUE(*connection_->admin().cluster().SetSwitch(MasterSwitch::kSplit, false));
  Load(*table, 4, 8);
  EXPECT_EQ(RegionsInTheEnd(), 1u);
  table.reset();
  Open();
  EXPECT_FALSE(*connection_->admin().cluster().SetSwitch(MasterSwitch::kSplit, true));
  EXPECT_GT(RegionsInTheEnd(), 1u);
  std::vector<RegionInfo> regions = Regions();
  EXPECT_TRUE(*connection_->admin().cluster().SetSwitch(MasterSwitch::kMerge, false));
  const std::vector<std::string> names = {regions[0].encoded_name, regions[1].encoded_name};
  EXPECT_FALSE(connection_->admin().MergeRegions(names).ok());
  EXPECT_FALSE(*connection_->admin().cluster().SetSwitch(MasterSwitch::kMerge, true));
  KLIP_ASSERT_OK(connection_->admin().MergeRegions(names));
  EXPECT_EQ(Regions().size(), regions.size() - 1);
}

}  // namespace
}  // namespace klip::acceptance
