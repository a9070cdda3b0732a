#include "engine/layout/bloom_prefix.h"

#include "rocksdb/convenience.h"
#include "rocksdb/slice_transform.h"
#include <gtest/gtest.h>

#include "engine/layout/cell_key.h"

namespace klip::engine {
namespace {

// The prefix, or "-" outside the domain.
std::string Prefix(std::string_view extractor, std::string_view key) {
  const auto transform = NewBloomPrefix(extractor);
  const rocksdb::Slice slice(key.data(), key.size());
  return transform->InDomain(slice) ? transform->Transform(slice).ToString() : "-";
}

std::string Escaped(std::string_view raw) {
  std::string out;
  AppendEscaped(raw, &out);
  return out;
}

TEST(BloomPrefixTest, Names) {
  EXPECT_EQ(BloomPrefixName(BloomKind::kNone, 0), "");
  EXPECT_EQ(BloomPrefixName(BloomKind::kRow, 0), "klip.Row");
  EXPECT_EQ(BloomPrefixName(BloomKind::kRowCol, 0), "klip.RowCol");
  EXPECT_EQ(BloomPrefixName(BloomKind::kRowPrefixFixedLength, 12), "klip.RowPrefix.12");
  for (const char* bad :
       {"", "klip.Rows", "klip.RowPrefix.", "klip.RowPrefix.0", "klip.RowPrefix.x", "klip.RowPrefix.99999"}) {
    EXPECT_EQ(NewBloomPrefix(bad), nullptr) << bad;
  }
}

TEST(BloomPrefixTest, RocksDbMakesThemFromTheirNames) {
  RegisterBloomPrefixes();
  for (const char* name : {"klip.Row", "klip.RowCol", "klip.RowPrefix.7"}) {
    std::shared_ptr<const rocksdb::SliceTransform> made;
    const rocksdb::Status status = rocksdb::SliceTransform::CreateFromString(rocksdb::ConfigOptions(), name, &made);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_STREQ(made->Name(), name);
  }
}

TEST(BloomPrefixTest, WholePartsOnly) {
  const std::string row = Escaped(std::string_view("a\0b", 3));
  std::string key;
  AppendCellKey(std::string_view("a\0b", 3), "q", 5, CellType::kPut, &key);
  EXPECT_EQ(Prefix("klip.Row", key), row);
  EXPECT_EQ(Prefix("klip.RowCol", key), row + Escaped("q"));
  EXPECT_EQ(Prefix("klip.Row", row), row);  // a prefix is its own prefix
  EXPECT_EQ(Prefix("klip.RowCol", row), "-");
  EXPECT_EQ(Prefix("klip.RowPrefix.1", key), "a");
  EXPECT_EQ(Prefix("klip.RowPrefix.2", key), std::string("a\0\xff", 3));
  EXPECT_EQ(Prefix("klip.RowPrefix.3", key), std::string("a\0\xff"
                                                         "b",
                                                         4));
  EXPECT_EQ(Prefix("klip.RowPrefix.4", key), "-");  // the row is shorter
}

TEST(BloomPrefixTest, CutAndForeignKeysAreOutside) {
  std::string key;
  AppendCellKey(std::string_view("a\0", 2), "q", 5, CellType::kPut, &key);
  for (size_t length = 0; length <= key.size(); ++length) {
    for (const char* name : {"klip.Row", "klip.RowCol", "klip.RowPrefix.2"}) {
      const std::string prefix = Prefix(name, key.substr(0, length));
      EXPECT_TRUE(prefix == "-" || prefix == Prefix(name, key)) << name << length;
    }
  }
  for (const std::string& foreign :
       {std::string(), std::string("\0", 1), std::string("\0\x02", 2), std::string(20, '\xff')}) {
    EXPECT_EQ(Prefix("klip.Row", foreign), "-");
    EXPECT_EQ(Prefix("klip.RowCol", foreign), "-");
  }
}

}  // namespace
}  // namespace klip::engine
