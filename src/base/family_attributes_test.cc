#include "base/family_attributes.h"

#include <gtest/gtest.h>

namespace klip::base {
namespace {

TEST(FamilyAttributes, WhatIsSetIsToldAgain) {
  FamilyDescriptor family = {.name = "f"};
  const std::vector<std::pair<std::string, std::string>> given = {{"VERSIONS", "7"},
                                                                  {"MIN_VERSIONS", "2"},
                                                                  {"TTL", "86400"},
                                                                  {"KEEP_DELETED_CELLS", "TTL"},
                                                                  {"NEW_VERSION_BEHAVIOR", "true"},
                                                                  {"BLOOMFILTER", "ROWPREFIX_FIXED_LENGTH"},
                                                                  {"RowPrefixBloomFilter.prefix_length", "4"},
                                                                  {"COMPRESSION", "ZSTD"},
                                                                  {"BLOCKSIZE", "4096"},
                                                                  {"IN_MEMORY", "true"},
                                                                  {"BLOCKCACHE", "false"},
                                                                  {"REPLICATION_SCOPE", "1"},
                                                                  {"DATA_BLOCK_ENCODING", "FAST_DIFF"}};
  for (const auto& [name, text] : given) {
    EXPECT_EQ(IsFamilySetting(name), name != "DATA_BLOCK_ENCODING");
    EXPECT_TRUE(SetAttribute(name, text, &family).ok()) << name;
  }
  EXPECT_EQ(AttributesOf(family), given);
  EXPECT_EQ(family.max_versions, 7);
  EXPECT_EQ(family.keep_deleted_cells, KeepDeletedCells::kTtl);
  EXPECT_TRUE(SetAttribute("a.b", "c", &family).ok());
  EXPECT_EQ(family.configuration.at("a.b"), "c");
  for (const auto& [text, ttl_s] : {std::pair{"1 DAY", 86400},
                                    {"1 day 2 Hours 3 MINUTES 4 seconds", 93784},
                                    {"90 SECONDS", 90},
                                    {"2DAYS", 172800},
                                    {"forever", kTtlForever}}) {
    EXPECT_TRUE(SetAttribute("TTL", text, &family).ok()) << text;
    EXPECT_EQ(family.ttl_s, ttl_s) << text;
  }
  EXPECT_TRUE(SetAttribute("TTL", "FOREVER", &family).ok());
  EXPECT_EQ(family.ttl_s, kTtlForever);
}

TEST(FamilyAttributes, WordsInEitherCase) {
  FamilyDescriptor family = {.name = "f"};
  for (const auto& [name, text] : {std::pair{"BLOOMFILTER", "rowcol"},
                                   {"COMPRESSION", "Snappy"},
                                   {"KEEP_DELETED_CELLS", "ttl"},
                                   {"IN_MEMORY", "True"}}) {
    EXPECT_TRUE(SetAttribute(name, text, &family).ok()) << name;
  }
  EXPECT_EQ(family.bloom, BloomKind::kRowCol);
  EXPECT_EQ(family.compression, "SNAPPY");
  EXPECT_EQ(family.keep_deleted_cells, KeepDeletedCells::kTtl);
  EXPECT_TRUE(family.in_memory);
}

TEST(FamilyAttributes, TextsThatCannotBe) {
  FamilyDescriptor family = {.name = "f"};
  for (const auto& [name, text] : {std::pair{"VERSIONS", "many"},
                                   {"VERSIONS", "3 "},
                                   {"VERSIONS", "3000000000"},
                                   {"TTL", ""},
                                   {"TTL", "1 WEEK"},
                                   {"TTL", "1 DAY 2"},
                                   {"TTL", "DAY"},
                                   {"TTL", "1 DAY x"},
                                   {"TTL", "-1 DAY"},
                                   {"TTL", "99999 DAYS"},
                                   {"IN_MEMORY", "yes"},
                                   {"BLOOMFILTER", "rows"},
                                   {"COMPRESSION", ""}}) {
    const Status status = SetAttribute(name, text, &family);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << name << "=" << text;
    EXPECT_NE(status.message().find(name), std::string::npos);
  }
}

}  // namespace
}  // namespace klip::base
