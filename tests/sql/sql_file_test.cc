// Runs the files of SQL beside it (sql/sql_file.h) on a store in a temporary directory; klip's answers must be those of the
// files. compat/sql/run.sh compares the others with the real Phoenix, and records them.
//
//   KLIP_REWRITE=1   writes klip's answers into the files: review the diff
#include "sql/sql_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "ops/golden_file.h"
#include "sql/sql_script.h"

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

class SqlFile : public testing::Test {
 public:
  SqlFile(std::string path, bool own) : path_(std::move(path)), own_(own) {}

  void TestBody() override {
    const bool rewrite = getenv("KLIP_REWRITE") != nullptr;
    const TempDirectory directory(TempDirectory::Where::kMemory);
    const Expected<std::unique_ptr<SqlScript>> script = SqlScript::Open("klip:" + directory.path());
    ASSERT_TRUE(script.ok()) << script.status().ToString();
    std::vector<GoldenBlock> blocks = ReadGoldenFile(path_);
    for (GoldenBlock& block : blocks) {
      if (block.ops.empty()) {
        continue;
      }
      std::vector<std::string> actual = (*script)->Run(StatementIn(block));
      if (rewrite) {
        Rewrite(&block, std::move(actual), (*script)->message());
        continue;
      }
      const std::vector<std::string> expected = AnswerIn(block, kKlip).value_or(std::vector<std::string>());
      EXPECT_EQ(expected, actual) << path_ << ":" << block.line << "\n"
                                  << Indented(block.ops) << "  expected\n"
                                  << Indented(expected) << "  got\n"
                                  << Indented(actual) << (*script)->message();
      const std::optional<std::vector<std::string>> message = AnswerIn(block, kMessage);
      EXPECT_TRUE(!message.has_value() || *message == std::vector<std::string>{(*script)->message()})
          << path_ << ":" << block.line << "\n"
          << Indented(block.ops) << "  expected message\n"
          << Indented(*message) << "  got\n    " << (*script)->message();
      CheckReason(block);
    }
    if (rewrite) {
      WriteGoldenFile(path_, blocks);
      return;
    }
    const std::string copy = directory.Sub("copy.test");
    WriteGoldenFile(copy, blocks);
    EXPECT_EQ(Text(copy), Text(path_)) << "what was read is not all that the file says";
  }

 private:
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
};

const bool kRegistered = [] {
  for (const std::string directory : {"phoenix", "own"}) {
    for (const std::string& path : GoldenFiles(KLIP_SQL_DIRECTORY "/" + directory, ".test")) {
      const std::string name = directory + "_" + std::filesystem::path(path).stem().string();
      testing::RegisterTest("SqlFile", name.c_str(), nullptr, nullptr, path.c_str(), 1,
                            [path, directory]() -> SqlFile* { return new SqlFile(path, directory == "own"); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace klip::ops
