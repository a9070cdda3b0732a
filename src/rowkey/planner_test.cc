// Which plan is made for which query and table, and its description.
#include "rowkey/planner.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rowkey/explain_text.h"
#include "rowkey/key_parts.h"

namespace klip::rowkey {
namespace {

// The one-year data set: 1000 users x 365 days x 30 domains.
constexpr std::string_view kVisits = "username:text(10,'*') date:digits(8) domain:text(20,'*')";

class Table {
 public:
  explicit Table(std::string_view schema) : schema_(*RowKeySchema::Parse(schema)) {}

  Table& Rows(int64_t rows, std::vector<double> distinct_prefixes) {
    TableStatistics& statistics = path_.statistics.emplace();
    statistics.rows = rows;
    statistics.cells = rows;
    statistics.sorted_runs = 1;
    for (double distinct : distinct_prefixes) {
      statistics.fields.push_back({.name = "", .distinct_prefixes = distinct});
    }
    return *this;
  }
  Table& Runs(int runs) {
    path_.statistics->sorted_runs = runs;
    return *this;
  }
  Scan& scan() { return scan_; }
  PlanInput& input() { return input_; }
  AccessPath& path() { return path_; }

  Plan Find(std::string_view where) {
    Expected<KeyQuery> query = schema_.ParseQuery(where);
    EXPECT_TRUE(query.ok()) << query.status().message();
    scan_.where = *query;
    path_.rows = *schema_.Compile(*query);
    return Make();
  }
  Plan Make() {
    input_.table = "visits";
    input_.scan = &scan_;
    path_.schema = &schema_;
    input_.path = &path_;
    return MakePlan(input_);
  }

