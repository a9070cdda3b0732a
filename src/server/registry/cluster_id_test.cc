#include "server/registry/cluster_id.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"

namespace klip::server {
namespace {

TEST(ClusterIdTest, IsMadeOnceAndCheckedEachTime) {
  const TempDirectory temp;
  const std::string& directory = temp.path();
  const Expected<std::string> made = ReadOrMakeClusterId(directory);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->size(), 36U);
  EXPECT_EQ(*ReadOrMakeClusterId(directory), *made);
  std::ofstream(directory + "/CLUSTER_ID") << "none";
  EXPECT_EQ(ReadOrMakeClusterId(directory).status().code(), Code::kCorruption);
  EXPECT_EQ(ReadOrMakeClusterId(directory + "/none").status().code(), Code::kIoError);
}

}  // namespace
}  // namespace klip::server
