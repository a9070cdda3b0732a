#include "filter/rows/key_sample.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "filter/rows/left_out_values.h"

namespace klip::filter {
namespace {

constexpr size_t kBytes = 48 << 10;

KeySample SampleOf(const std::set<std::string>& rows) {
  KeySample sample;
  sample.prefixes.resize(1);
  sample.values.resize(1);
  for (const std::string& row : rows) {
    sample.rows.items.push_back({.bytes = row, .hash = SampleHash(row), .newest_ms = 1000});
    const std::string prefix = row.substr(0, 4);
    if (sample.prefixes[0].items.empty() || sample.prefixes[0].items.back().bytes != prefix) {
      sample.prefixes[0].items.push_back({.bytes = prefix, .hash = SampleHash(prefix), .rows = 0});
      sample.values[0].common.push_back({.bytes = prefix, .rows = 0, .prefixes = 1});
    }
    ++sample.prefixes[0].items.back().rows;
    ++sample.values[0].common.back().rows;
    ++sample.values[0].rows;
  }
  sample.values[0].prefixes = static_cast<double>(sample.values[0].common.size());
  sample.rows.Limit(KeySample::kMaxRows);
  sample.prefixes[0].Limit(KeySample::kMaxPrefixes);
  return sample;
}

std::set<std::string> RandomRows(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::set<std::string> rows;
  while (rows.size() < count) {
    rows.insert(std::to_string(1000 + random() % 300) + std::to_string(random() % 1000000));
  }
  return rows;
}

TEST(KeySample, CountsExactlyWhatItHoldsAndOtherwiseNearly) {
  const KeySample few = SampleOf(RandomRows(500, 1));
  EXPECT_TRUE(few.rows.all());
  EXPECT_EQ(few.rows.Count(), 500);
  const KeySample many = SampleOf(RandomRows(100000, 1));
  EXPECT_EQ(many.rows.items.size(), KeySample::kMaxRows);
  EXPECT_NEAR(many.rows.Count() / 100000, 1, 0.08);
  EXPECT_EQ(many.prefixes[0].Count(), 300);
}

TEST(KeySample, OfTwoFilesIsThatOfAllTheirRows) {
  for (const size_t rows : {100U, 3000U, 20000U}) {
    const std::set<std::string> a = RandomRows(rows, 1);
    std::set<std::string> b = RandomRows(rows, 2);
    b.insert(a.begin(), std::next(a.begin(), 50));  // in both
    std::set<std::string> both = a;
    both.insert(b.begin(), b.end());
    KeySample merged = SampleOf(a);
    merged.Merge(SampleOf(b));
    EXPECT_EQ(merged.rows, SampleOf(both).rows) << rows;
    ASSERT_EQ(merged.prefixes[0].items.size(), SampleOf(both).prefixes[0].items.size());
    double in_files = 0;  // a row counts once in each file that contains it
    for (const KeySample::Prefix& prefix : merged.prefixes[0].items) {
      in_files += prefix.rows;
    }
    EXPECT_EQ(in_files, static_cast<double>(a.size() + b.size()));
    EXPECT_EQ(merged.values[0].rows, in_files);
  }
}

TEST(KeySample, OfALargeAndASmallFileDrawsFromBothAlike) {
  KeySample large;
  ASSERT_TRUE(large.Parse(SampleOf(RandomRows(50000, 1)).Serialize(4096)));
  ASSERT_LT(large.rows.items.size(), 500U);
  KeySample merged = SampleOf(RandomRows(1000, 2));
  merged.Merge(large);
  EXPECT_EQ(merged.rows.limit, large.rows.limit);
  EXPECT_NEAR(merged.rows.Count() / 51000, 1, 0.3);
}

TEST(KeySample, MarkersOfOneFileMeetThePutsOfAnother) {
  KeySample puts = SampleOf({"aaaa1", "aaaa2"});
  KeySample marker = SampleOf({"aaaa1"});
  marker.rows.items[0].newest_ms = KeySample::kNever;
  marker.rows.items[0].deleted_ms = 1000;
  SampledKeys keys;
  keys.sample = std::make_shared<KeySample>(puts);
  EXPECT_TRUE(keys.IsLive(keys.sample->rows.items[0]));
  puts.Merge(marker);
  keys.sample = std::make_shared<KeySample>(puts);
  EXPECT_FALSE(keys.IsLive(keys.sample->rows.items[0]));
  EXPECT_TRUE(keys.IsLive(keys.sample->rows.items[1]));
  keys.oldest_ms = 1001;
  EXPECT_FALSE(keys.IsLive(keys.sample->rows.items[1]));
}

TEST(KeySample, PrefixesThatAreTheRowsAreMadeFromThem) {
  KeySample whole = SampleOf({"aaaa", "bbbb"});
  KeySample left_out = SampleOf({"cccc", "dddd"});
  left_out.prefixes[0] = {.limit = 0, .items = {}};
  KeySample twice = left_out;
  twice.Merge(SampleOf({}));
  EXPECT_TRUE(twice.prefixes[0].left_out());
  whole.Merge(left_out);
  EXPECT_EQ(whole.prefixes[0].Count(), 4);
}

// Rows of a number and a letter; all numbers and letters are left out.
KeySample WithoutValues(int first, int numbers) {
  KeySample sample;
  for (int i = 0; i < numbers; ++i) {
    const std::string row = std::to_string(100000 + first + i) + static_cast<char>('a' + i % 20);
    sample.rows.items.push_back({.bytes = row, .hash = SampleHash(row), .newest_ms = 1});
  }
  sample.prefixes.resize(2);
  sample.values.resize(2);
  sample.values[0].left_out = sample.values[0].most_left_out = numbers;
  sample.values[1].left_out = sample.values[1].most_left_out = 20;
  return sample;
}

TEST(KeySample, DrawnRowsShowWhetherTwoFilesOmitTheSameValues) {
  KeySample both = WithoutValues(0, 10000);
  both.Merge(WithoutValues(10000, 10000));
  EXPECT_LE(both.rows.items.size(), KeySample::kMaxRows);
  CountLeftOut({{.width_bytes = 6, .delimiter = {}}, {.width_bytes = 1, .delimiter = {}}}, &both);
  EXPECT_NEAR(both.values[0].left_out / 20000, 1, 0.1);
  EXPECT_NEAR(both.values[1].left_out, 20, 1);
}

TEST(KeySample, SurvivesItsBytesAndKeepsToTheirBound) {
  for (const size_t rows : {0U, 1U, 300U, 50000U}) {
    const KeySample sample = SampleOf(RandomRows(rows, 3));
    for (const size_t bound : {kBytes, size_t{4096}, size_t{300}}) {
      const std::string bytes = sample.Serialize(bound);
      EXPECT_LE(bytes.size(), bound);
      KeySample parsed;
      ASSERT_TRUE(parsed.Parse(bytes)) << rows << " " << bound;
      EXPECT_EQ(parsed.Serialize(bound), bytes);
      if (bound == kBytes) {
        EXPECT_EQ(parsed, sample);
      } else if (rows > 1000 && bound == 4096) {
        EXPECT_NEAR(parsed.rows.Count() / static_cast<double>(rows), 1, 0.3);  // of some 200
      }
    }
  }
}

TEST(KeySample, LongRowsAreCutAndToldApart) {
  KeySample sample;
  const std::string row(5000, 'x');
  sample.rows.items.push_back({.bytes = row.substr(0, KeySample::kMaxBytes), .hash = SampleHash(row)});
  KeySample parsed;
  ASSERT_TRUE(parsed.Parse(sample.Serialize(kBytes)));
  EXPECT_EQ(parsed, sample);
}

TEST(KeySample, DamagedBytesAreRefused) {
  const std::string bytes = SampleOf(RandomRows(200, 4)).Serialize(kBytes);
  KeySample parsed;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parsed.Parse(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(parsed.Parse(bytes + "x"));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)parsed.Parse(damaged);  // any answer is fine, but no crash
  }
}

}  // namespace
}  // namespace klip::filter
