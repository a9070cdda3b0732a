#include <gtest/gtest.h>

#include "messages/decode.h"
#include "messages/encode.h"

namespace klip::messages {
namespace {

const OperationAttributes kAttributes = {{"_a_", "1"}, {"__OMID_TRANSACTION__", "2"}, {"b", "3"}};

TEST(Attributes, OfReadsReachCoprocessors) {
  hbase::pb::Scan scan;
  ASSERT_TRUE(FillScan({.raw = true, .attributes = kAttributes}, &scan).ok());
  const Expected<Scan> same = ToScan(scan);
  ASSERT_TRUE(same.ok());
  EXPECT_TRUE(same->raw);
  EXPECT_EQ(same->attributes, kAttributes);

  hbase::pb::Get get;
  ASSERT_TRUE(FillGet({.row = "r", .attributes = kAttributes}, &get).ok());
  const Expected<Get> same_get = ToGet(get);
  ASSERT_TRUE(same_get.ok());
  EXPECT_EQ(same_get->attributes, kAttributes);
}

TEST(Attributes, OfMutationsReachCoprocessors) {
  hbase::pb::MutationProto message;
  FillMutation(Put{.row = "r", .ttl_ms = 7, .attributes = kAttributes}.Add("f", "q", "v"), {}, &message);
  std::vector<Mutation> mutations;
  rpc::CellBlockReader none;
  ASSERT_TRUE(AddMutations(message, &none, &mutations).ok());
  ASSERT_EQ(mutations.size(), 1u);
  const Put& put = std::get<Put>(mutations.front());
  EXPECT_EQ(put.ttl_ms, 7);
  EXPECT_EQ(put.attributes, kAttributes);
}

}  // namespace
}  // namespace klip::messages
