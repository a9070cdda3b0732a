// Cells: versions, timestamps, deletes, TTL.
#include "model/tags.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

using CellsTest = TableTest;

TEST_F(CellsTest, LastWriteAtOneTimestampWins) {
  Create("t", {Family("f", 3)});
  EXPECT_EQ(PutOne("r", "f:q", "old", 5), "ok");
  EXPECT_EQ(PutOne("r", "f:q", "new", 5), "ok");
  EXPECT_EQ(GetText("r", kAllVersions), "f:q@5=new");
  EXPECT_EQ(ScanText({.max_versions = kAllVersions, .raw = true}), "r{f:q@5=new}");
}

TEST_F(CellsTest, VersionsAreCutByReadAndFamily) {
  Create("t", {Family("f", 2)});
  for (int64_t ts = 1; ts <= 4; ++ts) {
    EXPECT_EQ(PutOne("r", "f:q", "v" + std::to_string(ts), ts), "ok");
  }
  EXPECT_EQ(GetText("r"), "f:q@4=v4");
  EXPECT_EQ(GetText("r", 2), "f:q@4=v4 f:q@3=v3");
  EXPECT_EQ(GetText("r", kAllVersions), "f:q@4=v4 f:q@3=v3");
  EXPECT_EQ(GetText("r", 0), "InvalidArgument: versions must be positive");
  EXPECT_EQ(GetText({.row = "r", .time_range = {0, 3}, .max_versions = 5}).find("v4"), std::string::npos);
}

TEST_F(CellsTest, ServerTimeIsOneValuePerMutation) {
  Create("t", {Family("f"), Family("g")});
  EXPECT_TRUE(table_->Put(Put{.row = "r"}.Add("f", "a", "1").Add("g", "b", "2").Add("f", "c", "3", 7)).ok());
  EXPECT_EQ(GetText("r"), "f:a@1000000=1 f:c@7=3 g:b@1000000=2");
  EXPECT_TRUE(table_->Put(Put{.row = "s", .timestamp_ms = 9}.Add("f", "a", "1").Add("f", "b", "2", 8)).ok());
  EXPECT_EQ(GetText("s"), "f:a@9=1 f:b@8=2");
}

TEST_F(CellsTest, EmptyValuesAndQualifiersExist) {
  Create("t", {Family("f")});
  EXPECT_EQ(PutOne("r", "f:", ""), "ok");
  EXPECT_EQ(GetText("r"), "f:@1000000=");
  EXPECT_TRUE(*table_->Exists({.row = "r", .columns = {{"f", ""}}}));
  EXPECT_FALSE(*table_->Exists({.row = "r", .columns = {{"f", "x"}}}));
  const Expected<Result> result = table_->Get({.row = "r", .check_existence_only = true});
  EXPECT_TRUE(result->exists());
  EXPECT_TRUE(result->empty());
}

TEST_F(CellsTest, DeleteOfNewestVersionReadsItsTimestamp) {
  Create("t", {Family("f", 5)});
  for (int64_t ts = 1; ts <= 4; ++ts) {
    PutOne("r", "f:q", "v" + std::to_string(ts), ts);
  }
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumn("f", "q")).ok());
  EXPECT_EQ(GetText("r"), "f:q@3=v3");
  // Twice in one Delete: the two newest.
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumn("f", "q").AddColumn("f", "q")).ok());
  EXPECT_EQ(GetText("r"), "f:q@1=v1");
  EXPECT_TRUE(table_->Delete(Delete{.row = "none"}.AddColumn("f", "q")).ok());
}

TEST_F(CellsTest, KindsOfDelete) {
  Create("t", {Family("f", 5), Family("g", 5)});
  const auto fill = [this] {
    for (int64_t ts = 1; ts <= 3; ++ts) {
      ASSERT_TRUE(
          table_->Put(Put{.row = "r", .timestamp_ms = ts}.Add("f", "a", "1").Add("f", "b", "2").Add("g", "c", "3"))
              .ok());
    }
  };
  fill();
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumn("f", "a", 2)).ok());
  EXPECT_EQ(GetText({.row = "r", .columns = {{"f", "a"}}, .max_versions = 5}), "f:a@3=1 f:a@1=1");
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddFamilyVersion("f", 3)).ok());
  EXPECT_EQ(GetText("r", 5), "f:a@1=1 f:b@2=2 f:b@1=2 g:c@3=3 g:c@2=3 g:c@1=3");
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "b", 1)).ok());
  EXPECT_EQ(GetText("r", 5), "f:a@1=1 f:b@2=2 g:c@3=3 g:c@2=3 g:c@1=3");
  EXPECT_TRUE(table_->Delete({.row = "r", .timestamp_ms = 2}).ok());
  EXPECT_EQ(GetText("r", 5), "g:c@3=3");
  EXPECT_TRUE(table_->Delete({.row = "r"}).ok());
  EXPECT_EQ(GetText("r", 5), "");
}

