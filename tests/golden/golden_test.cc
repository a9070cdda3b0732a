// Runs the golden files beside it (ops/golden_file.h).
//
//   KLIP_REWRITE=1   writes the answers into the files, each behind its op: review the diff
//
// Each file runs twice: normally, and with the store reopened between blocks. The output must be the same.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "ops/golden_file.h"
#include "ops/op_language.h"
#include "ops/store_session.h"

namespace klip::ops {
namespace {

bool Fits(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  return std::ranges::equal(expected, actual, LineFits);
}

class GoldenFile : public testing::Test {
 public:
  GoldenFile(std::string path, bool reopen) : path_(std::move(path)), reopen_(reopen) {}

  void TestBody() override {
    const bool rewrite = getenv("KLIP_REWRITE") != nullptr && !reopen_;
    TempDirectory directory(TempDirectory::Where::kMemory);
    StoreSession session(directory.path());
    std::vector<GoldenBlock> rewritten;
    for (const GoldenBlock& block : ReadGoldenFile(path_)) {
      std::vector<std::string> outputs;
      for (const std::string& op : block.ops) {
        outputs.push_back(session.Run(op));
        ASSERT_EQ(outputs.back().find(kSyntaxError), std::string::npos) << path_ << ":" << block.line << "\n" << op;
      }
      const std::vector<GoldenBlock> answered = SplitByAnswers(block, outputs);
      rewritten.insert(rewritten.end(), answered.begin(), answered.end());
      if (!rewrite) {
        Compare(block, answered);
      }
      if (reopen_) {
        ASSERT_EQ(session.Reopen(), "");
      }
    }
    if (rewrite) {
      WriteGoldenFile(path_, rewritten);
    }
  }

 private:
  void Compare(const GoldenBlock& block, const std::vector<GoldenBlock>& answered) const {
    std::vector<std::string> actual;
    for (const GoldenBlock& one : answered) {
      const std::vector<std::string> lines = one.Expected();
      actual.insert(actual.end(), lines.begin(), lines.end());
    }
    EXPECT_TRUE(Fits(block.Expected(), actual)) << path_ << ":" << block.line << "\n  ops\n"
                                                << Indented(block.ops) << "  expected\n"
                                                << Indented(block.Expected()) << "  got\n"
                                                << Indented(actual);
    EXPECT_EQ(answered.size(), 1U) << path_ << ":" << block.line << ": an answer stands behind its op:\n"
                                   << Indented(answered.front().ops);
  }

  std::string path_;
  bool reopen_;
};

void RegisterFiles() {
  for (const std::string& path : GoldenFiles(KLIP_GOLDEN_DIRECTORY)) {
    std::string name = std::filesystem::relative(path, KLIP_GOLDEN_DIRECTORY).replace_extension().string();
    std::ranges::replace(name, '/', '_');
    for (bool reopen : {false, true}) {
      testing::RegisterTest(reopen ? "GoldenReopen" : "Golden", name.c_str(), nullptr, nullptr, path.c_str(), 1,
                            [path, reopen]() -> GoldenFile* { return new GoldenFile(path, reopen); });
    }
  }
}

}  // namespace
}  // namespace klip::ops

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  klip::ops::RegisterFiles();
  return RUN_ALL_TESTS();
}
