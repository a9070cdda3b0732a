// What backends with different capabilities have to do, and which of several access paths is taken.
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

TEST(ScanPlanner, AJumpingScanSplitsItsFilters) {
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
  // A scan for one of 1,000 dates, in 100,000 rows of 10,000 users.
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

TEST_F(Paths, ExplainHasALineForEachPlanWithItsCost) {
  paths_[1].needs_fetch = true;
  paths_[1].columns = {"f:date"};
  EXPECT_EQ(Find().plan.explain.ToText(), R"(range of 'visits' by 'by_date'
  entries from '20140628' up to '20140629'

  field     condition   use    distinct
  date      = 20140628  bound     1,000
  username  any         -           100

                 estimated
  jumps                101
  entries read         100
  rows read            100
  rows returned        100
  time              438 us

  not full walk  reads 100,000 rows: 26.0 ms instead of 438 us
  not skip scan  reads 20,000 rows: 31.0 ms instead of 438 us
)");
  scan_.limit_rows = 10;
  scan_.plan = "full walk";
  EXPECT_EQ(Find().plan.explain.ToText(), R"(full walk of 'visits'
  rows from the first to the last

  field     condition   use    distinct
  username  any         -        10,000
  date      = 20140628  check        10

                 estimated
  jumps                  1
  rows read         14,501
  rows returned         10
  time              3.6 ms

  not skip scan      takes 1,450 jumps over 9 rows each: 4.4 ms instead of 3.6 ms
  not point gets     keys are not known whole: any username
  not range          the rows wanted may lie anywhere from the first to the last
  not index by_date  reads 10 entries and 10 rows: 46 us instead of 3.6 ms: another plan was requested
)");
  EXPECT_EQ(Find().names, "full walk, skip scan, index by_date");
}

TEST_F(Paths, APlanThatWasTakenBeforeIsExplained) {
  paths_[1].needs_fetch = true;
  paths_[1].columns = {"f:date"};
  scan_.limit_rows = 10;
  const auto lost = [this](std::string_view taken, std::string_view index, PlanKind kind) {
    const ScanPlan found = PlanScan(scan_, "visits", needs_, paths_, {}, taken);
    EXPECT_EQ(found.plan.explain.candidates.front().Name(), taken);
    for (const Explain::Candidate& one : found.plan.explain.candidates) {
      if (one.index == index && one.kind == kind) {
        return one.why_not;
      }
    }
    return std::string("no such candidate");
  };
  EXPECT_EQ(lost("full walk", "by_date", PlanKind::kRange),
            "reads 10 entries and 10 rows: 46 us instead of 3.6 ms: the scan took its plan by quicker estimates");
  scan_.limit_rows = 0;
  EXPECT_EQ(
      lost("skip scan", "", PlanKind::kFullWalk),
      "reads 100,000 rows to return 10,000: 26.0 ms instead of 31.0 ms: the scan took its plan by quicker estimates");
  EXPECT_EQ(lost("index by_date", "", PlanKind::kFullWalk), "reads 100,000 rows: 26.0 ms instead of 438 us");
}

TEST_F(Paths, APlanIsTakenByItsName) {
  for (const char* const name : {"skip scan", "full walk", "index by_date"}) {
    scan_.plan = name;
    const ScanPlan found = Find();
    EXPECT_EQ(found.plan.explain.candidates.front().Name(), name);
    EXPECT_EQ(found.plan.every_row, std::string_view(name) == "full walk");
    EXPECT_EQ(found.path, std::string_view(name) == "index by_date" ? 1U : 0U);
  }
  scan_.plan = "range";  // of the table, whose first field is open
  EXPECT_NE(Find().plan.explain.candidates.front().Name(), "range");
}

// Two independent conditions match a tenth and a hundredth of the rows: with a limit, each plan reads until so many pass
// both.
TEST_F(Paths, ALimitCountsRowsThatPassAllConditions) {
  scan_.limit_rows = 5;
  paths_[0].rows = nullptr;
  paths_[1].needs_fetch = true;
  paths_[1].columns = {"f:date"};
  const double alone = Find().plan.explain.candidates.front().cost.entries_read;
  const AccessPath other = {.name = "by_flag",
                            .schema = &dates_,
                            .rows = *dates_.Compile(*scan_.where),
                            .statistics = Counted(10),
                            .columns = {"f:flag"},
                            .needs_fetch = true};
  const std::array<AccessPath, 3> three = {paths_[0], paths_[1], other};
  const ScanPlan found = PlanScan(scan_, "visits", needs_, three, {});
  EXPECT_EQ(found.path, 1U);
  EXPECT_EQ(alone, 5);
  EXPECT_GT(found.plan.explain.candidates.front().cost.entries_read, 45);
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
  EXPECT_NE(found.plan.explain.ToText().find("too small a difference"), std::string::npos);
}

TEST_F(Paths, WithoutStatisticsTheKindOfPlanDecides) {
  paths_[1].statistics.reset();
  const ScanPlan found = Find();
  EXPECT_EQ(found.path, 1u);  // a range, while the table would need jumps
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
