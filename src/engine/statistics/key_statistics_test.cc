#include "engine/statistics/key_statistics.h"

#include <cmath>
#include <memory>
#include <random>

#include "rocksdb/table_properties.h"
#include <gtest/gtest.h>

#include "engine/layout/cell_key.h"
#include "engine/view/table_view.h"

namespace klip::engine {
namespace {

class StatisticsWriter {
 public:
  explicit StatisticsWriter(std::vector<KeyPart> parts) : state_(std::make_shared<FamilyState>()) {
    state_->key_parts = std::make_shared<const std::vector<KeyPart>>(std::move(parts));
    collector_.reset(NewKeyStatisticsFactory(state_)->CreateTablePropertiesCollector({}));
  }

  void Add(std::string_view row, std::string_view qualifier = "q", CellType type = CellType::kPut) {
    std::string key;
    std::string value;
    AppendCellKey(row, qualifier, 1, type, &key);
    AppendCellValue("value", {}, 0, false, &value);
    EXPECT_TRUE(collector_->AddUserKey(key, value, rocksdb::kEntryPut, 1, 0).ok());
  }

  std::string Property() {
    rocksdb::UserCollectedProperties properties;
    EXPECT_TRUE(collector_->Finish(&properties).ok());
    return properties[kKeyStatisticsProperty];
  }

 private:
  std::shared_ptr<FamilyState> state_;
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
    (void)KeyStatistics::Parse(damaged);  // any answer but a crash
  }
}

}  // namespace
}  // namespace klip::engine
