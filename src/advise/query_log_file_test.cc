// ParseQueryLog reads what the query log writes.
#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/temp_directory_test.h"
#include "klip/advise.h"

namespace klip {
namespace {

std::string ReadAll(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(QueryLogFile, IsReadByParseQueryLog) {
  const TempDirectory directory(TempDirectory::Where::kMemory);
  const std::string path = directory.Sub("queries");
  for (int opened = 0; opened < 2; ++opened) {  // the second round appends to the file
    const QueryLog log = *WriteQueryLog(path, [](const Status& status) { FAIL() << status.message(); });
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 100; ++i) {
          log({.table = "visits", .where = "date=20140628", .times = 3});
          log({.table = "visits", .where = "user=\"a\\x0A\"", .limit_rows = 10});
          log({.table = "other", .where = "n=1"});
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  const std::vector<LoggedQuery> queries = *ParseQueryLog(ReadAll(path), "visits");
  EXPECT_EQ(queries, (std::vector<LoggedQuery>{{.where = "date=20140628", .weight = 2400},
                                               {.where = "user=\"a\\x0A\"", .weight = 800, .limit_rows = 10}}));
  struct stat file = {};
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
}

TEST(QueryLogFile, ABadPathIsAnError) {
  const Expected<QueryLog> log = WriteQueryLog("/nowhere/queries", [](const Status&) {});
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.status().message(), "cannot open the query log '/nowhere/queries': No such file or directory");
}

TEST(QueryLogFile, AFullDiskIsTold) {
  std::string told;
  {
    const QueryLog log = *WriteQueryLog("/dev/full", [&](const Status& status) { told = status.message(); });
    log({.table = "t", .where = "a=1"});
  }
  EXPECT_EQ(told, "cannot write the query log '/dev/full': No space left on device");
}

}  // namespace
}  // namespace klip
