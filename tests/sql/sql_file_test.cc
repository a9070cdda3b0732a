// Runs the files of SQL beside it (sql/sql_file.h) on a store in a temporary directory, and those for Phoenix also by the
// client on klip's own server; klip's answers must be those of the files. compat/sql/run.sh compares the others with the real Phoenix, and records them.
//
//   KLIP_REWRITE=1   writes klip's answers into the files: review the diff
#include "sql/sql_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "ops/golden_file.h"
#include "server/server.h"
#include "sql/sql_script.h"
#include "table/embedded_connection.h"

namespace klip::ops {
namespace {

// The first cells of the rows of tables in docs/compatibility.md, without the marks of code.
std::vector<std::string> KnownDifferences() {
  std::vector<std::string> cells;
  std::ifstream file(KLIP_COMPATIBILITY);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ")) {
      std::erase(line, '`');
      cells.push_back(line.substr(2));
    }
  }
  return cells;
}

std::string Text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

enum class Where { kDirectory, kServer };

// Clients of klip serve define no indexes: it keeps them itself.
bool DefinesIndex(const std::string& statement) {
  constexpr std::array<std::string_view, 4> kDefinitions = {"CREATE INDEX ", "CREATE LOCAL INDEX ", "DROP INDEX ",
                                                            "ALTER INDEX "};
  return std::ranges::any_of(kDefinitions, [&](std::string_view words) { return statement.starts_with(words); });
}

class SqlFile : public testing::Test {
 public:
  SqlFile(std::string path, bool own, Where where) : path_(std::move(path)), own_(own), where_(where) {}

  void TestBody() override {
    const bool rewrite = getenv("KLIP_REWRITE") != nullptr;
    if (rewrite && where_ == Where::kServer) {
      GTEST_SKIP() << "the files have the answers of a directory, and of a real HBase";
    }
    const TempDirectory directory(TempDirectory::Where::kMemory);
    std::string uri = "klip:" + directory.path();
    std::unique_ptr<server::Server> server;
    if (where_ == Where::kServer) {
      auto store = table::OpenEmbedded(directory.path(), {.sync_wal = false});
      ASSERT_TRUE(store.ok()) << store.status().ToString();
      Expected<std::unique_ptr<server::Server>> started = server::Server::Start(*std::move(store), {});
      ASSERT_TRUE(started.ok()) << started.status().ToString();
      server = *std::move(started);
      uri = "hbase+rpc://127.0.0.1:" + std::to_string(server->rpc_port());
    }
    const Expected<std::unique_ptr<SqlScript>> script = SqlScript::Open(uri);
    ASSERT_TRUE(script.ok()) << script.status().ToString();
    std::vector<GoldenBlock> blocks = ReadGoldenFile(path_);
    for (GoldenBlock& block : blocks) {
      if (block.ops.empty()) {
        continue;
      }
      if (where_ == Where::kServer && DefinesIndex(StatementIn(block))) {
        continue;
      }
      std::vector<std::string> actual = (*script)->Run(StatementIn(block));
      if (rewrite) {
        Rewrite(&block, std::move(actual), (*script)->message());
      } else {
        Compare(block, actual, **script);
      }
    }
    if (rewrite) {
      WriteGoldenFile(path_, blocks);
      return;
    }
    const TempDirectory other(TempDirectory::Where::kMemory);
    const std::string copy = other.Sub("copy.test");
    WriteGoldenFile(copy, blocks);
    EXPECT_EQ(Text(copy), Text(path_)) << "what was read is not all that the file says";
  }

 private:
  void Compare(const GoldenBlock& block, const std::vector<std::string>& actual, const SqlScript& script) const {
    const std::string where = path_ + ":" + std::to_string(block.line) + "\n" + Indented(block.ops);
    std::optional<std::vector<std::string>> expected;
    if (where_ == Where::kServer) {
      expected = AnswerIn(block, kCluster);
    }
    if (!expected.has_value()) {
      expected = AnswerIn(block, kKlip).value_or(std::vector<std::string>());
    }
    EXPECT_EQ(*expected, actual) << where << "  expected\n"
                                 << Indented(*expected) << "  got\n"
                                 << Indented(actual) << script.message();
    if (where_ == Where::kServer) {
      return;
    }
    const std::optional<std::vector<std::string>> message = AnswerIn(block, kMessage);
    EXPECT_TRUE(!message.has_value() || *message == std::vector<std::string>{script.message()})
        << where << "  expected message\n"
        << Indented(*message) << "  got\n    " << script.message();
    CheckReason(block);
  }

  void Rewrite(GoldenBlock* block, std::vector<std::string> actual, const std::string& message) const {
    const bool with_message = AnswerIn(*block, kMessage).has_value();
    if (own_) {
      block->answers = {{.lines = std::move(actual)}};
    } else {
      SetAnswer(block, kKlip, std::move(actual));
    }
    if (with_message) {
      SetAnswer(block, kMessage, message.empty() ? std::vector<std::string>() : std::vector<std::string>{message});
    }
  }

  void CheckReason(const GoldenBlock& block) const {
    static const std::vector<std::string> known = KnownDifferences();
    const std::string reason = ReasonIn(block);
    const bool differs = AnswerIn(block, kPhoenix).has_value() && AnswerIn(block, kPhoenix) != AnswerIn(block, kKlip);
    EXPECT_EQ(differs, !reason.empty()) << path_ << ":" << block.line
                                        << ": \"---- klip: REASON\" belongs to an answer that differs from Phoenix's";
    const auto named = std::ranges::count_if(known, [&](const std::string& cell) { return cell.starts_with(reason); });
    EXPECT_TRUE(reason.empty() || named == 1)
        << path_ << ":" << block.line << ": " << named << " rows of docs/compatibility.md begin with: " << reason;
  }

  std::string path_;
  bool own_;
  Where where_;
};

void Register(const std::string& suite, const std::string& path, bool own, Where where) {
  const std::string name = (own ? "own_" : "phoenix_") + std::filesystem::path(path).stem().string();
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, path.c_str(), 1,
                        [=]() -> SqlFile* { return new SqlFile(path, own, where); });
}

const bool kRegistered = [] {
  for (const std::string& path : GoldenFiles(KLIP_SQL_DIRECTORY "/own", ".test")) {
    Register("SqlFile", path, true, Where::kDirectory);
  }
  for (const std::string& path : GoldenFiles(KLIP_SQL_DIRECTORY "/phoenix", ".test")) {
    Register("SqlFile", path, false, Where::kDirectory);
    Register("SqlFileOnServer", path, false, Where::kServer);
  }
  return true;
}();

}  // namespace
}  // namespace klip::ops
