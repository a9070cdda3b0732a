#include "engine/layout/file_lookup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "rocksdb/env.h"
#include <gtest/gtest.h>

#include "base/temp_directory_test.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

class FileLookupTest : public testing::Test {
 protected:
  FileLookupTest() {
    fs::create_directory(root_ + "/directory");
    std::ofstream(root_ + "/file") << "x";
    fs::create_symlink("loop", root_ + "/loop");  // as unreadable to root as a file without permissions to others
  }
  std::string Look(const std::string& name) {
    const Expected<bool> there = FileIsThere(rocksdb::Env::Default(), root_ + "/" + name);
    return !there.ok() ? there.status().ToString() : *there ? "there" : "missing";
  }
  std::string List(const std::string& name) {
    Expected<std::vector<std::string>> names = NamesIn(rocksdb::Env::Default(), root_ + "/" + name);
    if (!names.ok()) {
      return names.status().ToString();
    }
    std::ranges::sort(*names);
    std::string text;
    for (const std::string& one : *names) {
      text += one + " ";
    }
    return text;
  }

  TempDirectory temp_;
  const std::string root_ = temp_.path();
};

TEST_F(FileLookupTest, KnowsWhatItDoesNotKnow) {
  EXPECT_EQ(Look("file"), "there");
  EXPECT_EQ(Look("directory"), "there");
  EXPECT_EQ(Look("none"), "missing");
  EXPECT_EQ(Look("none/file"), "missing");
  EXPECT_EQ(Look("file/below"), "missing");
  const std::string loop = root_ + "/loop";
  EXPECT_EQ(Look("loop"), "IoError: looking for " + loop + ": Too many levels of symbolic links");
  EXPECT_EQ(Look("loop/file"), "IoError: looking for " + loop + "/file: Too many levels of symbolic links");
}

TEST_F(FileLookupTest, ListsDirectoriesOrSaysWhyNot) {
  EXPECT_EQ(List(""), "directory file loop ");
  EXPECT_EQ(List("directory"), "");
  EXPECT_EQ(List("none"), "");
  EXPECT_EQ(List("file"), "IoError: reading the directory " + root_ + "/file: Not a directory");
  EXPECT_EQ(List("loop").substr(0, 8), "IoError:");
}

}  // namespace
}  // namespace klip::engine
