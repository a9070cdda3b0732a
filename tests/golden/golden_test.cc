// Runs the golden files beside it (ops/golden_file.h).
//
//   KLIP_REWRITE=1   writes the output into the files: review the diff
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

std::string Join(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += "    " + line + "\n";
  }
  return out;
}

class GoldenFile : public testing::Test {
 public:
  GoldenFile(std::string path, bool reopen) : path_(std::move(path)), reopen_(reopen) {}

  void TestBody() override {
    const bool rewrite = getenv("KLIP_REWRITE") != nullptr && !reopen_;
    TempDirectory directory(TempDirectory::Where::kMemory);
    StoreSession session(directory.path());
    std::vector<GoldenBlock> blocks = ReadGoldenFile(path_);
    for (GoldenBlock& block : blocks) {
      std::string out;
      for (const std::string& op : block.ops) {
        out += session.Run(op);
      }
      std::vector<std::string> actual = Lines(out.empty() ? "ok" : out);
      ASSERT_EQ(out.find(kSyntaxError), std::string::npos) << path_ << ":" << block.line << "\n" << out;
      if (!Fits(block.expected, actual)) {
        if (rewrite) {
          block.expected = actual;
        } else {
          ADD_FAILURE() << path_ << ":" << block.line << "\n  ops\n"
                        << Join(block.ops) << "  expected\n"
                        << Join(block.expected) << "  got\n"
                        << Join(actual);
        }
      }
      if (reopen_) {
        ASSERT_EQ(session.Reopen(), "");
      }
    }
    if (rewrite) {
      WriteGoldenFile(path_, blocks);
    }
  }

 private:
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