TEST_F(CellsTest, MarkerMasksLaterWritesUntilMajorCompaction) {
  Create("t", {Family("f", 3)});
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "q", 5)).ok());
  PutOne("r", "f:q", "late", 2);
  PutOne("r", "f:q", "same", 5);
  EXPECT_EQ(GetText("r"), "");
  EXPECT_TRUE(admin().Flush("t").ok());
  EXPECT_TRUE(admin().MajorCompact("t").ok());
  PutOne("r", "f:q", "late", 2);
  EXPECT_EQ(GetText("r"), "f:q@2=late");
}

TEST_F(CellsTest, NewVersionBehaviorGoesByOrderOfWrites) {
  FamilyDescriptor family = Family("f", 3);
  family.new_version_behavior = true;
  Create("t", {family});
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "q", 5)).ok());
  PutOne("r", "f:q", "late", 2);
  EXPECT_EQ(GetText("r"), "f:q@2=late");
}

TEST_F(CellsTest, KeepDeletedCellsShowsThePast) {
  for (const KeepDeletedCells keep : {KeepDeletedCells::kFalse, KeepDeletedCells::kTrue, KeepDeletedCells::kTtl}) {
    FamilyDescriptor family = Family("f", 5);
    family.keep_deleted_cells = keep;
    Create("t" + std::to_string(static_cast<int>(keep)), {family});
    PutOne("r", "f:q", "v1", 1);
    PutOne("r", "f:q", "v2", 2);
    EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "q", 3)).ok());
    const bool kept = keep != KeepDeletedCells::kFalse;
    EXPECT_EQ(GetText({.row = "r", .time_range = {0, 3}, .max_versions = 5}), kept ? "f:q@2=v2 f:q@1=v1" : "");
    EXPECT_EQ(GetText({.row = "r", .time_range = {0, 4}, .max_versions = 5}), "");
  }
}

TEST_F(CellsTest, RawScansShowMarkersAndRefuseColumns) {
  Create("t", {Family("f", 3)});
  PutOne("r", "f:q", "v", 1);
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "q", 2)).ok());
  EXPECT_EQ(ScanText({.max_versions = 3, .raw = true}), "r{f:q@2!12 f:q@1=v}");
  EXPECT_NE(ScanText({.columns = {{"f", "q"}}, .raw = true}).find("Cannot specify any column for a raw scan"),
            std::string::npos);
}

// With a filter, markers count as versions; also with a filter that is known to pass all that the jumps lead to.
TEST_F(CellsTest, RawScansCountVersionsAlikeWithAnyFilter) {
  Create("t", {Family("f", 5)});
  PutOne("r", "f:q", "1", 3);
  PutOne("r", "f:q", "2", 4);
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumn("f", "q", 5)).ok());
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "q", 6)).ok());
  EXPECT_EQ(ScanText({.max_versions = 2, .raw = true}), "r{f:q@6!12 f:q@5!8 f:q@4=2 f:q@3=1}");
  for (const char* filter : {"PrefixFilter('r')", "RowFilter(=, 'binary:r')", "ValueFilter(!=, 'binary:zzz')"}) {
    for (const bool reversed : {false, true}) {
      EXPECT_EQ(ScanText({.reversed = reversed, .max_versions = 2, .raw = true, .filter = *ParseFilter(filter)}),
                "r{f:q@6!12 f:q@5!8}")
          << filter << reversed;
    }
  }
}

// Like Get.addFamily and addColumn of HBase in this order.
TEST_F(CellsTest, AFamilyAndItsColumnsAreTakenInOrder) {
  Create("t", {Family("f"), Family("g")});
  for (const char* column : {"f:a", "f:b", "f:c", "g:a", "g:b"}) {
    PutOne("r", column, "v", 1);
  }
  using Columns = std::vector<ColumnSpec>;
  const std::vector<std::pair<Columns, std::string>> cases = {
      {{{"f"}, {"f", "a"}}, "f:a@1=v"},
      {{{"f", "a"}, {"f"}}, "f:a@1=v f:b@1=v f:c@1=v"},
      {{{"f", "a"}, {"f"}, {"f", "c"}, {"f", "b"}}, "f:b@1=v f:c@1=v"},
      {{{"f"}, {"g", "b"}, {"f", "c"}, {"g"}}, "f:c@1=v g:a@1=v g:b@1=v"},
  };
  for (const auto& [columns, cells] : cases) {
    EXPECT_EQ(GetText({.row = "r", .columns = columns}), cells);
    EXPECT_EQ(ScanText({.columns = columns}), "r{" + cells + "}");
  }
  EXPECT_EQ(ScanText({.columns = {{"f", "a"}, {"f"}}, .raw = true}), "r{f:a@1=v f:b@1=v f:c@1=v}");
}

