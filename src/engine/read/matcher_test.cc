// Read and compaction rules, cell by cell. What they do together with a store is in engine/read/row_scanner_test.cc.
#include <gtest/gtest.h>

#include "model/compaction_matcher.h"
#include "model/read_matcher.h"

namespace klip::model {
namespace {

ReadRules Rules(int32_t versions) {
  ReadRules rules;
  rules.policy.max_versions = 3;
  rules.max_versions = versions;
  rules.now_ms = 1000;
  return rules;
}

CellRef Put(std::string_view qualifier, int64_t timestamp, uint64_t sequence = 0) {
  return {qualifier, timestamp, CellType::kPut, -1, sequence};
}
CellRef Marker(CellType type, std::string_view qualifier, int64_t timestamp, uint64_t sequence = 0) {
  return {qualifier, timestamp, type, -1, sequence};
}

TEST(ReadMatcher, SurplusVersionsEndTheColumn) {
  ReadMatcher matcher(Rules(2));
  matcher.StartRow();
  EXPECT_EQ(matcher.Match(Put("a", 9)), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Put("a", 8)), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Put("a", 7)), MatchCode::kNextColumn);
  EXPECT_EQ(matcher.wanted_column(), nullptr);
  EXPECT_EQ(matcher.Match(Put("b", 7)), MatchCode::kInclude);
}

TEST(ReadMatcher, ChosenColumnsSayWhereToGo) {
  ReadRules rules = Rules(1);
  rules.qualifiers = {"b", "d"};
  ReadMatcher matcher(rules);
  matcher.StartRow();
  EXPECT_EQ(matcher.Match(Put("a", 9)), MatchCode::kNextColumn);
  EXPECT_EQ(*matcher.wanted_column(), "b");
  EXPECT_EQ(matcher.Match(Put("b", 9)), MatchCode::kIncludeNextColumn);
  EXPECT_EQ(*matcher.wanted_column(), "d");
  EXPECT_EQ(matcher.Match(Put("e", 9)), MatchCode::kNextRow);
  matcher.StartRow();
  EXPECT_EQ(matcher.Match(Put("d", 9)), MatchCode::kIncludeNextRow);
}

TEST(ReadMatcher, MarkersMaskWhatIsWrittenLaterToo) {
  ReadMatcher matcher(Rules(3));
  matcher.StartRow();
  EXPECT_EQ(matcher.Match(Marker(CellType::kDeleteFamily, "", 2)), MatchCode::kSkip);
  EXPECT_EQ(matcher.Match(Put("a", 9)), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Marker(CellType::kDelete, "a", 7)), MatchCode::kSkip);
  EXPECT_EQ(matcher.Match(Put("a", 7)), MatchCode::kSkip);
  EXPECT_EQ(matcher.Match(Put("a", 6)), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Marker(CellType::kDeleteColumn, "a", 5)), MatchCode::kSkip);
  EXPECT_EQ(matcher.Match(Put("a", 4)), MatchCode::kNextColumn);
  EXPECT_EQ(matcher.Match(Put("b", 3)), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Put("b", 2)), MatchCode::kNextColumn);
}

TEST(ReadMatcher, NewVersionBehaviorCountsMaskedVersions) {
  ReadRules rules = Rules(3);
  rules.policy.new_version_behavior = true;
  rules.policy.max_versions = 2;
  ReadMatcher matcher(rules);
  matcher.StartRow();
  EXPECT_EQ(matcher.Match(Marker(CellType::kDelete, "a", 9, 4)), MatchCode::kSkip);
  EXPECT_EQ(matcher.Match(Put("a", 9, 3)), MatchCode::kSkip);
  EXPECT_EQ(matcher.Match(Put("a", 8, 2)), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Put("a", 7, 1)), MatchCode::kSkip);     // surplus before the delete, so it does not come back
  EXPECT_EQ(matcher.Match(Put("a", 6, 5)), MatchCode::kInclude);  // written after the delete
}

