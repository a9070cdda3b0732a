// Scalar functions by themselves. tests/sql/phoenix/function_cases.test has their values, with those of Phoenix.
#include "sql/types/functions.h"

#include <gtest/gtest.h>

#include "klip/sql.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

TEST(SqlFunctions, LengthOfCharCountsItsPadding) {
  FunctionArgument argument{.type = {Type::kChar, 5}};
  Value value(Type::kChar, std::string("ab"));
  EXPECT_EQ((*BindFunction("LENGTH", {&argument, 1}))->Call({&value, 1}, {})->integer(), 5);
}

TEST(SqlFunctions, OnlyRandIsNotConstant) {
  FunctionArgument seed{.type = {Type::kBigint}};
  EXPECT_FALSE((*BindFunction("RAND", {}))->is_constant());
  EXPECT_FALSE((*BindFunction("RAND", {&seed, 1}))->is_constant());
  EXPECT_TRUE((*BindFunction("PI", {}))->is_constant());
}

TEST(SqlFunctions, RoundNanosecondsOfTimestamps) {
  Value time(Type::kTimestamp, Value::Timestamp{7, 400'000});
  FunctionArgument argument{.type = {Type::kTimestamp}};
  EXPECT_EQ(ErrorOf(BindFunction("ROUND", {&argument, 1}).status()).number, 201);
  Value unit = Value::Text("millisecond");
  std::vector<FunctionArgument> arguments = {argument, {.type = {Type::kVarchar}, .constant = &unit}};
  std::vector<Value> values = {time, unit};
  EXPECT_EQ(*(*BindFunction("ROUND", arguments))->Call(values, {}), time);
  EXPECT_EQ((*BindFunction("CEIL", arguments))->Call(values, {})->timestamp(), (Value::Timestamp{8, 0}));
  EXPECT_EQ((*BindFunction("FLOOR", arguments))->type().type, Type::kDate);
}

TEST(SqlFunctions, TellTheStatementsTime) {
  EXPECT_EQ((*BindFunction("NOW", {}))->Call({}, {.now_ms = 5})->integer(), 5);
  EXPECT_EQ((*BindFunction("CURRENT_TIME", {}))->type().type, Type::kTime);
}

TEST(SqlFunctions, RefuseConstantPatternsWhenTheyAreBound) {
  Value pattern = Value::Text("0#");
  std::vector<FunctionArgument> arguments = {{.type = {Type::kInteger}},
                                             {.type = {Type::kVarchar}, .constant = &pattern}};
  EXPECT_EQ(ErrorOf(BindFunction("TO_CHAR", arguments).status()).number, 201);
  pattern = Value::Text("00");
  EXPECT_TRUE(BindFunction("TO_CHAR", arguments).ok());
}

TEST(SqlFunctions, RefuseOtherArguments) {
  FunctionArgument number{.type = {Type::kInteger}};
  EXPECT_EQ(BindFunction("TRIM", {&number, 1}).status().message(),
            "ERROR 203 (22005): Type mismatch. expected: [VARCHAR] but was: INTEGER at TRIM argument 1");
  EXPECT_EQ(BindFunction("PI", {&number, 1}).status().message(),
            "ERROR 6001 (42F01): Function undefined. functionName=PI");
  EXPECT_EQ(ErrorOf(BindFunction("NONE", {}).status()).number, 6001);
  EXPECT_TRUE(IsFunction("SQRT"));
  EXPECT_FALSE(IsFunction("SUM"));
}

}  // namespace
}  // namespace klip::sql
