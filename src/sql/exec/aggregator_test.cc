#include "sql/exec/aggregator.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"

namespace klip::sql {
namespace {

constexpr DataType kText = {.type = Type::kVarchar};

AggregateCall CallOf(const std::string& name, bool distinct, std::vector<BoundPtr> within) {
  AggregateCall call{.name = name, .distinct = distinct};
  call.arguments.push_back(MakeColumn(0, kText));
  for (BoundPtr& term : within) {
    call.within.push_back({.expression = std::move(term)});
  }
  EXPECT_TRUE(CheckAggregate(&call).ok());
  return call;
}

// Adds texts of 20 digits from `first` on to group 0.
void AddTexts(Aggregator* aggregator, const AggregateCall& call, int first, int count) {
  for (int done = 0; done < count; done += 1000) {
    Vector texts(kText);
    texts.Resize(1000);
    for (int i = 0; i < 1000; ++i) {
      std::string text = std::to_string(first + done + i);
      text.insert(0, 20 - text.size(), '0');
      texts.SetText(static_cast<size_t>(i), texts.Store(text));
    }
    const std::vector<const Vector*> arguments(call.arguments.size() + call.within.size(), &texts);
    const std::vector<uint32_t> groups(1000, 0);
    ASSERT_TRUE(aggregator->Add(arguments, AllRows(1000), groups).ok());
  }
}

TEST(Aggregators, NeedNoMoreMemoryOnceTheyAreSpilled) {
  const TempDirectory directory;
  for (const std::string name : {"COUNT", "FIRST_VALUE", "LAST_VALUE"}) {
    const bool distinct = name == "COUNT";
    std::vector<BoundPtr> within;
    if (!distinct) {
      within.push_back(MakeColumn(0, kText));
    }
    const AggregateCall call = CallOf(name, distinct, std::move(within));
    Execution execution;
    execution.memory.Limit(1, nullptr);
    execution.temporary = TemporaryFile(directory.path(), 1 << 30);
    const std::unique_ptr<Aggregator> aggregator = MakeAggregator(call);
    aggregator->Resize(1);
    AddTexts(aggregator.get(), call, 0, 10'000);
    const size_t before = aggregator->memory_bytes();
    EXPECT_GT(before, 200'000U) << name;
    ASSERT_TRUE(aggregator->Spill(&execution).ok());
    AddTexts(aggregator.get(), call, 5'000, 20'000);
    EXPECT_LE(aggregator->memory_bytes(), distinct ? before : 1'000) << name;
    EXPECT_GT(execution.temporary.written_bytes(), 300'000) << name;
    ASSERT_TRUE(aggregator->Finish().ok());
    const std::string expected = distinct                ? "25000"
                                 : name == "FIRST_VALUE" ? "00000000000000000000"
                                 : name == "LAST_VALUE"  ? "00000000000000024999"
                                                         : "00000000000000009999";
    EXPECT_EQ(aggregator->Result(0)->ToString(), expected) << name;
  }
}

// Each text is larger than the one before, which takes the place of that.
TEST(Aggregators, ForgetTextsThatWereTheLargest) {
  const AggregateCall call = CallOf("MAX", /*distinct=*/false, {});
  const std::unique_ptr<Aggregator> aggregator = MakeAggregator(call);
  aggregator->Resize(1);
  AddTexts(aggregator.get(), call, 0, 100'000);
  EXPECT_LT(aggregator->memory_bytes(), 100'000U);
  EXPECT_EQ(aggregator->Result(0)->ToString(), "00000000000000099999");
}

}  // namespace
}  // namespace klip::sql
