// Regions: splits and merges by hand and by policy.
#include "base/digest.h"
#include "engine/read/row_scanner.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class StoreRegionsTest : public StoreTest {
 protected:
  StoreRegionsTest() { Open(); }

  std::string Borders(std::string_view table) {
    std::string out;
    for (const Region& region : *View(table)->regions) {
      out += "[" + region.start_key + "," + region.end_key + ")";
    }
    return out;
  }
  std::vector<std::string> Names(std::string_view table, std::vector<size_t> indexes) {
    const std::vector<RegionInfo> all = store_->regions().List(*View(table));
    std::vector<std::string> names;
    for (const size_t index : indexes) {
      names.push_back(index % 2 == 0 ? all[index].encoded_name : all[index].Name());
    }
    return names;
  }
  int Rows(std::string_view table) {
    const auto scanner = RowScanner::Open(*store_, View(table), {});
    Result row;
    int rows = 0;
    while (*(*scanner)->Next(&row)) {
      ++rows;
    }
    return rows;
  }
  void Write(std::string_view table, std::string_view row, int64_t timestamp_ms, CellType type,
             std::string_view value) {
    WriteSet writes;
    writes.Add(View(table)->families[0], row, type == CellType::kDeleteFamily ? "" : "q", timestamp_ms, type, value);
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  }
  // The result of a scan, as "row=value ".
  std::string Values(std::string_view table) {
    const auto scanner = RowScanner::Open(*store_, View(table), {});
    Result row;
    std::string out;
    while (*(*scanner)->Next(&row)) {
      out.append(row.row()).append("=").append(row[0].value).append(" ");
    }
    return out;
  }
  int64_t CellsInFiles(std::string_view table) { return store_->storage().Statistics(*View(table))->cells; }
  // `rows` rows "aaa_000000".. of 100 bytes that do not compress, in prefixes of 100 rows.
  void Fill(std::string_view table, int rows) {
    const TablePtr view = View(table);
    WriteSet writes;
    for (int i = 0; i < rows; ++i) {
      char row[32];
      snprintf(row, sizeof(row), "p%03d_%06d", i / 100, i);
      writes.Add(view->families[0], row, "q", 1, CellType::kPut, base::Sha256(row) + base::Sha1(row));
    }
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
    ASSERT_TRUE(store_->storage().Flush(table).ok());
  }
};

TEST_F(StoreRegionsTest, NamesAreHBases) {
  Create("t", {"f"}, {"m"});
  const RegionInfo region = store_->regions().List(*View("t"))[1];
  EXPECT_EQ(region.encoded_name, base::Hex(base::Md5("t,m,1700000000000")));
  EXPECT_EQ(region.Name(), "t,m,1700000000000." + region.encoded_name + ".");
}

TEST_F(StoreRegionsTest, SplitByHand) {
  Create("t", {"f"});
  EXPECT_EQ(store_->regions().SplitRegion("t", "m").ToString(), "ok");
  EXPECT_EQ(store_->regions().SplitRegion("t", "c").ToString(), "ok");
  EXPECT_EQ(store_->regions().SplitRegion("t", "m").ToString(), "DoNotRetry: Split row is equal to startkey: m");
  Open();
  EXPECT_EQ(Borders("t"), "[,c)[c,m)[m,)");
  EXPECT_EQ(store_->regions().SplitRegion("nope", "m").code(), Code::kTableNotFound);
  EXPECT_EQ(store_->regions().SplitRegion("t", "").code(), Code::kDoNotRetry);  // no data: no middle
}

TEST_F(StoreRegionsTest, TruncateLeavesTheOtherRegionsAlone) {
  Create("t", {"f"}, {"p001", "p002"});
  Fill("t", 300);
  EXPECT_EQ(Rows("t"), 300);
  EXPECT_EQ(store_->regions().TruncateRegion("t", "p001").ToString(), "ok");
  EXPECT_EQ(Rows("t"), 200);
  EXPECT_EQ(store_->regions().TruncateRegion("t", "p002").ToString(), "ok");
  EXPECT_EQ(Rows("t"), 100);
  Open();
  EXPECT_EQ(Rows("t"), 100);
  EXPECT_EQ(Borders("t"), "[,p001)[p001,p002)[p002,)");
  EXPECT_EQ(store_->regions().TruncateRegion("t", "p0015").code(), Code::kInvalidArgument);
}