TEST(ReadMatcher, VersionsAreCutAfterTheFilter) {
  ReadRules rules = Rules(1);
  rules.has_filter = true;
  ReadMatcher matcher(rules);
  matcher.StartRow();
  EXPECT_EQ(matcher.Match(Put("a", 9)), MatchCode::kInclude);  // the filter rejects it
  EXPECT_EQ(matcher.Match(Put("a", 8)), MatchCode::kInclude);
  EXPECT_EQ(matcher.CountPassed("a", MatchCode::kInclude), MatchCode::kInclude);
  EXPECT_EQ(matcher.Match(Put("a", 7)), MatchCode::kInclude);
  EXPECT_EQ(matcher.CountPassed("a", MatchCode::kInclude), MatchCode::kNextColumn);
  EXPECT_EQ(matcher.Match(Put("a", 6)), MatchCode::kNextColumn);
}

FamilyPolicy Policy(KeepDeletedCells keep) {
  FamilyPolicy policy;
  policy.max_versions = 2;
  policy.keep_deleted_cells = keep;
  policy.ttl_ms = 100;
  return policy;
}

TEST(CompactionMatcher, MinorKeepsMarkersAndDropsWhatTheyMask) {
  CompactionMatcher matcher(Policy(KeepDeletedCells::kFalse), 1000, false);
  matcher.StartRow();
  EXPECT_TRUE(matcher.Keep(Put("a", 990)));
  EXPECT_TRUE(matcher.Keep(Marker(CellType::kDeleteColumn, "a", 980)));
  EXPECT_FALSE(matcher.Keep(Put("a", 970)));
  EXPECT_TRUE(matcher.Keep(Marker(CellType::kDelete, "a", 960)));
  EXPECT_FALSE(matcher.Keep(Marker(CellType::kDelete, "a", 899)));  // expired, and so has everything that it masks
}

TEST(CompactionMatcher, MajorDropsMarkers) {
  CompactionMatcher matcher(Policy(KeepDeletedCells::kFalse), 1000, true);
  matcher.StartRow();
  EXPECT_TRUE(matcher.Keep(Put("a", 990)));
  EXPECT_FALSE(matcher.Keep(Marker(CellType::kDeleteColumn, "a", 980)));
  EXPECT_FALSE(matcher.Keep(Put("a", 970)));
  matcher.StartRow();
  EXPECT_TRUE(matcher.Keep(Put("a", 970)));
}

TEST(CompactionMatcher, KeepDeletedCellsKeepsThemUpToVersionsAndTtl) {
  for (KeepDeletedCells keep : {KeepDeletedCells::kTrue, KeepDeletedCells::kTtl}) {
    CompactionMatcher matcher(Policy(keep), 1000, true);
    matcher.StartRow();
    EXPECT_TRUE(matcher.Keep(Marker(CellType::kDeleteColumn, "a", 980)));
    EXPECT_TRUE(matcher.Keep(Put("a", 970)));
    EXPECT_TRUE(matcher.Keep(Put("a", 960)));
    EXPECT_FALSE(matcher.Keep(Put("a", 950)));
    EXPECT_FALSE(matcher.Keep(Marker(CellType::kDelete, "a", 940)));  // dropped with the surplus versions
    EXPECT_FALSE(matcher.Keep(Put("b", 899)));
  }
}

TEST(CompactionMatcher, ACellExpiresOnceItIsOlderThanTheTtl) {
  CompactionMatcher matcher(Policy(KeepDeletedCells::kFalse), 1000, true);
  matcher.StartRow();
  EXPECT_TRUE(matcher.Keep(Put("a", 900)));
  EXPECT_FALSE(matcher.Keep(Put("b", 899)));
}

TEST(CompactionMatcher, MinVersionsOutliveTheTtl) {
  FamilyPolicy policy = Policy(KeepDeletedCells::kFalse);
  policy.min_versions = 1;
  CompactionMatcher matcher(policy, 1000, false);
  matcher.StartRow();
  EXPECT_TRUE(matcher.Keep(Put("a", 10)));
  EXPECT_FALSE(matcher.Keep(Put("a", 9)));
  CellRef short_lived = Put("b", 950);
  short_lived.ttl_ms = 10;
  EXPECT_FALSE(matcher.Keep(short_lived));
}

}  // namespace
}  // namespace klip::model
