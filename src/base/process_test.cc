#include "base/process.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"

namespace klip::base {
namespace {

TEST(ProcessTest, TheLeastLimitOfAllControlGroupsCounts) {
  const TempDirectory temp;
  const std::string root = temp.path() + "/groups";
  const std::string membership = temp.path() + "/membership";
  const auto write = [](const std::string& path, const std::string& text) { std::ofstream(path) << text; };
  std::filesystem::create_directories(root + "/system.slice/klip.service");
  EXPECT_EQ(GroupBytes(root, membership), std::numeric_limits<int64_t>::max()) << "no groups at all";
  write(membership, "1:cpu:/elsewhere\n0::/system.slice/klip.service\n");
  write(root + "/system.slice/klip.service/memory.max", "max\n");
  EXPECT_EQ(GroupBytes(root, membership), std::numeric_limits<int64_t>::max());
  write(root + "/system.slice/memory.max", "3000\n");
  EXPECT_EQ(GroupBytes(root, membership), 3000);
  write(root + "/memory.max", "2000\n");
  EXPECT_EQ(GroupBytes(root, membership), 2000) << "that of a container";
  write(root + "/system.slice/klip.service/memory.max", "1000\n");
  EXPECT_EQ(GroupBytes(root, membership), 1000);
}

}  // namespace
}  // namespace klip::base
