// WebAssembly modules that see conditions.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "klip/comparator.h"
#include "table/modules_test_util.h"

namespace klip::table {
namespace {

class ModuleConditionTest : public ModulesTest {
 protected:
  // Puts f:q=w if f:q has the value.
  std::string Check(const std::string& row, const std::string& value) {
    return Check({.row = row,
                  .condition = RowCondition::IfEquals("f", "q", value),
                  .action = Put{.row = row}.Add("f", "q", "w", 9)});
  }
  std::string Check(const CheckAndMutate& check) {
    const Expected<CheckAndMutateResult> result = table_->CheckAndMutate(check);
    return !result.ok() ? result.status().ToString() : result->success ? "true" : "false";
  }
};

TEST_F(ModuleConditionTest, TheConditionAndItsMutationsAreSeen) {
  CreateWith(Compile("see", R"(
static Status Note(Event& event, Bytes hook) {
  const Condition c = event.condition();
  Bytes text = Join(hook, event.locked() ? " locked" : "", " ", Decimal(int(c.kind)), " ", c.family, ":", c.qualifier, " ",
                    Decimal(int(c.op)), " ", c.value, " ", Decimal(c.min_ms), " ", c.held ? "held" : "-");
  for (const Row& row : event.rows()) text = Join(text, " ", Decimal(int(row.kind())), row.row());
  if (event.locked()) return {};
  return event.Mutate("INDEX_TBL", Put(hook).Add("f", "", text, 1));
}
KLIP_HOOK(preCheckAndMutate) { return Note(event, "pre"); }
KLIP_HOOK(postCheckAndMutate) { return Note(event, "post"); }
)"));
  EXPECT_EQ(PutOne("r", "f:q", "v", 5), "ok");
  EXPECT_EQ(Check("r", "v"), "true");
  EXPECT_EQ(RowOf("INDEX_TBL", "pre"), "f:@1=pre 0 f:q 2 v 0 - 0r");
  EXPECT_EQ(RowOf("INDEX_TBL", "post"), "f:@1=post 0 f:q 2 v 0 held 0r");
  EXPECT_EQ(Check("r", "v"), "false");
  EXPECT_EQ(RowOf("INDEX_TBL", "post"), "f:@1=post 0 f:q 2 v 0 - 0r");

  RowCondition condition = RowCondition::IfEquals("f", "q", "");
  condition.comparator = BinaryComparator("zz");
  condition.op = CompareOp::kGreater;
  condition.time_range.min_ms = 3;
  const RowMutations several = {
      .row = "r", .mutations = {Put{.row = "r"}.Add("f", "a", "1"), Delete{.row = "r"}.AddColumns("f", "q")}};
  ASSERT_NE(Check({.row = "r", .condition = condition, .action = several}), "");
  EXPECT_EQ(RowOf("INDEX_TBL", "pre"), "f:@1=pre 1 f:q 5  3 - 0r 1r");
}

TEST_F(ModuleConditionTest, ItAnswersInPlaceOfTheCondition) {
  CreateWith(Compile("answer", R"(
static Status Answer(Event& event, Bytes before) {
  if (event.rows().size() != 1) return Join(before, " has no mutation");
  const Bytes row = event.rows()[0].row();
  if (row == Join(before, "-yes")) event.AnswerCondition(true);
  if (row == Join(before, "-no")) event.AnswerCondition(false);
  if (row == Join(before, "-error")) return "it says no";
  if (row == Join(before, "-edit")) return event.Replace(0, Put(row).Add("f", "q", Join("by ", before), 8));
  if (row == Join(before, "-skip")) return event.Bypass(0);
  return {};
}
KLIP_HOOK(preCheckAndMutate) { return Answer(event, "pre"); }
KLIP_HOOK(preCheckAndMutateAfterRowLock) {
  if (event.rows().size() == 0) return {};  // bypassed
  if (!event.locked()) return "not locked";
  Row stored;
  if (const Status s = event.Get(event.table(), event.rows()[0].row(), &stored); !s.ok()) return s;
  if (stored.row() == "read") { event.AnswerCondition(stored.Value("f", "other") == "open"); }
  return Answer(event, "lock");
}
KLIP_HOOK(postCheckAndMutate) { return Answer(event, "post"); }
)"));
  for (const std::string before : {"pre", "lock"}) {
    const auto named = [&before](const std::string& name) { return before + "-" + name; };
    for (const char* const name : {"yes", "no", "error", "edit", "skip"}) {
      EXPECT_EQ(PutOne(named(name), "f:q", "v", 5), "ok");
    }
    // Nothing is written, whatever the answer.
    EXPECT_EQ(Check(named("yes"), "another"), "true");
    EXPECT_EQ(RowOf("t", named("yes")), "f:q@5=v");
    EXPECT_EQ(Check(named("no"), "v"), "false");
    EXPECT_EQ(RowOf("t", named("no")), "f:q@5=v");
    EXPECT_NE(Check(named("error"), "v").find(": it says no"), std::string::npos);
    EXPECT_EQ(RowOf("t", named("error")), "f:q@5=v");
    EXPECT_EQ(Check(named("edit"), "v"), "true");
    EXPECT_EQ(RowOf("t", named("edit")), "f:q@8=by " + before);
    EXPECT_EQ(Check(named("skip"), "v"), "true");
    EXPECT_EQ(RowOf("t", named("skip")), "f:q@5=v");
  }
  EXPECT_EQ(PutOne("post-no", "f:q", "v", 5), "ok");
  EXPECT_EQ(Check("post-no", "v"), "false");
  EXPECT_EQ(RowOf("t", "post-no"), "f:q@9=w");  // although the caller gets another answer
  EXPECT_EQ(Check("post-yes", "v"), "true");
  EXPECT_EQ(RowOf("t", "post-yes"), "");
  EXPECT_NE(Check("post-edit", "").find("a mutation can only be changed before it is written"), std::string::npos);
  EXPECT_EQ(PutOne("read", "f:other", "open", 5), "ok");
  EXPECT_EQ(Check("read", "v"), "true");
  EXPECT_EQ(PutOne("read", "f:other", "closed", 6), "ok");
  EXPECT_EQ(Check("read", ""), "false");
}

TEST_F(ModuleConditionTest, AFailureRefusesTheCallAndNotTheNext) {
  CreateWith(Compile("bad", R"(
static Status Fail(Event& event) {
  const Bytes value = event.condition().value;
  if (value == "trap") __builtin_trap();
  if (value == "loop") { volatile int i = 0; for (;;) i = i + 1; }
  if (value == "hoard") for (;;) Allocate(1 << 20);
  if (value == "empty") host::Answer("", 0);
  if (value == "long") host::Answer("\1\1", 2);
  if (value == "two") host::Answer("\2", 1);
  if (value == "outside") host::Answer("x", 0x7FFFFFFF);
  if (value == "write" && event.locked()) return event.Mutate(event.table(), Put("x").Add("f", "q", "v"));
  return {};
}
KLIP_HOOK(preCheckAndMutate) { Bytes lock; return event.Setting("lock", &lock) ? Status() : Fail(event); }
KLIP_HOOK(preCheckAndMutateAfterRowLock) { return Fail(event); }
)"),
             "klip.memory=8,klip.deadline=100");
  Expected<TableDescriptor> table = admin().GetDescriptor("t");
  ASSERT_TRUE(table.ok());
  for (const std::string hook : {"preCheckAndMutate", "preCheckAndMutateAfterRowLock"}) {
    for (const auto& [value, why] : std::vector<std::pair<std::string, std::string>>{
             {"trap", "unreachable"},
             {"loop", "it ran longer than 100 ms"},
             {"hoard", "unreachable"},
             {"empty", "an answer to a condition other than one byte, 0 or 1"},
             {"long", "an answer to a condition other than one byte, 0 or 1"},
             {"two", "an answer to a condition other than one byte, 0 or 1"},
             {"outside", "are outside of its memory"}}) {
      const std::string row = hook + value;
      ASSERT_EQ(PutOne(row, "f:q", value, 5), "ok");
      const std::string text = Check(row, value);
      EXPECT_TRUE(text.starts_with("DoNotRetry: table t: module m, " + hook + ": ")) << text;
      EXPECT_NE(text.find(why), std::string::npos) << text;
      EXPECT_EQ(RowOf("t", row), "f:q@5=" + value);
      ASSERT_EQ(PutOne("good" + row, "f:q", "v", 5), "ok");
      EXPECT_EQ(Check("good" + row, "v"), "true");
      EXPECT_EQ(RowOf("t", "good" + row), "f:q@9=w");
    }
    ASSERT_EQ(PutOne("write", "f:q", "write", 5), "ok");
    EXPECT_NE(Check("write", "write").find("changes are added in PreBatchMutate"), std::string::npos);
    EXPECT_EQ(RowOf("t", "write"), "f:q@5=write");
    table->attributes["coprocessor$1"] += ",lock=1";
    ASSERT_EQ(admin().ModifyTable(*table).ToString(), "ok");
  }
}

}  // namespace
}  // namespace klip::table
