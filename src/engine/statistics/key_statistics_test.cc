#include "engine/statistics/key_statistics.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>

#include "rocksdb/table_properties.h"
#include <gtest/gtest.h>

#include "engine/layout/cell_key.h"
#include "engine/view/table_view.h"
#include "filter/rows/key_sample.h"

namespace klip::engine {
namespace {

class StatisticsWriter {
 public:
  explicit StatisticsWriter(std::vector<KeyPart> parts) : state_(std::make_shared<FamilyState>()) {
    state_->key_parts = std::make_shared<const std::vector<KeyPart>>(std::move(parts));
    collector_.reset(NewKeyStatisticsFactory(state_)->CreateTablePropertiesCollector({}));
  }

  void Add(std::string_view row, std::string_view qualifier = "q", CellType type = CellType::kPut,
           int64_t timestamp_ms = 1) {
    std::string key;
    std::string value;
    AppendCellKey(row, qualifier, timestamp_ms, type, &key);
    AppendCellValue("value", {}, 0, false, &value);
    EXPECT_TRUE(collector_->AddUserKey(key, value, rocksdb::kEntryPut, 1, 0).ok());
  }

  std::string Property() {
    Finish();
    return properties_[kKeyStatisticsProperty];
  }
  filter::KeySample Sample() {
    Finish();
    filter::KeySample sample;
    EXPECT_TRUE(sample.Parse(properties_[kKeySampleProperty]));
    EXPECT_LE(properties_[kKeySampleProperty].size() + properties_[kKeyStatisticsProperty].size(), kMaxStatisticsBytes);
    return sample;
  }

 private:
  void Finish() {
    if (properties_.empty()) {
      EXPECT_TRUE(collector_->Finish(&properties_).ok());
    }
  }

