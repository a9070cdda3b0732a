#include "filter/rows/leading_values.h"

#include <random>

#include <gtest/gtest.h>

namespace klip::filter {
namespace {

const std::vector<KeyPart> kUserDate = {{.width_bytes = 3}, {.width_bytes = 2}};
const std::vector<KeyPart> kUser = {{.width_bytes = 3}};
const std::vector<KeyPart> kWord = {{.width_bytes = 4}};
const std::vector<KeyPart> kWhole = {KeyPart()};

std::string Number(int number, size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

TEST(LeadOf, EndsWithItsPartsOrTheRow) {
  EXPECT_EQ(LeadOf(kUserDate, "abc01x"), "abc01");
  EXPECT_EQ(LeadOf(kUserDate, "abc0"), "abc0");
  EXPECT_EQ(LeadOf(kUserDate, ""), "");
  const std::vector<KeyPart> delimited = {{.delimiter = '_'}, {.width_bytes = 1}};
  EXPECT_EQ(LeadOf(delimited, "ab_cd"), "ab_c");
  EXPECT_EQ(LeadOf(delimited, "abcd"), "abcd");
  EXPECT_EQ(LeadOf(delimited, "_"), "_");
  EXPECT_EQ(LeadOf(kWhole, "any_thing"), "any_thing");
}

TEST(LeadOf, KeepsTheOrderOfRows) {
  std::minstd_rand random(7);
  const std::vector<std::vector<KeyPart>> shapes = {kUserDate,
                                                    {{.delimiter = 'b'}},
                                                    {{.width_bytes = 1}, {.delimiter = 'a'}},
                                                    {{.delimiter = 'c'}, {.delimiter = 'a'}},
                                                    {{}}};
  const auto row = [&] {
    std::string out(random() % 6, 'a');
    for (char& letter : out) {
      letter = static_cast<char>('a' + random() % 3);
    }
    return out;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string a = row();
    const std::string b = row();
    for (const std::vector<KeyPart>& parts : shapes) {
      ASSERT_LE(LeadOf(parts, std::min(a, b)), LeadOf(parts, std::max(a, b))) << a << " " << b;
    }
  }
}

TEST(LeadingValues, DoesWithFewerPartsWhereThereAreMany) {
  LeadingValues values(kUserDate);
  for (int user = 0; user < 100; ++user) {
    for (int date = 0; date < 10; ++date) {
      EXPECT_EQ(values.Add(Number(user, 3) + Number(date, 2) + "x"), 5u);
    }
  }
  EXPECT_EQ(values.Known()->values.size(), 1000u);
  for (int user = 0; user < 100; ++user) {
    for (int date = 10; date < 60; ++date) {
      (void)values.Add(Number(user, 3) + Number(date, 2) + "x");
    }
  }
  ASSERT_TRUE(values.complete());
  EXPECT_EQ(values.Known()->parts.size(), 1u);
  EXPECT_EQ(values.Known()->values.size(), 100u);
  EXPECT_EQ(values.Known()->values.back(), "099");
  for (int user = 0; user <= static_cast<int>(LeadingValues::kMaxValues); ++user) {
    (void)values.Add(Number(user, 4).substr(1) + std::string(1, static_cast<char>(user / 1000)));
  }
  EXPECT_TRUE(values.complete());  // 1,000 users, however many dates
  LeadingValues many(kWord);
  for (int user = 0; user <= static_cast<int>(LeadingValues::kMaxValues); ++user) {
    (void)many.Add(Number(user, 4));
  }
  EXPECT_FALSE(many.complete());
  EXPECT_EQ(many.Known(), nullptr);
}

TEST(LeadingValues, OfLimitedBytes) {
  LeadingValues values(kWhole);
  (void)values.Add(std::string(30000, 'a'));
  (void)values.Add(std::string(30000, 'b'));
  EXPECT_TRUE(values.complete());
  (void)values.Add(std::string(30000, 'c'));
  EXPECT_FALSE(values.complete());
}

TEST(LeadingValues, GoThroughAFile) {
  LeadingValues values(kUserDate);
  for (const char* row : {"abc01x", "abc02", "abd", "b", ""}) {
    (void)values.Add(row);
  }
  LeadingValues read(kUserDate);
  ASSERT_TRUE(read.AddSerialized(values.Serialize()).ok());
  EXPECT_EQ(read.Known()->values, (std::vector<std::string>{"", "abc01", "abc02", "abd", "b"}));

  // A file with fewer parts.
  LeadingValues coarse(kUser);
  (void)coarse.Add("xyz99");
  ASSERT_TRUE(read.AddSerialized(coarse.Serialize()).ok());
  EXPECT_EQ(read.Known()->values, (std::vector<std::string>{"", "abc", "abd", "b", "xyz"}));
  ASSERT_TRUE(read.AddSerialized(values.Serialize()).ok());
  EXPECT_EQ(read.Known()->values.size(), 5u);

  // A file of another schema: nothing is known any more.
  LeadingValues other(kWord);
  (void)other.Add("abcd");
  ASSERT_TRUE(read.AddSerialized(other.Serialize()).ok());
  EXPECT_FALSE(read.complete());
}

TEST(LeadingValues, DamageIsFoundAndGivesUp) {
  LeadingValues values(kUserDate);
  (void)values.Add("abc01");
  (void)values.Add("abd01");
  const std::string whole = values.Serialize();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    LeadingValues read(kUserDate);
    EXPECT_FALSE(read.AddSerialized(whole.substr(0, bytes)).ok()) << bytes;
    EXPECT_FALSE(read.complete());
  }
}

TEST(LeadingValuesWriter, KnowsOneObjectFromAnotherAtItsAddress) {
  LeadingValuesWriter writer;
  alignas(LeadingValues) char memory[sizeof(LeadingValues)];
  for (int i = 0; i < 2; ++i) {
    auto* values = new (memory) LeadingValues(kUserDate);
    writer.Add(values, "abc01x");
    writer.Add(values, "abc01y");
    EXPECT_EQ(values->Known()->values, std::vector<std::string>{"abc01"});
    values->~LeadingValues();
  }
}

}  // namespace
}  // namespace klip::filter