// Truncated cells neither count as versions nor mask others.
TEST_F(StoreRegionsTest, WhatIsTruncatedCountsForNothing) {
  for (const bool flushed : {false, true}) {
    const std::string table = flushed ? "flushed" : "in_memory";
    Create(table, {"f"}, {"m"});
    Write(table, "r1", 100, CellType::kPut, "old");
    Write(table, "r2", 100, CellType::kDeleteFamily, "");
    Write(table, "a", 1, CellType::kPut, "other region");
    if (flushed) {
      ASSERT_TRUE(store_->storage().Flush(table).ok());
    }
    ASSERT_EQ(store_->regions().TruncateRegion(table, "m").ToString(), "ok");
    EXPECT_EQ(Values(table), "a=other region ");
    Write(table, "r1", 50, CellType::kPut, "restored");
    Write(table, "r2", 50, CellType::kPut, "restored");
    const std::string all = "a=other region r1=restored r2=restored ";
    EXPECT_EQ(Values(table), all);
    ASSERT_TRUE(store_->storage().Flush(table).ok());
    EXPECT_EQ(Values(table), all);
    ASSERT_TRUE(store_->storage().Compact(table, /*major=*/true).ok());
    EXPECT_EQ(Values(table), all);
    EXPECT_EQ(CellsInFiles(table), 3);
  }
}

TEST_F(StoreRegionsTest, WhatIsTruncatedIsGoneFromTheFiles) {
  Create("t", {"f"}, {"m", "s"});
  for (const char* row : {"a", "r1", "z"}) {
    Write("t", row, 100, CellType::kPut, "old");
  }
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
  Write("t", "b", 100, CellType::kDeleteFamily, "");
  EXPECT_EQ(CellsInFiles("t"), 3);
  ASSERT_EQ(store_->regions().TruncateRegion("t", "m").ToString(), "ok");
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  EXPECT_EQ(CellsInFiles("t"), 3) << "the other regions', and the marker: that was no major compaction";
  EXPECT_EQ(store_->storage().Statistics(*View("t"))->delete_markers, 1);
}

TEST_F(StoreRegionsTest, ASnapshotHasNothingThatIsTruncated) {
  Create("t", {"f"});
  for (int i = 1; i <= 9; ++i) {
    Write("t", "r" + std::to_string(i), 1, CellType::kPut, "old");
  }
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_EQ(store_->regions().TruncateRegion("t", "").ToString(), "ok");
  ASSERT_EQ(store_->snapshots().Take("empty", "t").ToString(), "ok");
  Write("t", "r5", 2, CellType::kPut, "new");
  ASSERT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
  ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Values("c"), "r5=new ");
  ASSERT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  ASSERT_EQ(store_->snapshots().Restore("s").ToString(), "ok");
  EXPECT_EQ(Values("t"), "r5=new ");
  ASSERT_EQ(store_->snapshots().Clone("empty", "e").ToString(), "ok");
  EXPECT_EQ(Values("e"), "");
  Open();
  EXPECT_EQ(Values("c") + Values("t") + Values("e"), "r5=new r5=new ");
}

TEST_F(StoreRegionsTest, FileNamesOfARange) {
  Create("t", {"f"}, {"p001"});
  Fill("t", 300);
  const Family& family = View("t")->families[0];
  EXPECT_EQ(store_->storage().FileNames(family, "", "").size(), 1U);
  EXPECT_EQ(store_->storage().FileNames(family, "p001", "").size(), 1U);
  EXPECT_EQ(store_->storage().FileNames(family, "z", "").size(), 0U);
}

TEST_F(StoreRegionsTest, MergeByHand) {
  Create("t", {"f"}, {"c", "m", "s"});
  EXPECT_EQ(store_->regions().MergeRegions(Names("t", {0, 2}), false).code(), Code::kDoNotRetry);
  EXPECT_EQ(store_->regions().MergeRegions(Names("t", {1, 2}), false).ToString(), "ok");
  EXPECT_EQ(Borders("t"), "[,c)[c,s)[s,)");
  EXPECT_EQ(store_->regions().MergeRegions(Names("t", {2, 0}), true).ToString(), "ok");
  EXPECT_EQ(Borders("t"), "[,)");
  const std::vector<std::string> unknown = {"x", "y"};
  EXPECT_EQ(store_->regions().MergeRegions(unknown, false).code(), Code::kNotServingRegion);
}

TEST_F(StoreRegionsTest, ChangesAreToldUntilTheyAreForgotten) {
  const auto changes = [this] {
    std::string out;
    for (const RegionChange& change : View("t")->changes) {
      for (const Region& region : change.before) {
        out += "[" + region.start_key + "," + region.end_key + ")";
      }
      out += "->";
      for (const Region& region : change.after) {
        out += "[" + region.start_key + "," + region.end_key + ")";
      }
      out += " ";
    }
    return out;
  };
  Create("t", {"f"}, {"m"});
  EXPECT_EQ(changes(), "");
  EXPECT_EQ(store_->regions().SplitRegion("t", "c").ToString(), "ok");
  EXPECT_EQ(store_->regions().SplitRegion("t", "s").ToString(), "ok");
  EXPECT_EQ(store_->catalog().SetEnabled("t", false).ToString(), "ok");
  EXPECT_EQ(changes(), "[,m)->[,c)[c,m) [m,)->[m,s)[s,) ");
  EXPECT_EQ(store_->catalog().SetEnabled("t", true).ToString(), "ok");
  EXPECT_EQ(store_->regions().MergeRegions(Names("t", {1, 2}), false).ToString(), "ok");
  EXPECT_EQ(changes(), "[c,m)[m,s)->[c,s) ") << "both earlier ones led to regions that are gone";
  Open();
  EXPECT_EQ(changes(), "[c,m)[m,s)->[c,s) ");
  EXPECT_EQ(View("t")->changes[0].after[0].region_id, (*View("t")->regions)[1].region_id);
  EXPECT_EQ(*store_->regions().ForgetRegionChanges(), 1);
  EXPECT_EQ(changes(), "");
  EXPECT_EQ(Borders("t"), "[,c)[c,s)[s,)");
  EXPECT_EQ(*store_->regions().ForgetRegionChanges(), 0);
  Open();
  EXPECT_EQ(changes(), "");
}

