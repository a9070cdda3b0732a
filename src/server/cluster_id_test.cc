#include "server/cluster_id.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace klip::server {
namespace {

TEST(ClusterIdTest, IsMadeOnceAndCheckedEachTime) {
  std::string directory = (std::filesystem::temp_directory_path() / "klip_id_XXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const Expected<std::string> made = ReadOrMakeClusterId(directory);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->size(), 36U);
  EXPECT_EQ(*ReadOrMakeClusterId(directory), *made);
  std::ofstream(directory + "/CLUSTER_ID") << "none";
  EXPECT_EQ(ReadOrMakeClusterId(directory).status().code(), Code::kCorruption);
  EXPECT_EQ(ReadOrMakeClusterId(directory + "/none").status().code(), Code::kIoError);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace klip::server