TEST_F(CellsTest, FamilyTtlAndMinVersions) {
  FamilyDescriptor family = Family("f", 3);
  family.ttl_s = 10;
  FamilyDescriptor kept = Family("g", 3);
  kept.ttl_s = 10;
  kept.min_versions = 1;
  Create("t", {family, kept});
  PutOne("r", "f:q", "v");
  PutOne("r", "g:q", "old", 5);
  EXPECT_EQ(GetText("r"), "f:q@1000000=v g:q@5=old");
  now_ms_ += 10001;
  EXPECT_EQ(GetText("r"), "g:q@5=old");
  PutOne("r", "f:q", "born dead", 5);
  EXPECT_EQ(GetText("r"), "g:q@5=old");
}

// As HBase's region keeps them (HRegion.rewriteCellTags).
TEST_F(CellsTest, TagsOfPutsAreKept) {
  Create("t", {Family("f")});
  const std::string other = std::string("\0\3\x41", 3) + "ab";  // of type 'A'
  const std::string ttl = model::TtlTag(500);
  const auto put = [&](const std::string& own, int64_t ttl_ms = 0) {
    Put one = {.row = "r", .ttl_ms = ttl_ms};
    one.columns.push_back({"f", "q", "v", kLatestTimestamp, own});
    return table_->Put(one).ToString();
  };
  const auto tags = [&] {
    const Result row = *table_->Get({.row = "r"});
    return row.empty() ? "gone" : std::string(row[0].tags);
  };
  EXPECT_EQ(put(other), "ok");
  EXPECT_EQ(tags(), other);
  EXPECT_EQ(put(ttl + other, 700), "ok");
  EXPECT_EQ(tags(), other + model::TtlTag(700)) << "the put's TTL takes the place of the cell's";
  for (const std::string& damaged : {other.substr(0, 4), std::string(3, '\0'), std::string(1 << 16, 'x')}) {
    EXPECT_TRUE(put(damaged).starts_with("InvalidArgument: the tags")) << damaged.size();
  }
  EXPECT_EQ(put(ttl), "ok");
  EXPECT_EQ(tags(), ttl);
  now_ms_ += 501;
  EXPECT_EQ(tags(), "gone");
}

TEST_F(CellsTest, CellTtl) {
  FamilyDescriptor family = Family("f", 3);
  family.ttl_s = 1;
  Create("t", {family, Family("g", 3)});
  EXPECT_TRUE(table_->Put(Put{.row = "r", .ttl_ms = 500}.Add("g", "q", "v")).ok());
  EXPECT_TRUE(table_->Put(Put{.row = "r", .ttl_ms = 5000}.Add("f", "q", "v")).ok());
  Increment counter = {.row = "r", .ttl_ms = 500};
  EXPECT_TRUE(table_->Increment(counter.Add("g", "c", 1)).ok());
  now_ms_ += 499;
  EXPECT_NE(GetText("r").find("g:q"), std::string::npos);
  EXPECT_NE(GetText("r").find("g:c"), std::string::npos);
  now_ms_ += 2;
  EXPECT_EQ(GetText("r"), "f:q@1000000=v");
  now_ms_ += 1000;  // the family's TTL is shorter
  EXPECT_EQ(GetText("r"), "");
}

// Cells with visibility labels or ACLs are rejected: klip would show them to everybody.
TEST_F(CellsTest, CellsAreNotKeptFromAnybody) {
  Create("t", {Family("f", 1)});
  for (const char* const name : {kVisibilityAttribute, kPermissionsAttribute}) {
    Put put = {.row = "r", .attributes = {{name, "x"}}};
    EXPECT_EQ(table_->Put(put.Add("f", "q", "v")).code(), Code::kUnsupported);
    Increment increment = {.row = "r", .attributes = {{name, "x"}}};
    EXPECT_EQ(table_->Increment(increment.Add("f", "q")).status().code(), Code::kUnsupported);
    Append append = {.row = "r", .attributes = {{name, "x"}}};
    EXPECT_EQ(table_->Append(append.Add("f", "q", "v")).status().code(), Code::kUnsupported);
    EXPECT_EQ(table_->Delete({.row = "r", .attributes = {{name, "x"}}}).code(), Code::kUnsupported);
  }
  EXPECT_EQ(GetText("r"), "");
  Put put = {.row = "r", .attributes = {{"mine", "x"}}};
  EXPECT_TRUE(table_->Put(put.Add("f", "q", "v")).ok());
  EXPECT_TRUE(table_->Get({.row = "r", .attributes = {{kVisibilityAttribute, "x"}}})->exists());
}

}  // namespace
}  // namespace klip::table
