// Atomic operations on rows: increments, appends, check-and-mutate, row mutations, batches.
#include "klip/filter.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class AtomicTest : public TableTest {
 protected:
  AtomicTest() { Create("t", {Family("f", 3), Family("g", 3)}); }

  std::string Add(std::string row, int64_t amount, TimeRange range = {}) {
    return Show(table_->Increment({.row = std::move(row), .columns = {{"f", "c", amount}}, .time_range = range}));
  }
  // Whether a put to f:hit of row r happened.
  std::string Check(RowCondition condition) {
    const Expected<CheckAndMutateResult> result = table_->CheckAndMutate(
        {.row = "r", .condition = std::move(condition), .action = Put{.row = "r"}.Add("f", "hit", "1")});
    return result.ok() ? (result->success ? "true" : "false") : result.status().ToString();
  }
  RowCondition Cell5(CompareOp op, std::string value) {
    return {.family = "f", .qualifier = "q", .op = op, .value = std::move(value)};
  }
};

TEST_F(AtomicTest, IncrementsAreEightBytesAndWrapAround) {
  EXPECT_EQ(Add("r", 5), "f:c@1000000=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05");
  EXPECT_EQ(Add("r", -6), "f:c@1000001=\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF");
  EXPECT_EQ(Add("r", 0), "f:c@1000002=\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF");
  PutOne("w", "f:c", Number(INT64_MAX));
  EXPECT_EQ(Add("w", 1), "f:c@1000001=\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x00");
  PutOne("x", "f:c", "abc");
  EXPECT_EQ(Add("x", 1), "DoNotRetry: Field is not a long, it's 3 bytes wide");
  PutOne("y", "f:c", "");
  EXPECT_EQ(Add("y", 1), "DoNotRetry: Field is not a long, it's 0 bytes wide");
}

TEST_F(AtomicTest, IncrementTakesTheLaterTimestampAndTheTimeRange) {
  PutOne("r", "f:c", Number(1), 5000000);
  EXPECT_EQ(Add("r", 1), "f:c@5000001=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02");
  PutOne("s", "f:c", Number(10), 10);
  PutOne("s", "f:c", Number(20), 20);
  EXPECT_EQ(Add("s", 1, {0, 15}), "f:c@1000000=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0B");
  PutOne("end", "f:c", Number(10), kLatestTimestamp - 1);
  EXPECT_EQ(Add("end", 1), "f:c@9223372036854775807=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0B");
  EXPECT_EQ(Add("end", 1), "f:c@9223372036854775807=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0C");
  EXPECT_EQ(Add("end", 1, TimeRange::At(kLatestTimestamp)),
            "f:c@9223372036854775807=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0D");
}

TEST_F(AtomicTest, ResultsComeInCellOrderOrNotAtAll) {
  Append append = {.row = "r"};
  append.Add("g", "b", "2").Add("f", "z", "1").Add("f", "a", "0");
  EXPECT_EQ(Show(table_->Append(append)), "f:a@1000000=0 f:z@1000000=1 g:b@1000000=2");
  EXPECT_EQ(Show(table_->Append(append)), "f:a@1000001=00 f:z@1000001=11 g:b@1000001=22");
  append.return_results = false;
  EXPECT_EQ(Show(table_->Append(append)), "");
  EXPECT_EQ(GetText("r"), "f:a@1000002=000 f:z@1000002=111 g:b@1000002=222");
}

TEST_F(AtomicTest, AppendsKeepWithinTheCellLimit) {
  options_.max_cell_bytes = 100;
  Open();
  Use("t");
  const Append append = {.row = "r", .columns = {{"f", "q", std::string(60, 'x')}}};
  EXPECT_TRUE(table_->Append(append).ok());
  EXPECT_EQ(table_->Append(append).status().code(), Code::kDoNotRetry);
  EXPECT_EQ(PutOne("r", "f:q", std::string(100, 'x')),
            "InvalidArgument: KeyValue size too large: 123 bytes, and the limit is 100; the table's setting "
            "hbase.server.keyvalue.maxsize changes it");
}

TEST_F(AtomicTest, ATablesOwnCellLimitCounts) {
  options_.max_cell_bytes = 100;
  Open();
  Create("small", {Family("f")}, {{"hbase.server.keyvalue.maxsize", "50"}});
  Create("any", {Family("f")}, {{"hbase.server.keyvalue.maxsize", "0"}});
  Use("small");
  EXPECT_TRUE(
      PutOne("r", "f:q", std::string(50, 'x')).starts_with("InvalidArgument: KeyValue size too large: 73 bytes"));
  EXPECT_EQ(PutOne("r", "f:q", "short"), "ok");
  Use("any");
  EXPECT_EQ(PutOne("r", "f:q", std::string(1000, 'x')), "ok");
  EXPECT_TRUE(table_->Append({.row = "r", .columns = {{"f", "q", std::string(60, 'x')}}}).ok());
}

TEST_F(AtomicTest, ConditionIsGivenValueOpCell) {
  PutOne("r", "f:q", "5");
  EXPECT_EQ(Check(Cell5(CompareOp::kLess, "7")), "false");
  EXPECT_EQ(Check(Cell5(CompareOp::kGreater, "7")), "true");
  EXPECT_EQ(Check(Cell5(CompareOp::kNotEqual, "7")), "true");
  EXPECT_EQ(Check(Cell5(CompareOp::kGreaterOrEqual, "7")), "true");
  EXPECT_EQ(Check(Cell5(CompareOp::kLessOrEqual, "7")), "false");
  EXPECT_EQ(Check(Cell5(CompareOp::kEqual, "5")), "true");
  EXPECT_NE(Check(Cell5(CompareOp::kNoOp, "5")).find("NO_OP"), std::string::npos);
}