 private:
  RowKeySchema schema_;
  Scan scan_;
  AccessPath path_;
  PlanInput input_;
};

Table Visits() { return Table(kVisits).Rows(10'950'000, {1000, 365'000, 10'950'000}); }

const Explain::Candidate* Loser(const Plan& plan, PlanKind kind) {
  for (const Explain::Candidate& candidate : plan.explain.candidates) {
    if (candidate.kind == kind && !candidate.why_not.empty()) {
      return &candidate;
    }
  }
  return nullptr;
}

TEST(Planner, HeadlineIsASkipScan) {
  Plan plan = Visits().Find("date=20140628");
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_NEAR(plan.explain.estimated.seeks, 1000, 1);
  EXPECT_NEAR(plan.explain.estimated.rows_returned, 30'000, 1);
  EXPECT_NEAR(plan.explain.estimated.rows_read, 31'000, 1);
  EXPECT_NEAR(plan.expected_gap_rows, 10'920, 1);
  ASSERT_EQ(plan.explain.fields.size(), 3u);
  EXPECT_EQ(plan.explain.fields[0].use, "-");
  EXPECT_EQ(plan.explain.fields[1].use, "jump");
  EXPECT_EQ(plan.explain.fields[1].condition, "= 20140628");
  EXPECT_NEAR(plan.explain.fields[1].distinct, 365, 1e-6);
  EXPECT_NE(Loser(plan, PlanKind::kFullWalk), nullptr);
  EXPECT_EQ(Loser(plan, PlanKind::kPointGets)->why_not, "keys are not known whole: any username, domain");
  EXPECT_NE(plan.rows, nullptr);
}

TEST(Planner, AlmostUniqueLeadingFieldIsWalked) {
  Plan plan = Table("id:u64 kind:u8").Rows(1'000'000, {990'000, 1'000'000}).Find("kind=3");
  EXPECT_EQ(plan.explain.kind, PlanKind::kFullWalk);
  EXPECT_EQ(plan.explain.fields[1].use, "check");
  ASSERT_NE(plan.rows, nullptr);  // still to be checked
  EXPECT_FALSE(plan.rows->Contains(std::string(9, '\0')));
  EXPECT_LE(plan.expected_gap_rows, 1);
}

TEST(Planner, LeadingFieldKnownIsARange) {
  Table table = Visits();
  Plan plan = table.Find("username=alice");
  EXPECT_EQ(plan.explain.kind, PlanKind::kRange);
  EXPECT_NEAR(plan.explain.estimated.rows_read, 10'950, 1);
  EXPECT_EQ(plan.explain.start_row.substr(0, 10), "alice*****");
  EXPECT_EQ(plan.explain.fields[0].use, "bound");
  EXPECT_EQ(Loser(plan, PlanKind::kSkipScan)->why_not, "nothing to jump over: the rows wanted are neighbours");
  EXPECT_EQ(table.Find("username=alice date=20140601..20140610").explain.kind, PlanKind::kRange);
  EXPECT_NEAR(table.Find("username=alice date=20140601..20140610").explain.estimated.rows_read, 300, 1);
  plan = table.Find("username=alice domain=foo.bar");
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_NEAR(plan.explain.estimated.seeks, 365, 1);
  EXPECT_EQ(plan.explain.fields[0].use, "bound");
  EXPECT_EQ(plan.explain.fields[2].use, "jump");
}

TEST(Planner, WholeKeysArePointGets) {
  Table table = Visits();
  Plan plan = table.Find("username=bob,alice date=20140628 domain=foo.bar");
  EXPECT_EQ(plan.explain.kind, PlanKind::kPointGets);
  EXPECT_EQ(plan.points, (std::vector<std::string>{"alice*****20140628foo.bar*************",
                                                   "bob*******20140628foo.bar*************"}));
  table.scan().reversed = true;
  EXPECT_EQ(table.Find("username=bob,alice date=20140628 domain=foo.bar").points[0],
            "bob*******20140628foo.bar*************");
  table.scan().reversed = false;
  table.scan().start_row = "b";
  EXPECT_EQ(table.Find("username=bob,alice date=20140628 domain=foo.bar").points.size(), 1u);
}

TEST(Planner, Contradictions) {
  Plan plan = Visits().Find("date=20140628 date=20140629");
  EXPECT_EQ(plan.explain.kind, PlanKind::kEmpty);
  ASSERT_NE(plan.rows, nullptr);
  EXPECT_TRUE(plan.rows->empty());
  Table table = Visits();
  table.scan().start_row = "m";
  table.scan().stop_row = "c";
  EXPECT_EQ(table.Make().explain.kind, PlanKind::kEmpty);
  table.scan().reversed = true;
  EXPECT_EQ(table.Make().explain.kind, PlanKind::kRange);
  EXPECT_EQ(table.Make().bounds.start, "c");
}

TEST(Planner, WithoutStatistics) {
  Table table{kVisits};
  EXPECT_EQ(table.Find("date=20140628").explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(table.Find("username=alice").explain.kind, PlanKind::kRange);
  EXPECT_EQ(table.Find("username=alice date=2014*").explain.kind, PlanKind::kRange);
  EXPECT_EQ(table.Find("username=alice domain=foo.bar").explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(table.Find("username=a,b date=20140628 domain=x").explain.kind, PlanKind::kPointGets);
  EXPECT_EQ(table.Find("ANY").explain.kind, PlanKind::kFullWalk);
  Plan plan = table.Find("date=20140628");
  EXPECT_FALSE(plan.explain.has_statistics);
  EXPECT_EQ(plan.expected_gap_rows, 0);
  EXPECT_NE(plan.explain.ToText().find("no statistics of these keys yet"), std::string::npos);
}

TEST(Planner, SortedRunsMakeJumpsDear) {
  Table one = Table("id:u32 kind:u8 rest:u32").Rows(1'000'000, {10'000, 100'000, 1'000'000});
  EXPECT_EQ(one.Find("kind=3").explain.kind, PlanKind::kSkipScan);
  double time = one.Find("kind=3").explain.estimated.time_us;
  EXPECT_EQ(one.Runs(22).Find("kind=3").explain.estimated.seeks, 10'000);
  EXPECT_GT(one.Find("kind=3").explain.estimated.time_us, 3 * time);
  Table close = Table("id:u32 kind:u8 rest:u32").Rows(1'000'000, {50'000, 200'000, 1'000'000});
  EXPECT_EQ(close.Find("kind=3").explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(close.Runs(22).Find("kind=3").explain.kind, PlanKind::kFullWalk);
  close.path().costs = {.seek_us = 2.5, .step_us = 0.25, .return_us = 0.1, .measured = true};
  EXPECT_EQ(close.Find("kind=3").explain.kind, PlanKind::kSkipScan);
}

TEST(Planner, LaterConditionsAreCheckedWhereJumpsAreShort) {
  Plan plan = Visits().Find("date=20140628 domain=foo.bar");
  EXPECT_NEAR(plan.explain.estimated.seeks, 1000, 1);
  EXPECT_EQ(plan.explain.fields[2].use, "jump");  // the same jump finds both
  // Two domains of about two a day: reading both is cheaper than jumping to each.
  plan = Table(kVisits).Rows(730'000, {1000, 365'000, 730'000}).Find("date=20140628 domain=a,b");
  EXPECT_EQ(plan.explain.fields[1].use, "jump");
  EXPECT_EQ(plan.explain.fields[2].use, "check");
}

TEST(Planner, LimitsMakeWalksCheap) {
  Table table = Table("id:u64 kind:u8").Rows(1'000'000, {990'000, 1'000'000});
  double all = table.Find("kind=3").explain.estimated.time_us;
  table.scan().limit_rows = 10;
  EXPECT_LT(table.Find("kind=3").explain.estimated.time_us, all / 1000);
}

TEST(Planner, TinyTables) {
  Plan plan = Table(kVisits).Rows(13, {3, 12, 13}).Find("date=20140628");
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(plan.explain.fields[1].use, "jump");
}

TEST(Planner, LongListsStayLists) {
  std::string where = "username=u0";
  for (int i = 1; i < 20'000; ++i) {
    where += ",u" + std::to_string(i);
  }
  Plan plan = Table(kVisits).Rows(100'000'000, {100'000, 10'000'000, 100'000'000}).Find(where + " date=20140628");
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_NEAR(plan.explain.estimated.seeks, 20'000, 1);
  EXPECT_EQ(plan.explain.fields[0].condition, "in 20000 values");
  plan = Table(kVisits).Rows(100'000'000, {100'000, 10'000'000, 100'000'000}).Find(where + " date=20140628 domain=x");
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(Loser(plan, PlanKind::kPointGets)->why_not, "the keys are not a list, or a long one");
}

TEST(Planner, SaltsFanOutOrAreComputed) {
  Table table = Table("salt(16) user:text(8) ts:ts").Rows(1'600'000, {16, 16'000, 1'600'000});
  Plan plan = table.Find("user=alice ts=5");
  EXPECT_EQ(plan.explain.kind, PlanKind::kPointGets);
  plan = table.Find("user=alice");
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_NEAR(plan.explain.estimated.seeks, 16, 0.1);
  Table by_user = Table("salt(16,user) user:text(8) ts:ts").Rows(1'600'000, {16, 16'000, 1'600'000});
  plan = by_user.Find("user=alice");
  EXPECT_EQ(plan.explain.kind, PlanKind::kRange);
  EXPECT_EQ(plan.explain.fields[0].condition.substr(0, 2), "= ");
  EXPECT_NE(plan.explain.fields[0].condition.find("(computed)"), std::string::npos);
  EXPECT_EQ(plan.explain.fields[1].condition, "= alice");
}

TEST(Planner, SixComponentsWithARange) {
  Table table = Table("salt(8,user) user:u32 kind:text(2) '_' region:u8 at:ts seq:u32")
                    .Rows(8'000'000, {8, 80'000, 160'000, 800'000, 8'000'000, 8'000'000});
  Plan plan = table.Find("kind=ab region=3 seq=7 at=1000..2000");
  EXPECT_EQ(plan.explain.fields.size(), 6u);
  EXPECT_EQ(plan.explain.fields[4].condition, "1000..2000");
  EXPECT_EQ(plan.explain.fields[4].name, "at");
}

// A jump over many rows leads to another block, one over few rows often stays in its block, and a walk reads each block once.
TEST(Planner, BlocksThatAreNotInTheCacheTakeTime) {
  Table table = Visits();
  table.path().costs.blocks = {.cells = 100, .cached = 0.75, .near_us = 10, .far_us = 200};
  const PlanCost far = table.Find("date=20140628").explain.estimated;  // 1,000 users, 30 rows each
  EXPECT_NEAR(far.blocks, 1000 + (30'000 + 1000) / 100, 15);
  EXPECT_NEAR(far.blocks_read, far.blocks / 4, 1);
  EXPECT_NEAR(far.cold_time_us - far.time_us, (1000 * 200 + 310 * 10) / 4.0, 1500);
  table.scan().where.reset();
  table.path().rows = nullptr;
  const Plan walk = table.Make();
  EXPECT_EQ(walk.explain.kind, PlanKind::kFullWalk);
  EXPECT_NEAR(walk.explain.estimated.blocks, 109'501, 1);
  EXPECT_NEAR(walk.explain.estimated.cold_time_us - walk.explain.estimated.time_us, (200 + 109'500 * 10) / 4.0, 1);
  EXPECT_NE(walk.explain.ToText().find("\n  blocks read"), std::string::npos) << walk.explain.ToText();
  table.path().costs.blocks.cells = 20'000;  // 20,000 rows each: those of several users
  const PlanCost near = table.Find("date=20140628").explain.estimated;
  EXPECT_NEAR(near.blocks, 548, 2) << "each block once";
  table.path().costs.blocks = {};
  EXPECT_EQ(table.Find("date=20140628").explain.estimated.cold_time_us, 0);
}

// Each row that an index finds lies in a block of its own.
TEST(Planner, RowsOfAnIndexAreReadFromBlocksOfTheTable) {
  Table table = Visits();
  table.path().name = "by_day";
  table.path().needs_fetch = true;
  table.path().costs.blocks = {.cells = 100, .cached = 1, .near_us = 10, .far_us = 200};
  table.path().costs.fetch_blocks = {.cells = 50, .cached = 0.5, .near_us = 20, .far_us = 300};
  const PlanCost cost = table.Find("username=bob").explain.estimated;  // 10,950 entries
  EXPECT_NEAR(cost.blocks, 10'950 + 110, 2);
  EXPECT_NEAR(cost.blocks_read, 10'950 / 2, 1);
  EXPECT_NEAR(cost.cold_time_us - cost.time_us, 10'950 / 2 * 300, 1000);
}

TEST(Planner, SetsWithoutASchemaAreBytePositions) {
  filter::RowBox box;
  box.segments.resize(2);
  box.segments[0].width_bytes = 10;
  box.segments[1].width_bytes = 8;
  box.segments[1].intervals = {{.low = "20140628", .high = "20140628"}};
  Scan scan;
  AccessPath path{.rows = filter::RowSet::FromBoxes({box}), .statistics = TableStatistics{.rows = 1000}};
  PlanInput input{.scan = &scan, .path = &path};
  Plan plan = MakePlan(input);
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  ASSERT_EQ(plan.explain.fields.size(), 2u);
  EXPECT_EQ(plan.explain.fields[0].name, "bytes 0..9");
  EXPECT_EQ(plan.explain.fields[1].name, "bytes 10..17");
  EXPECT_EQ(plan.explain.fields[1].condition, "= 20140628");
  path.rows = filter::RowSet::FromRanges({{.start = "a", .stop = "b"}});
  plan = MakePlan(input);
  EXPECT_EQ(plan.explain.kind, PlanKind::kRange);
  EXPECT_EQ(plan.rows, nullptr);
  EXPECT_EQ(plan.bounds.stop, "b");
}

TEST(Planner, MasksOfFiltersAreSeenInFields) {
  Table table = Visits();
  filter::RowBox box;  // ??????????201406??foo.????
  box.segments.resize(4);
  box.segments[0].width_bytes = 10;
  box.segments[1] = {.width_bytes = 6, .intervals = {{.low = "201406", .high = "201406"}}};
  box.segments[2].width_bytes = 2;
  box.segments[3] = {.width_bytes = 4, .intervals = {{.low = "foo.", .high = "foo."}}};
  table.path().rows = filter::RowSet::FromBoxes({box});
  Plan plan = table.Make();
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(plan.explain.fields[0].condition, "any");
  EXPECT_EQ(plan.explain.fields[1].condition, "201406*");
  EXPECT_EQ(plan.explain.fields[2].condition, "foo.*");
}

TEST(KeyParts, LiteralsBelongToANeighbour) {
  auto parts = [](std::string_view schema) { return KeyParts(*RowKeySchema::Parse(schema)); };
  EXPECT_EQ(parts("user:bytes(4) '_' action:digits(2) '_' year:digits(4)"),
            (std::vector<KeyPart>{{"user", 5, {}}, {"action", 3, {}}, {"year", 4, {}}}));
  EXPECT_EQ(parts("'x-' a:u8 b:text('_') '--' c:u16 rest:text"),
            (std::vector<KeyPart>{{"a", 3, {}}, {"b", 0, '_'}, {"c", 4, {}}, {"rest", 0, {}}}));
  EXPECT_EQ(parts("a:text('_') '-' b:text('_')"), (std::vector<KeyPart>{{"a", 0, '_'}}));
  EXPECT_EQ(parts("salt(4) h:md5(u,2) u:text"), (std::vector<KeyPart>{{"salt", 1, {}}, {"h", 2, {}}, {"u", 0, {}}}));
  EXPECT_EQ(parts("a:u8 b:text('_') '-' rest:text"), (std::vector<KeyPart>{{"a", 1, {}}, {"b", 0, '_'}}));
  EXPECT_TRUE(parts("'x' u:text").empty());
}

TEST(Explain, Text) {
  Table table = Visits();
  table.input().residual_filter = "SingleColumnValueFilter('d','n',=,'binary:7')";
  Plan plan = table.Find("date=20140628 username>=c");
  plan.explain.actual = ScanStatistics{.rows_returned = 30000,
                                       .rows_read = 30999,
                                       .cells_read = 30999,
                                       .steps = 29998,
                                       .seeks = 1000,
                                       .blocks_read = 3,
                                       .elapsed_us = 13500};
  EXPECT_EQ(plan.explain.ToText(), R"(skip scan of 'visits'
  rows from 'c*********20140628' up to '\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF20140629'
  checked per row: SingleColumnValueFilter('d','n',=,'binary:7')

  field     condition   use    distinct
  username  >= c        bound     1,000
  date      = 20140628  jump        365
  domain    any         -            30

                 estimated   actual
  jumps                334    1,000
  rows read         10,334   30,999
  rows returned     10,000   30,000
  time              4.4 ms  13.5 ms
  cells read                 30,999
  steps                      29,998
  blocks read                     3

  not range       reads 3,650,000 rows to return 10,000: 913.5 ms instead of 4.4 ms
  not full walk   reads 10,950,000 rows to return 10,000: 2.7 s instead of 4.4 ms
  not point gets  keys are not known whole: any domain
)");
}

// Their filters jump only at rows that they drop.
TEST(Explain, ServersOfAClusterDoNotReportJumps) {
  Plan plan = Visits().Find("date=20140628");
  plan.explain.actual = ScanStatistics{.rows_returned = 30, .rows_read = 81, .cells_read = 60, .elapsed_us = 500};
  const std::string text = plan.explain.ToText();
  const auto line_ends = [&](const std::string& name, const std::string& figure) {
    const size_t line = text.find(name);
    return line != std::string::npos && text.substr(line, text.find('\n', line) - line).ends_with(figure);
  };
  EXPECT_TRUE(line_ends("  jumps ", " <= 51")) << text;
  EXPECT_TRUE(line_ends("  steps ", " ?")) << text;
  EXPECT_TRUE(line_ends("  blocks read ", " ?")) << text;
}

TEST(Explain, Json) {
  Plan plan = Visits().Find("date=20140628");
  nlohmann::json json = nlohmann::json::parse(plan.explain.ToJson());
  EXPECT_EQ(json["kind"], "skip scan");
  EXPECT_EQ(json["fields"][1]["use"], "jump");
  EXPECT_EQ(json["candidates"][0]["why_not"], "");
  EXPECT_FALSE(json.contains("actual"));
  plan.explain.actual = ScanStatistics{.seeks = 5};
  EXPECT_EQ(nlohmann::json::parse(plan.explain.ToJson())["actual"]["seeks"], 5);
}

TEST(Explain, Figures) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(1.25), "1.2");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(10'950'000), "10,950,000");
  EXPECT_EQ(FormatTime(850), "850 us");
  EXPECT_EQ(FormatTime(13'500), "13.5 ms");
  EXPECT_EQ(FormatTime(2'740'000), "2.7 s");
}

TEST(ScanStatistics, Adds) {
  ScanStatistics a{
      .rows_returned = 1, .rows_read = 2, .cells_read = 3, .steps = 4, .seeks = 5, .blocks_read = 6, .elapsed_us = 7};
  ScanStatistics b = a;
  b += a;
  EXPECT_EQ(b.rows_returned, 2);
  EXPECT_EQ(b.rows_read, 4);
  EXPECT_EQ(b.cells_read, 6);
  EXPECT_EQ(b.steps, 8);
  EXPECT_EQ(b.seeks, 10);
  EXPECT_EQ(b.blocks_read, 12);
  EXPECT_EQ(b.elapsed_us, 14);
}

}  // namespace
}  // namespace klip::rowkey