  std::shared_ptr<FamilyState> state_;
  rocksdb::UserCollectedProperties properties_;
  std::unique_ptr<rocksdb::TablePropertiesCollector> collector_;
};

std::string RowOf(int user, int day) {
  char row[32];
  snprintf(row, sizeof(row), "user%06d%04d", user, day);
  return row;
}

KeyStatistics FileOf(int first_user, int users, int days) {
  StatisticsWriter writer({{10, {}}, {4, {}}});
  for (int user = first_user; user < first_user + users; ++user) {
    for (int day = 0; day < days; ++day) {
      writer.Add(RowOf(user, day));
    }
  }
  Expected<KeyStatistics> keys = KeyStatistics::Parse(writer.Property());
  EXPECT_TRUE(keys.ok());
  return *std::move(keys);
}

TEST(DistinctCounter, IsExactWhileSmallAndCloseWhenLarge) {
  std::mt19937_64 random(1);
  DistinctCounter counter;
  for (int i = 1; i <= 200000; ++i) {
    const uint64_t hash = random();
    counter.Add(hash);
    counter.Add(hash);
    if (i <= 256) {
      ASSERT_EQ(counter.Estimate(), i);
    } else if (i % 1000 == 0) {
      ASSERT_NEAR(counter.Estimate() / i, 1, 0.09) << i;
    }
  }
}

TEST(DistinctCounter, MergesLikeASet) {
  std::mt19937_64 random(2);
  for (size_t common : {10U, 200U, 5000U}) {
    DistinctCounter a;
    DistinctCounter b;
    DistinctCounter both;
    for (size_t i = 0; i < 3 * common; ++i) {
      const uint64_t hash = random();
      both.Add(hash);
      if (i < 2 * common) {
        a.Add(hash);
      }
      if (i >= common) {
        b.Add(hash);
      }
    }
    a.Merge(b);
    EXPECT_EQ(a.Estimate(), both.Estimate());
  }
}

TEST(KeyStatistics, CountsRowsCellsAndPrefixes) {
  StatisticsWriter writer({{4, {}}, {0, '_'}, {0, {}}});
  writer.Add("aaaax_1", "p");
  writer.Add("aaaax_1", "q");
  writer.Add("aaaax_1", "q", CellType::kDelete);
  writer.Add("aaaax_2");
  writer.Add("aaaay_2");
  writer.Add("bbbbx_2");
  writer.Add("bb", "q");
  const KeyStatistics keys = *KeyStatistics::Parse(writer.Property());
  EXPECT_EQ(keys.rows, 5);
  EXPECT_EQ(keys.cells, 7);
  EXPECT_EQ(keys.delete_markers, 1);
  EXPECT_EQ(keys.shortest_row_bytes, 2U);
  ASSERT_EQ(keys.prefixes.size(), 3U);
  EXPECT_EQ(keys.prefixes[0].Estimate(), 3);
  EXPECT_EQ(keys.prefixes[1].Estimate(), 4);
  EXPECT_EQ(keys.prefixes[2].Estimate(), 5);
  EXPECT_EQ(keys.anchors.size(), 5U);
}

TEST(KeyStatistics, AnchorsAreBoundedAndAddUp) {
  const KeyStatistics keys = FileOf(0, 300, 37);
  EXPECT_EQ(keys.rows, 300 * 37);
  EXPECT_GE(keys.anchors.size(), KeyStatistics::kMaxAnchors / 2);
  EXPECT_LE(keys.anchors.size(), KeyStatistics::kMaxAnchors);
  int64_t rows = 0;
  for (size_t i = 0; i < keys.anchors.size(); ++i) {
    rows += keys.anchors[i].rows;
    EXPECT_TRUE(i == 0 || keys.anchors[i - 1].row < keys.anchors[i].row);
  }
  EXPECT_EQ(rows, keys.rows);
  EXPECT_NEAR(keys.prefixes[0].Estimate(), 300, 25);
}

TEST(KeyStatistics, FilesMerge) {
  KeyStatistics all;
  int64_t bytes = 0;
  for (int file = 0; file < 10; ++file) {
    const KeyStatistics one = FileOf(file * 50, 100, 11);  // neighbours share half their users
    for (const KeyStatistics::Anchor& anchor : one.anchors) {
      bytes += anchor.bytes;
    }
    all.Merge(one);
  }
  EXPECT_EQ(all.rows, 10 * 100 * 11);
  EXPECT_EQ(all.shortest_row_bytes, 14U);
  EXPECT_NEAR(all.prefixes[0].Estimate(), 550, 45);
  EXPECT_LE(all.anchors.size(), KeyStatistics::kMaxAnchors);
  int64_t rows = 0;
  for (const KeyStatistics::Anchor& anchor : all.anchors) {
    rows += anchor.rows;
    bytes -= anchor.bytes;
  }
  EXPECT_EQ(rows, all.rows);
  EXPECT_EQ(bytes, 0);
}

TEST(KeySampler, HoldsSmallFilesWhole) {
  StatisticsWriter writer({{10, {}}, {4, {}}});
  for (int user = 0; user < 20; ++user) {
    for (int day = 0; day <= user; ++day) {
      writer.Add(RowOf(user, day));
    }
  }
  const filter::KeySample sample = writer.Sample();
  EXPECT_TRUE(sample.rows.all());
  EXPECT_EQ(sample.rows.Count(), 210);
  ASSERT_EQ(sample.prefixes.size(), 2U);
  ASSERT_EQ(sample.prefixes[0].items.size(), 20U);
  EXPECT_EQ(sample.prefixes[0].items[7].bytes, "user000007");
  EXPECT_EQ(sample.prefixes[0].items[7].rows, 8);
  EXPECT_TRUE(sample.prefixes[1].left_out());  // as the rows
  ASSERT_EQ(sample.values[1].common.size(), 20U);
  EXPECT_EQ(sample.values[1].common[7].bytes, "0007");
  EXPECT_EQ(sample.values[1].common[7].rows, 13);
  EXPECT_EQ(sample.values[1].rows, 210);
  EXPECT_EQ(sample.values[1].left_out, 0);
}

TEST(KeySampler, CountsCommonValuesOfLargeFilesNearly) {
  StatisticsWriter writer({{10, {}}, {4, {}}});
  for (int user = 0; user < 4000; ++user) {
    if (user % 2 == 0) {
      writer.Add(RowOf(user, 7));
    }
    for (int i = 0; i < 20; ++i) {
      writer.Add(RowOf(user, 100 + 170 * i + user % 170));
    }
  }
  const filter::KeySample sample = writer.Sample();
  EXPECT_FALSE(sample.rows.all());
  EXPECT_GT(sample.rows.items.size(), 500U);
  const auto common = std::find_if(sample.values[1].common.begin(), sample.values[1].common.end(),
                                   [](const auto& value) { return value.bytes == "0007"; });
  ASSERT_NE(common, sample.values[1].common.end());
  EXPECT_NEAR(common->rows / 2000, 1, 0.15);
  EXPECT_NEAR(sample.prefixes[0].Count() / 4000, 1, 0.12);
}

TEST(KeySampler, KeepsTheNewestPutAndTheMarkersOfARow) {
  StatisticsWriter writer(std::vector<KeyPart>{{10, {}}});
  writer.Add(RowOf(1, 1), "q", CellType::kPut, 5);
  writer.Add(RowOf(1, 1), "r", CellType::kPut, 7);
  writer.Add(RowOf(1, 2), "", CellType::kDeleteFamily, 9);
  writer.Add(RowOf(1, 2), "q", CellType::kDeleteColumn, 11);  // the row may have others
  const filter::KeySample sample = writer.Sample();
  ASSERT_EQ(sample.rows.items.size(), 2U);
  EXPECT_EQ(sample.rows.items[0].newest_ms, 7);
  EXPECT_EQ(sample.rows.items[0].deleted_ms, filter::KeySample::kNever);
  EXPECT_EQ(sample.rows.items[1].newest_ms, filter::KeySample::kNever);
  EXPECT_EQ(sample.rows.items[1].deleted_ms, 9);
}

TEST(KeySampler, StaysWithinItsBytesWhateverTheKeys) {
  std::mt19937_64 random(3);
  for (const size_t row_bytes : {8U, 100U, 1000U}) {
    StatisticsWriter writer(std::vector<KeyPart>(64, {.width_bytes = static_cast<int>(row_bytes / 8)}));
    std::set<std::string> rows;
    for (int i = 0; i < 20000; ++i) {
      std::string row;
      while (row.size() < row_bytes) {
        row += std::to_string(random());
      }
      rows.insert(row.substr(0, row_bytes));
    }
    for (const std::string& row : rows) {
      writer.Add(row);
    }
    EXPECT_GT(writer.Sample().rows.items.size(), 20U) << row_bytes;  // checks the bound
  }
}

TEST(KeyStatistics, DamagedPropertiesAreRefused) {
  StatisticsWriter writer(std::vector<KeyPart>{{4, {}}});
  for (int i = 0; i < 400; ++i) {
    writer.Add(RowOf(i, 1));
  }
  const std::string property = writer.Property();
  ASSERT_TRUE(KeyStatistics::Parse(property).ok());
  EXPECT_EQ(KeyStatistics::Parse(property)->Serialize(), property);
  for (size_t bytes = 0; bytes < property.size(); ++bytes) {
    EXPECT_EQ(KeyStatistics::Parse(property.substr(0, bytes)).status().code(), Code::kCorruption) << bytes;
  }
  EXPECT_FALSE(KeyStatistics::Parse(property + "x").ok());
  for (size_t i = 0; i < property.size(); ++i) {
    std::string damaged = property;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)KeyStatistics::Parse(damaged);  // any answer is fine, but no crash
  }
}

}  // namespace
}  // namespace klip::engine
