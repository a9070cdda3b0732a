#include "rpc/schema_messages.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace klip::rpc {
namespace {

std::map<std::string, std::string> AttributesIn(const hbase::pb::ColumnFamilySchema& message) {
  std::map<std::string, std::string> attributes;
  for (const hbase::pb::BytesBytesPair& pair : message.attributes()) {
    attributes[pair.first()] = pair.second();
  }
  return attributes;
}

// Clients compare descriptors attribute by attribute: an additional one would make another family.
TEST(SchemaMessages, ADefaultFamilyHasHBasesAttributes) {
  hbase::pb::ColumnFamilySchema message;
  FillFamily({.name = "f"}, &message);
  EXPECT_EQ(AttributesIn(message), (std::map<std::string, std::string>{{"BLOCKCACHE", "true"},
                                                                       {"BLOCKSIZE", "65536"},
                                                                       {"BLOOMFILTER", "ROW"},
                                                                       {"COMPRESSION", "NONE"},
                                                                       {"DATA_BLOCK_ENCODING", "NONE"},
                                                                       {"INDEX_BLOCK_ENCODING", "NONE"},
                                                                       {"IN_MEMORY", "false"},
                                                                       {"KEEP_DELETED_CELLS", "FALSE"},
                                                                       {"MIN_VERSIONS", "0"},
                                                                       {"REPLICATION_SCOPE", "0"},
                                                                       {"TTL", "2147483647"},
                                                                       {"VERSIONS", "1"}}));
  EXPECT_EQ(message.configuration_size(), 0);
}

TEST(SchemaMessages, AFamilyComesBackAsItWent) {
  FamilyDescriptor family = {.name = "f", .max_versions = 3, .new_version_behavior = true};
  family.bloom = BloomKind::kRowPrefixFixedLength;
  family.bloom_prefix_bytes = 4;
  family.attributes = {{"DATA_BLOCK_ENCODING", "FAST_DIFF"}, {"INDEX_BLOCK_ENCODING", "NONE"}};
  family.configuration["a.b"] = "c";
  hbase::pb::ColumnFamilySchema message;
  FillFamily(family, &message);
  EXPECT_EQ(AttributesIn(message)["NEW_VERSION_BEHAVIOR"], "true");
  EXPECT_EQ(message.configuration_size(), 2) << "a bloom filter's prefix is configuration, as in HBase";
  const Expected<FamilyDescriptor> back = ToFamilyDescriptor(message);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(back->max_versions, 3);
  EXPECT_TRUE(back->new_version_behavior);
  EXPECT_EQ(back->bloom_prefix_bytes, 4);
  EXPECT_EQ(back->attributes, family.attributes);
  EXPECT_EQ(back->configuration, family.configuration);
}

}  // namespace
}  // namespace klip::rpc
