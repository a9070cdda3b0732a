#include "model/shown_versions.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "model/tags.h"

namespace klip::model {
namespace {

constexpr CellType kVersion = CellType::kDelete;
constexpr CellType kColumn = CellType::kDeleteColumn;
constexpr CellType kFamily = CellType::kDeleteFamily;

StoredCell PutAt(int64_t ms, bool fresh = false, int64_t ttl_ms = -1, uint64_t sequence = 0) {
  return {"q", ms, CellType::kPut, "v" + std::to_string(ms), ttl_ms < 0 ? "" : TtlTag(ttl_ms), sequence, fresh};
}
StoredCell MarkerAt(CellType type, int64_t ms, bool fresh = false, uint64_t sequence = 0) {
  return {type == kFamily ? "" : "q", ms, type, "", "", sequence, fresh};
}

// For example "v2 v1? v0?<=9": ? marks an uncertain version, followed by its end.
std::string Shown(const FamilyPolicy& policy, std::vector<StoredCell> cells, int64_t now_ms = 100) {
  cells = Overlay({}, std::move(cells));
  MarkBeneath(policy, &cells);
  std::string out;
  for (const ShownVersion& one : ShownVersions(policy, cells, "q", now_ms)) {
    out += (out.empty() ? "" : " ") + one.cell->value + (one.certain ? "" : "?");
    out += one.until_ms == kNoEnd ? "" : "<=" + std::to_string(one.until_ms);
  }
  return out;
}

TEST(ShownVersionsTest, TheNewestPutHidesAllOthers) {
  EXPECT_EQ(Shown({}, {}), "");
  EXPECT_EQ(Shown({}, {PutAt(1), PutAt(3), PutAt(2)}), "v3");
  EXPECT_EQ(Shown({.max_versions = 5}, {PutAt(1), PutAt(3)}), "v3");
  EXPECT_EQ(Shown({}, {{"p", 9, CellType::kPut, "other", "", 0, false}, PutAt(1)}), "v1");
}

TEST(ShownVersionsTest, TimeEndsIt) {
  EXPECT_EQ(Shown({.ttl_ms = 50}, {PutAt(60), PutAt(55)}), "v60<=110");
  EXPECT_EQ(Shown({.ttl_ms = 50}, {PutAt(50)}), "v50<=100");
  EXPECT_EQ(Shown({.ttl_ms = 50}, {PutAt(49)}), "");
  EXPECT_EQ(Shown({.max_versions = 2, .min_versions = 1, .ttl_ms = 50}, {PutAt(20), PutAt(10)}), "v20");
}

TEST(ShownVersionsTest, OneWithATtlOfItsOwnUncoversOlderOnes) {
  EXPECT_EQ(Shown({}, {PutAt(90, false, 20), PutAt(80)}), "v90?<=110 v80?");
  EXPECT_EQ(Shown({}, {PutAt(90, false, 5), PutAt(80)}), "v80?") << "a compaction may drop it as surplus";
  EXPECT_EQ(Shown({}, {PutAt(90, false, 5), PutAt(80), PutAt(95)}), "v95");
  EXPECT_EQ(Shown({}, {PutAt(90), PutAt(80, false, 50)}), "v90");
}

TEST(ShownVersionsTest, AVersionsDeleteLeavesTheOthersUncertain) {
  EXPECT_EQ(Shown({}, {PutAt(3), MarkerAt(kVersion, 3), PutAt(2), PutAt(1)}), "v2? v1?");
  EXPECT_EQ(Shown({}, {PutAt(3), MarkerAt(kVersion, 3, true), PutAt(2)}), "v2?");
  EXPECT_EQ(Shown({}, {PutAt(3), MarkerAt(kVersion, 2), PutAt(2)}), "v3");
}

TEST(ShownVersionsTest, WhatIsDeletedIsGoneUnlessItWasWrittenBeneathTheMarker) {
  for (const CellType type : {kColumn, kFamily}) {
    EXPECT_EQ(Shown({}, {PutAt(3), PutAt(2), MarkerAt(type, 3, true)}), "");
    EXPECT_EQ(Shown({}, {PutAt(3), MarkerAt(type, 3)}), "");
    EXPECT_EQ(Shown({}, {PutAt(3, true), MarkerAt(type, 3)}), "v3?");
    EXPECT_EQ(Shown({}, {PutAt(3, true), MarkerAt(type, 3, true)}), "");
    EXPECT_EQ(Shown({}, {PutAt(4), PutAt(2, true), MarkerAt(type, 3)}), "v4");
    StoredCell beneath = PutAt(2);
    beneath.beneath = true;
    EXPECT_EQ(Shown({}, {PutAt(4), beneath, MarkerAt(type, 3)}), "v4");
    EXPECT_EQ(Shown({}, {PutAt(4), beneath, MarkerAt(type, 3), MarkerAt(kVersion, 4, true)}), "v2?");
  }
  EXPECT_EQ(Shown({.keep_deleted_cells = KeepDeletedCells::kTrue}, {PutAt(3), MarkerAt(kColumn, 3, true)}), "v3?");
}

TEST(ShownVersionsTest, InTheOrderOfWriting) {
  const FamilyPolicy policy = {.max_versions = 3, .new_version_behavior = true};
  EXPECT_EQ(Shown(policy, {PutAt(3, false, -1, 7), MarkerAt(kColumn, 5, false, 6)}), "v3");
  EXPECT_EQ(Shown(policy, {PutAt(3, false, -1, 5), MarkerAt(kColumn, 5, false, 6)}), "");
  EXPECT_EQ(Shown(policy, {PutAt(3, false, -1, 5), MarkerAt(kVersion, 3, false, 6), PutAt(2, false, -1, 1)}), "v2?");
}

TEST(OverlayTest, TheLastCellOfAKeyCounts) {
  std::vector<StoredCell> stored = {PutAt(2), PutAt(1)};
  StoredCell first = PutAt(2, true);
  first.value = "first";
  StoredCell second = PutAt(2, true);
  second.value = "second";
  const std::vector<StoredCell> all = Overlay(stored, {first, PutAt(3, true), second});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].value, "v3");
  EXPECT_EQ(all[1].value, "second");
  EXPECT_EQ(all[2].value, "v1");
}

}  // namespace
}  // namespace klip::model
