// A copy that is killed repeatedly, and resumes each time: in the end, the target must equal that of an uninterrupted
// copy.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temp_directory_test.h"
#include "copy/random_table.h"
#include "klip/copy.h"

namespace klip::ops {
namespace {

constexpr const char* kDirectoryVariable = "KLIP_COPY_DIRECTORY";

// The process that is killed: this program, with only the test below.
pid_t StartCopy(const std::string& directory) {
  const pid_t child = fork();
  if (child == 0) {
    setenv(kDirectoryVariable, directory.c_str(), 1);
    unsetenv("GTEST_TOTAL_SHARDS");  // it may be in another piece of this suite
    unsetenv("GTEST_SHARD_INDEX");
    execl("/proc/self/exe", "copy", "--gtest_filter=CopyKillTest.DISABLED_Child", "--gtest_also_run_disabled_tests",
          "--gtest_brief=1", nullptr);
    _exit(127);
  }
  return child;
}

TEST(CopyKillTest, DISABLED_Child) {
  const char* directory = std::getenv(kDirectoryVariable);
  ASSERT_NE(directory, nullptr);
  const auto source = OpenOrDie("klip:" + std::string(directory) + "/source");
  const auto target = OpenOrDie("klip:" + std::string(directory) + "/target");
  const Expected<CopyCounts> counts = CopyTable(*source, "t", *target, "t",
                                                {.threads = 3,
                                                 .chunk_bytes = 200'000,
                                                 .max_bytes_per_s = 20'000'000,
                                                 .state_file = std::string(directory) + "/state",
                                                 .job = "kill test"});
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
}

TEST(CopyKillTest, GoesOnWhereItWasKilled) {
  const TempDirectory directory(TempDirectory::Where::kMemory);
  {
    const auto source = OpenOrDie("klip:" + directory.Sub("source"));
    ASSERT_TRUE(source->admin().CreateTable(CopiedDescriptor("t", false), std::vector<std::string>{"row2"}).ok());
    const auto table = TableOf(source.get(), "t");
    WriteRandomRows(table.get(), 11, 6000, false);
    std::vector<Put> puts;
    for (int i = 0; i < 20'000; ++i) {
      puts.push_back(Put{.row = "row" + std::to_string(i)}.Add("f", "filler", std::string(500, 'x'), 3));
    }
    ASSERT_TRUE(table->Put(puts).ok());
  }
  const auto kills = static_cast<int>(NumberFromEnvironment("KLIP_COPY_KILLS", 8));
  Random random(SeedFromEnvironment(1));
  int killed = 0;
  size_t largest_state = 0;
  while (true) {
    const pid_t child = StartCopy(directory.path());
    ASSERT_GT(child, 0);
    if (killed < kills) {
      // Until it has noted something new, and then some.
      const size_t enough = largest_state + random.Below(3) * 60;
      int status = 0;
      while (waitpid(child, &status, WNOHANG) == 0) {
        std::error_code none;
        const auto bytes = std::filesystem::file_size(directory.Sub("state"), none);
        if (!none && bytes > enough) {
          largest_state = bytes;
          kill(child, SIGKILL);
          waitpid(child, &status, 0);
          break;
        }
      }
      if (WIFSIGNALED(status)) {
        ++killed;
        continue;
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    break;
  }
  EXPECT_GE(killed, 3);
  const auto source = OpenOrDie("klip:" + directory.Sub("source"));
  const auto target = OpenOrDie("klip:" + directory.Sub("target"));
  EXPECT_FALSE(std::filesystem::exists(directory.Sub("state")));
  EXPECT_TRUE(Cells(TableOf(target.get(), "t").get(), /*raw=*/true, /*with_tags=*/true) ==
              Cells(TableOf(source.get(), "t").get(), /*raw=*/true, /*with_tags=*/true));
}

}  // namespace
}  // namespace klip::ops