TEST_F(StoreRegionsTest, SwitchesAreKept) {
  Create("t", {"f"}, {"c"});
  EXPECT_TRUE(store_->regions().SetSplitEnabled(false));
  EXPECT_TRUE(store_->regions().SetMergeEnabled(false));
  Open();
  EXPECT_EQ(store_->regions().SplitRegion("t", "m").code(), Code::kDoNotRetry);
  EXPECT_EQ(store_->regions().MergeRegions(Names("t", {0, 1}), false).code(), Code::kDoNotRetry);
  EXPECT_FALSE(store_->regions().SetSplitEnabled(true));
  EXPECT_FALSE(store_->regions().SetMergeEnabled(true));
  EXPECT_TRUE(store_->regions().MergeRegions(Names("t", {0, 1}), false).ok());
}

TEST_F(StoreRegionsTest, TableAttributesForbid) {
  TableDescriptor table = Descriptor("t", {"f"});
  table.attributes = {{"SPLIT_ENABLED", "false"}, {"MERGE_ENABLED", "FALSE"}};
  ASSERT_TRUE(store_->catalog().CreateTable(table, {"c"}).ok());
  EXPECT_EQ(store_->regions().SplitRegion("t", "m").code(), Code::kDoNotRetry);
  EXPECT_EQ(store_->regions().MergeRegions(Names("t", {0, 1}), false).code(), Code::kDoNotRetry);
  table = Descriptor("d", {"f"});
  table.attributes = {{"SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy"}};
  ASSERT_TRUE(store_->catalog().CreateTable(table, {}).ok());
  EXPECT_EQ(store_->regions().SplitRegion("d", "m").code(), Code::kDoNotRetry);
}

TEST_F(StoreRegionsTest, PoliciesKeepPrefixesTogether) {
  for (const bool delimited : {false, true}) {
    const std::string name = delimited ? "delimited" : "fixed";
    TableDescriptor table = Descriptor(name, {"f"});
    table.attributes = {{"hbase.increasing.policy.initial.size", "20000"}};
    if (delimited) {
      table.attributes["SPLIT_POLICY"] = "DelimitedKeyPrefixRegionSplitPolicy";
      table.attributes["DelimitedKeyPrefixRegionSplitPolicy.delimiter"] = "_";
    } else {
      table.attributes["SPLIT_POLICY"] = "KeyPrefixRegionSplitPolicy";
      table.attributes["KeyPrefixRegionSplitPolicy.prefix_length"] = "4";
    }
    ASSERT_EQ(store_->catalog().CreateTable(table, {}).ToString(), "ok");
    Fill(name, 6000);
    ASSERT_TRUE(store_->regions().RunSplitPolicies().ok());
    const auto regions = View(name)->regions;
    EXPECT_GT(regions->size(), 1u);
    for (size_t i = 1; i < regions->size(); ++i) {
      EXPECT_EQ((*regions)[i].start_key.size(), 4u) << (*regions)[i].start_key;
    }
  }
}

TEST_F(StoreRegionsTest, SplitsInTheBackgroundAfterAFlush) {
  TableDescriptor table = Descriptor("t", {"f"});
  table.attributes = {{"SPLIT_POLICY", "SteppingSplitPolicy"}, {"hbase.increasing.policy.initial.size", "20000"}};
  ASSERT_EQ(store_->catalog().CreateTable(table, {}).ToString(), "ok");
  Fill("t", 3000);
  for (int i = 0; i < 1000 && View("t")->regions->size() == 1; ++i) {
    ASSERT_TRUE(store_->regions().RunSplitPolicies().ok());  // waits for the background thread: both need the same lock
  }
  EXPECT_EQ(View("t")->regions->size(), 2u);
  const std::string border = (*View("t")->regions)[1].start_key;
  EXPECT_GT(border, "p010");
  EXPECT_LT(border, "p020");
  EXPECT_EQ(store_->storage().SplitPoints(*View("t"), "", "", 4).size(), 3u);
}

}  // namespace
}  // namespace klip::engine
