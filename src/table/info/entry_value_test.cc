#include "table/info/entry_value.h"

#include <gtest/gtest.h>

namespace klip::table {
namespace {

using std::string_literals::operator""s;

rowkey::IndexDefinition Define(const std::string& declaration) {
  TableDescriptor table = {.name = "t", .families = {{.name = "f"}}};
  Expected<rowkey::IndexDefinition> index = rowkey::DefineIndex("i", declaration, table);
  EXPECT_TRUE(index.ok()) << index.status().ToString();
  return *std::move(index);
}

// The columns as "number@timestamp=value", or "check".
std::string Read(const rowkey::IndexDefinition& definition, std::string_view value, int64_t now_ms = 0) {
  std::vector<CoveredColumn> covered;
  if (!ReadEntryValue(definition, value, now_ms, &covered)) {
    EXPECT_TRUE(covered.empty());
    return "check";
  }
  std::string out = "certain";
  for (const CoveredColumn& column : covered) {
    out += " " + std::to_string(column.column) + "@" + std::to_string(column.timestamp_ms) + "=" +
           std::string(column.value);
  }
  return out;
}

TEST(EntryValueTest, HasTheBytesOfTheExample) {
  std::string value(kCovering);
  AppendCovered({.column = 1, .timestamp_ms = 5, .value = "Ann"}, &value);
  EXPECT_EQ(value, "\x03\0\0\0\x01\0\0\0\0\0\0\0\x05\0\0\0\x03"s + "Ann");
  EXPECT_EQ(Read(Define("f:a text INCLUDE f:name"), value), "certain 1@5=Ann");
}

TEST(EntryValueTest, ColumnsEndOneByOne) {
  const rowkey::IndexDefinition index = Define("f:a text INCLUDE f:b, f:c");
  std::string value(kCovering);
  AppendCovered({.column = 1, .timestamp_ms = -7, .until_ms = 100, .value = ""}, &value);
  AppendCovered({.column = 2, .timestamp_ms = 8, .value = "\0\xFF"s}, &value);
  EXPECT_EQ(Read(index, value, 100), "certain 1@-7= 2@8=\0\xFF"s);
  EXPECT_EQ(Read(index, value, 101), "certain 2@8=\0\xFF"s);
  EXPECT_EQ(Read(index, kCovering), "certain");
}

TEST(EntryValueTest, AnythingElseIsChecked) {
  const rowkey::IndexDefinition covering = Define("f:a text INCLUDE f:b, f:c");
  std::string value(kCovering);
  AppendCovered({.column = 1, .timestamp_ms = 5, .until_ms = 6, .value = "Ann"}, &value);
  const size_t one = value.size();
  AppendCovered({.column = 2, .timestamp_ms = 5, .value = "Bob"}, &value);
  for (size_t bytes = kCovering.size() + 1; bytes < value.size(); ++bytes) {
    if (bytes == one) {
      continue;  // one column alone
    }
    EXPECT_EQ(Read(covering, value.substr(0, bytes)), "check") << bytes;
  }
  EXPECT_EQ(Read(covering, value), "certain 1@5=Ann 2@5=Bob");
  EXPECT_EQ(Read(Define("f:a text INCLUDE f:b"), value), "check") << "no such column";
  EXPECT_EQ(Read(covering, kCertain), "check");  // of an older version
  EXPECT_EQ(Read(covering, kCheck), "check");
  EXPECT_EQ(Read(covering, ""), "check");
  const rowkey::IndexDefinition plain = Define("f:a text");
  EXPECT_EQ(Read(plain, kCertain), "certain");
  EXPECT_EQ(Read(plain, kCheck), "check");
  EXPECT_EQ(Read(plain, kCovering), "check");
}

}  // namespace
}  // namespace klip::table
