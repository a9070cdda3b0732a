#include "engine/layout/cell_key.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace klip::engine {
namespace {

std::string Key(std::string_view row, std::string_view qualifier, int64_t timestamp_ms,
                CellType type = CellType::kPut) {
  std::string key;
  AppendCellKey(row, qualifier, timestamp_ms, type, &key);
  return key;
}

std::string RandomBytes(std::mt19937* random, size_t min_bytes, size_t max_bytes) {
  static constexpr char kBytes[] = {'\x00', '\x01', '\x02', 'a', '\xfe', '\xff'};
  std::string out(min_bytes + (*random)() % (max_bytes - min_bytes + 1), 'x');
  for (char& c : out) {
    c = kBytes[(*random)() % sizeof(kBytes)];
  }
  return out;
}

CellType RandomType(std::mt19937* random) {
  static constexpr CellType kTypes[] = {CellType::kPut, CellType::kDelete, CellType::kDeleteFamilyVersion,
                                        CellType::kDeleteColumn, CellType::kDeleteFamily};
  return kTypes[(*random)() % 5];
}

TEST(CellKey, OrderOfBytesIsHBasesOrderOfCells) {
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    auto make = [&] {
      // Newest first, deletes before puts: sort by the negated number.
      const int64_t timestamp = random() % 2 == 0 ? static_cast<int64_t>(random() % 300) : kLatestTimestamp;
      const CellType type = RandomType(&random);
      const std::string row = RandomBytes(&random, 1, 4);
      const std::string qualifier = RandomBytes(&random, 0, 3);
      return std::pair(std::tuple(row, qualifier, -timestamp, -static_cast<int>(type)),
                       Key(row, qualifier, timestamp, type));
    };
    const auto [a, key_a] = make();
    const auto [b, key_b] = make();
    ASSERT_EQ(a < b, key_a < key_b) << i;
    ASSERT_EQ(a == b, key_a == key_b) << i;
  }
}

TEST(CellKey, PartsComeBack) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const std::string row = RandomBytes(&random, 1, 6);
    const std::string qualifier = RandomBytes(&random, 0, 6);
    const int64_t timestamp = static_cast<int64_t>(random());
    const CellType type = RandomType(&random);
    const std::string key = Key(row, qualifier, timestamp, type);
    CellKeyView view;
    ASSERT_TRUE(ParseCellKey(key, &view));
    std::string row_storage;
    std::string qualifier_storage;
    EXPECT_EQ(Unescape(view.escaped_row, &row_storage), row);
    EXPECT_EQ(Unescape(view.escaped_qualifier, &qualifier_storage), qualifier);
    EXPECT_EQ(view.timestamp_ms, timestamp);
    EXPECT_EQ(view.type, type);
    EXPECT_EQ(EscapedRowLength(key), view.escaped_row.size());
  }
}

TEST(CellKey, RowBoundsHoldTheRowAndNothingElse) {
  std::mt19937 random(3);
  for (int i = 0; i < 50000; ++i) {
    const std::string row = RandomBytes(&random, 1, 4);
    const std::string other = RandomBytes(&random, 1, 4);
    const std::string key = Key(other, RandomBytes(&random, 0, 3), static_cast<int64_t>(random()), RandomType(&random));
    EXPECT_EQ(key >= RowStartKey(row) && key < RowEndKey(row), row == other);
    EXPECT_EQ(key >= RowLowerBound(row), other >= row);
    EXPECT_EQ(key < RowEndKey(row), other <= row);
  }
  EXPECT_EQ(RowLowerBound(""), "");
}

TEST(CellKey, DamagedKeysAreRefused) {
  const std::string key = Key("row", "qualifier", 5);
  CellKeyView view;
  for (size_t bytes = 0; bytes < key.size(); ++bytes) {
    EXPECT_FALSE(ParseCellKey(std::string_view(key).substr(0, bytes), &view)) << bytes;
  }
  EXPECT_FALSE(ParseCellKey(key + "x", &view));
  std::string bad_type = key;
  bad_type.back() = 'x';
  EXPECT_FALSE(ParseCellKey(bad_type, &view));
  std::string bad_escape = key;
  bad_escape[4] = '\x07';  // after the row's 00
  EXPECT_FALSE(ParseCellKey(bad_escape, &view));
  EXPECT_EQ(EscapedRowLength("no terminator"), 0U);
  EXPECT_EQ(EscapedRowLength(std::string_view("a\0", 2)), 0U);
}

TEST(CellValue, PartsComeBack) {
  for (const std::string& tags : {std::string(), TtlTag(500), std::string(300, 't')}) {
    for (bool has_sequence : {false, true}) {
      for (const std::string& value : {std::string(), std::string("value"), std::string(1000, '\0')}) {
        std::string stored;
        AppendCellValue(value, tags, 77, has_sequence, &stored);
        CellValueView view;
        ASSERT_TRUE(ParseCellValue(stored, &view));
        EXPECT_EQ(view.value, value);
        EXPECT_EQ(view.tags, tags);
        EXPECT_EQ(view.sequence, has_sequence ? 77U : 0U);
      }
    }
  }
}

TEST(CellValue, DamagedValuesAreRefused) {
  CellValueView view;
  EXPECT_FALSE(ParseCellValue("", &view));
  EXPECT_FALSE(ParseCellValue("\x80xyz", &view));  // an unknown flag
  EXPECT_FALSE(ParseCellValue(std::string_view("\x01\x05"
                                               "abc",
                                               5),
                              &view));  // tags longer than the rest
  EXPECT_FALSE(ParseCellValue("\x01\xff\xff\xff\xff\xff\xff", &view));
  EXPECT_FALSE(
      ParseCellValue("\x02"
                     "1234567",
                     &view));
}

TEST(Tags, Ttl) {
  EXPECT_EQ(TtlFromTags(TtlTag(12345)), 12345);
  EXPECT_EQ(TtlFromTags(""), -1);
  const std::string other("\x00\x03\x01xy", 5);
  EXPECT_EQ(TtlFromTags(other), -1);
  EXPECT_EQ(TtlFromTags(other + TtlTag(9)), 9);
  for (size_t bytes = 0; bytes < TtlTag(9).size(); ++bytes) {
    EXPECT_EQ(TtlFromTags(TtlTag(9).substr(0, bytes)), -1);
  }
}

}  // namespace
}  // namespace klip::engine
