#include "copy/state_file.h"

#include <string_view>

#include <gtest/gtest.h>

namespace klip::copy {
namespace {

// The first page of a process's memory is no memory: a read of it fails with EIO.
TEST(StateFileTest, TellsOfAFileThatCannotBeRead) {
  const Expected<StateFile> state =
      StateFile::Open("/proc/self/mem", "export", "job", [](std::string_view) { return true; });
  EXPECT_EQ(state.status().ToString(), "IoError: cannot read the state file '/proc/self/mem': Input/output error");
}

}  // namespace
}  // namespace klip::copy
