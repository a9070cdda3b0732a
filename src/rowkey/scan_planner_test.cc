// What backends with different capabilities are asked to do, and which of several access paths is taken.
#include "rowkey/scan_planner.h"

#include <array>

#include <gtest/gtest.h>

namespace klip::rowkey {
namespace {

constexpr std::string_view kByUser = "username:text(10,'*') date:digits(8)";
constexpr std::string_view kByDate = "date:digits(8) username:text(10,'*')";
constexpr Capabilities kServer = {.jumps = false};

FilterPtr PushPrefix(const filter::RowSet&, bool, bool* exact) {
  *exact = true;
  return PrefixFilter("a");
}

FilterPtr PushNothing(const filter::RowSet&, bool, bool*) { return nullptr; }

TEST(ScanPlanner, WhoeverJumpsTakesFiltersApart) {
  const Scan scan = {.start_row = "a", .stop_row = "c", .filter = PrefixFilter("b"), .threads = 4};
  const ScanNeeds local = *NeedsOf(scan, "t", nullptr, {.jumps = true, .parallel = true});
  EXPECT_EQ(local.filter, nullptr);
  ASSERT_NE(local.rows, nullptr);
  EXPECT_EQ(local.rows->Bounds().start, "b");
  EXPECT_EQ(local.threads, 4);
  const ScanNeeds server = *NeedsOf(scan, "t", nullptr, kServer);
  EXPECT_EQ(server.filter, scan.filter);
  EXPECT_EQ(server.rows, nullptr);
  EXPECT_EQ(server.threads, 1);
}

TEST(ScanPlanner, RawScansKeepTheirFilter) {
  const Scan scan = {.raw = true, .filter = PrefixFilter("b")};
  const ScanNeeds needs = *NeedsOf(scan, "t", nullptr, {});
  EXPECT_EQ(needs.filter, scan.filter);
  EXPECT_NE(needs.rows, nullptr);
}

TEST(ScanPlanner, KeyFieldsNeedASchema) {
  const Scan scan = {.where = RowKeySchema::Parse(kByUser)->ParseQuery("date=20140628").value()};
  const Status status = NeedsOf(scan, "visits", nullptr, {}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("table 'visits' has no row-key schema"), std::string::npos) << status.message();
}

class Paths : public testing::Test {
 protected:
  // Asks for one of 1,000 dates, of 100,000 rows of 10,000 users.
  Paths() : users_(*RowKeySchema::Parse(kByUser)), dates_(*RowKeySchema::Parse(kByDate)) {
    scan_.where = *users_.ParseQuery("date=20140628");
    needs_ = *NeedsOf(scan_, "visits", &users_, {});
    paths_[0] = {.schema = &users_, .rows = needs_.rows, .statistics = Counted(10'000)};
    paths_[1] = {
        .name = "by_date", .schema = &dates_, .rows = *dates_.Compile(*scan_.where), .statistics = Counted(1000)};
  }

  static TableStatistics Counted(double first_fields) {
    return {.rows = 100'000,
            .cells = 100'000,
            .sorted_runs = 1,
            .fields = {{.name = "", .distinct_prefixes = first_fields}, {.name = "", .distinct_prefixes = 100'000}}};
  }

  ScanPlan Find() const { return PlanScan(scan_, "visits", needs_, paths_, {}); }

  RowKeySchema users_;
  RowKeySchema dates_;
  Scan scan_;
  ScanNeeds needs_;
  std::array<AccessPath, 2> paths_;
};

TEST_F(Paths, TheCheapestIsTaken) {
  const ScanPlan found = Find();
  EXPECT_EQ(found.path, 1u);
  EXPECT_EQ(found.plan.explain.kind, PlanKind::kRange);
  const std::string text = found.plan.explain.ToText();
  EXPECT_TRUE(text.starts_with("range of 'visits' by 'by_date'\n")) << text;
  EXPECT_NE(text.find("not skip scan"), std::string::npos) << text;
  EXPECT_NE(text.find(" instead of "), std::string::npos) << text;
  const std::string json = found.plan.explain.ToJson();
  EXPECT_NE(json.find(R"("index":"by_date")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("entries_read":100.0)"), std::string::npos) << json;
}

TEST_F(Paths, RowsFetchedFromTheTableCost) {
  paths_[1].needs_fetch = true;
  EXPECT_EQ(Find().path, 1u);
  paths_[1].costs.fetch_us = 1000;  // as from a disk
  const ScanPlan found = Find();
  EXPECT_EQ(found.path, 0u);
  EXPECT_TRUE(found.plan.explain.index.empty());
  const std::string text = found.plan.explain.ToText();
  EXPECT_NE(text.find("not index by_date"), std::string::npos) << text;
}

TEST_F(Paths, TheTableIsTakenWhereTheDifferenceIsTooSmall) {
  for (AccessPath& path : paths_) {
    path.statistics->rows = path.statistics->cells = 10;
    for (TableStatistics::Field& field : path.statistics->fields) {
      field.distinct_prefixes = 10;
    }
  }
  const ScanPlan found = Find();
  EXPECT_EQ(found.path, 0u);
  EXPECT_NE(found.plan.explain.ToText().find("too little to tell"), std::string::npos);
}

TEST_F(Paths, WithoutStatisticsTheKindOfPlanDecides) {
  paths_[1].statistics.reset();
  const ScanPlan found = Find();
  EXPECT_EQ(found.path, 1u);  // a range, where the table is jumped through
  EXPECT_EQ(found.plan.explain.candidates.back().why_not, "costs cannot be compared without statistics");
}

TEST_F(Paths, OnePathNamesNoOther) {
  const ScanPlan found = PlanScan(scan_, "visits", needs_, std::span(paths_).first(1), {});
  for (const Explain::Candidate& candidate : found.plan.explain.candidates) {
    EXPECT_EQ(candidate.index, "");
  }
  EXPECT_EQ(found.plan.explain.ToJson().find("\"index\""), std::string::npos);
}

TEST_F(Paths, WhatAServerCanJumpByIsPushedDown) {
  needs_.filter = KeyOnlyFilter();
  const std::span<const AccessPath> table = std::span(paths_).first(1);
  ScanPlan found = PlanScan(scan_, "visits", needs_, table, {.jumps = false, .push_down = PushPrefix});
  EXPECT_EQ(found.plan.rows, nullptr);  // the filter passes no other row
  EXPECT_EQ(found.filter->ToString(), "(PrefixFilter('a') AND KeyOnlyFilter())");
  EXPECT_EQ(found.plan.explain.filter, found.filter->ToString());
  found = PlanScan(scan_, "visits", needs_, table, {.jumps = false, .push_down = PushNothing});
  EXPECT_NE(found.plan.rows, nullptr);
  EXPECT_EQ(found.filter, needs_.filter);
}

}  // namespace
}  // namespace klip::rowkey
