// Table::Batch commits many actions at once, as if each were made alone.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/table_test_util.h"

namespace klip::table {
namespace {

class BatchTest : public TableTest {
 protected:
  BatchTest() : TableTest(TempDirectory::Where::kMemory) {
    options_.sync_wal = true;
    Open();
    Create("one", {Family("f")});
    Create("many", {Family("f")});
  }

  static RowMutations Replace(const std::string& row, const std::string& value) {
    RowMutations mutations = {.row = row};
    mutations.mutations.emplace_back(klip::Delete{.row = row}.AddColumns("f", "a"));
    mutations.mutations.emplace_back(klip::Put{.row = row}.Add("f", "b", value));
    return mutations;
  }

  static std::string TextOf(Table* table) {
    const std::unique_ptr<ResultScanner> rows = *table->Scan({});
    std::string text;
    for (Result row; *rows->Next(&row);) {
      for (const Cell& cell : row) {
        text.append(cell.row).append(" ").append(cell.qualifier).append("=").append(cell.value).append("\n");
      }
    }
    return text;
  }
};

TEST_F(BatchTest, SyncsTheLogOnce) {
  std::vector<Action> actions;
  for (int i = 0; i < 500; ++i) {
    actions.emplace_back(Replace("r" + std::to_string(i), "x"));
    CheckAndMutate check;
    check.row = "c" + std::to_string(i);
    check.condition = RowCondition::IfNotExists("f", "a");
    check.action = klip::Put{.row = check.row}.Add("f", "a", "y");
    actions.emplace_back(std::move(check));
  }
  const int64_t before = admin().Metrics()->wal_syncs;
  for (const Expected<Result>& outcome : table_->Batch(actions)) {
    EXPECT_TRUE(outcome.ok());
  }
  EXPECT_LE(admin().Metrics()->wal_syncs - before, 2);
}

TEST_F(BatchTest, ARejectedStepIsNotWrittenInParts) {
  RowMutations wrong = Replace("r", "x");
  wrong.mutations.emplace_back(klip::Put{.row = "r"}.Add("absent", "a", "x"));
  const std::vector<Action> actions = {Replace("q", "x"), wrong, Replace("s", "x")};
  const std::vector<Expected<Result>> outcomes = table_->Batch(actions);
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_EQ(outcomes[1].status().code(), Code::kNoSuchColumnFamily);
  EXPECT_TRUE(outcomes[2].ok());
  EXPECT_EQ(TextOf(table_.get()), "q b=x\ns b=x\n");
}

TEST_F(BatchTest, GivesWhatSingleCallsGive) {
  const std::unique_ptr<Table> one = Handle("one");
  const std::unique_ptr<Table> many = Handle("many");
  std::mt19937 random(5);
  const auto pick = [&](unsigned below) { return random() % below; };
  for (int round = 0; round < 100; ++round) {
    std::vector<Action> actions;
    while (actions.size() < 12) {
      const std::string row = std::string(1, static_cast<char>('a' + pick(6)));
      const std::string value = std::to_string(pick(3));
      const klip::Put put = klip::Put{.row = row}.Add("f", pick(2) == 0 ? "a" : "b", value);
      // A delete and a put of one row in one batch have one time, as in HBase: a plain delete would hide the put.
      switch (pick(4)) {
        case 0:
          actions.emplace_back(put);
          break;
        case 1:
          actions.emplace_back(Replace(row, value));
          break;
        case 2: {
          CheckAndMutate check = {
              .row = row,
              .condition = pick(2) == 0 ? RowCondition::IfNotExists("f", "a") : RowCondition::IfEquals("f", "b", value),
              .action = Replace(row, value + "!")};
          actions.emplace_back(std::move(check));
          break;
        }
        default: {
          CheckAndMutate check = {.row = row, .condition = RowCondition::IfEquals("f", "a", value), .action = put};
          std::get<klip::Put>(check.action).Add("f", "c", "checked");
          actions.emplace_back(std::move(check));
        }
      }
    }
    const std::vector<Expected<Result>> outcomes = many->Batch(actions);
    for (size_t i = 0; i < actions.size(); ++i) {
      const std::vector<Expected<Result>> alone = one->Batch({&actions[i], 1});
      ASSERT_EQ(outcomes[i].ok(), alone[0].ok());
      ASSERT_EQ(outcomes[i]->exists(), alone[0]->exists()) << i;
    }
    ASSERT_EQ(TextOf(many.get()), TextOf(one.get())) << round;
  }
}

}  // namespace
}  // namespace klip::table