TEST_F(AtomicTest, AbsentAndEmptyCells) {
  PutOne("r", "f:empty", "");
  EXPECT_EQ(Check(RowCondition::IfNotExists("f", "nothing")), "true");
  EXPECT_EQ(Check(RowCondition::IfNotExists("f", "empty")), "true");
  EXPECT_EQ(Check(RowCondition::IfNotExists("f", "hit")), "false");
  for (const CompareOp op : {CompareOp::kEqual, CompareOp::kNotEqual, CompareOp::kLess, CompareOp::kGreater}) {
    EXPECT_EQ(Check(Cell5(op, "5")), "false");
  }
  EXPECT_EQ(Check(Cell5(CompareOp::kNotEqual, "")), "false");
  EXPECT_EQ(Check({.family = "f", .qualifier = "q", .comparator = NullComparator()}), "true");
}

TEST_F(AtomicTest, ConditionByFilterAndTimeRange) {
  PutOne("r", "f:q", "old", 1);
  PutOne("r", "f:q", "new", 9);
  EXPECT_EQ(Check({.family = "f", .qualifier = "q", .value = "old"}), "false");
  EXPECT_EQ(Check({.family = "f", .qualifier = "q", .value = "old", .time_range = {0, 5}}), "true");
  EXPECT_EQ(Check({.filter = PrefixFilter("r")}), "true");
  EXPECT_EQ(Check({.filter = PrefixFilter("x")}), "false");
}

TEST_F(AtomicTest, CheckErrors) {
  EXPECT_EQ(Check({}).substr(0, 38), "InvalidArgument: condition is null. Yo");
  EXPECT_EQ(Check(RowCondition::IfNotExists("nof", "q")).substr(0, 34), "NoSuchColumnFamily: Column family ");
  const auto other = table_->CheckAndMutate(
      {.row = "r", .condition = RowCondition::IfNotExists("f", "q"), .action = Put{.row = "s"}.Add("f", "q", "1")});
  EXPECT_EQ(other.status().code(), Code::kInvalidArgument);
}

TEST_F(AtomicTest, CheckedPutIsNotHiddenByALaterCell) {
  PutOne("r", "f:q", "future", 5000000);
  const auto done = table_->CheckAndMutate({.row = "r",
                                            .condition = RowCondition::IfEquals("f", "q", "future"),
                                            .action = Put{.row = "r"}.Add("f", "q", "changed")});
  EXPECT_TRUE(done->success);
  EXPECT_EQ(GetText("r"), "f:q@5000000=changed");
}

TEST_F(AtomicTest, RowMutationsAreOneStepAndReadTheRowBefore) {
  PutOne("r", "f:c", Number(10));
  RowMutations both = {.row = "r"};
  both.mutations = {Put{.row = "r"}.Add("f", "c", Number(100)), Increment{.row = "r", .columns = {{"f", "c", 1}}},
                    Append{.row = "r", .columns = {{"g", "a", "x"}}}};
  EXPECT_EQ(Show(table_->Mutate(both)), "f:c@1000001=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0B g:a@1000000=x");
  both.mutations.push_back(Put{.row = "s"}.Add("f", "c", "1"));
  EXPECT_EQ(table_->Mutate(both).status().code(), Code::kWrongRow);
  EXPECT_EQ(GetText("r"), "f:c@1000001=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0B g:a@1000000=x");
}

TEST_F(AtomicTest, BatchGivesEveryActionItsOutcome) {
  Delete newest = {.row = "a"};
  newest.AddColumn("f", "q");
  const std::vector<Action> actions = {
      Put{.row = "a"}.Add("f", "q", "1"),
      Put{.row = "b"}.Add("nof", "q", "1"),
      Get{.row = "a"},
      newest,
      Get{.row = "a"},
      Increment{.row = "c", .columns = {{"f", "c", 1}}},
      CheckAndMutate{"c", RowCondition::IfNotExists("f", "c"), Put{.row = "c"}.Add("f", "no", "1")},
      CheckAndMutate{"c", RowCondition::IfNotExists("f", "x"), Put{.row = "c"}.Add("f", "yes", "1")},
      Put{.row = ""}.Add("f", "q", "1"),
      Put{.row = "d"}.Add("f", "q", "1"),
  };
  const std::vector<Expected<Result>> outcomes = table_->Batch(actions);
  ASSERT_EQ(outcomes.size(), actions.size());
  EXPECT_EQ(Show(outcomes[0]), "");
  EXPECT_EQ(outcomes[1].status().code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(Show(outcomes[2]), "f:q@1000000=1");
  EXPECT_EQ(Show(outcomes[4]), "");
  EXPECT_EQ(outcomes[5]->size(), 1U);
  EXPECT_FALSE(outcomes[6]->exists());
  EXPECT_TRUE(outcomes[7]->exists());
  EXPECT_EQ(outcomes[8].status().message(), "Row length is 0");
  EXPECT_EQ(RowsText({}), "c d");
  EXPECT_EQ(GetText("c"), "f:c@1000000=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01 f:yes@1000000=1");
}

TEST_F(AtomicTest, ListOfPutsIsWrittenInGroups) {
  std::vector<Put> puts;
  for (int i = 0; i < 3000; ++i) {
    puts.push_back(Put{.row = "row" + std::to_string(10000 + i)}.Add("f", "q", std::string(1000, 'v')));
  }
  puts[2000].durability = Durability::kSkipWal;
  EXPECT_TRUE(table_->Put(puts).ok());
  const std::string rows = RowsText({});
  EXPECT_EQ(std::count(rows.begin(), rows.end(), ' '), 2999);
}

}  // namespace
}  // namespace klip::table
