// Runs the golden files beside it. A file is blocks of op lines, "----", the expected output up to a blank line; "#" begins a
// comment. A block that prints nothing prints "ok". An expected line that ends in "..." is a prefix.
//
//   KLIP_REWRITE=1   writes what came out into the files: review the diff
//
// Each file runs twice: as it is, and with the store closed and opened between blocks, which must change nothing.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/op_language.h"
#include "ops/store_session.h"
#include "ops/temp_directory.h"

namespace klip::ops {
namespace {

struct Block {
  std::vector<std::string> comments;
  std::vector<std::string> ops;
  std::vector<std::string> expected;
  size_t line = 0;
};

std::vector<Block> ReadBlocks(const std::string& path) {
  std::vector<Block> blocks(1);
  std::ifstream file(path);
  bool in_output = false;
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    Block& block = blocks.back();
    if (in_output) {
      if (!line.empty()) {
        block.expected.push_back(line);
        continue;
      }
      in_output = false;
      blocks.emplace_back();
    } else if (line == "----") {
      in_output = true;
      block.line = number;
    } else if (block.ops.empty() && (line.empty() || line.starts_with("#"))) {
      block.comments.push_back(line);
    } else {
      block.ops.push_back(line);
    }
  }
  if (blocks.back().ops.empty() && blocks.back().comments.empty()) {
    blocks.pop_back();
  }
  return blocks;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool LineFits(const std::string& expected, const std::string& actual) {
  if (expected.ends_with("...")) {
    return actual.starts_with(expected.substr(0, expected.size() - 3));
  }
  return expected == actual;
}

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

void WriteBlocks(const std::string& path, const std::vector<Block>& blocks) {
  std::ofstream file(path, std::ios::trunc);
  for (const Block& block : blocks) {
    for (const std::string& line : block.comments) {
      file << line << "\n";
    }
    if (block.ops.empty()) {
      continue;
    }
    for (const std::string& line : block.ops) {
      file << line << "\n";
    }
    file << "----\n";
    for (const std::string& line : block.expected) {
      file << line << "\n";
    }
    file << "\n";
  }
}

class GoldenFile : public testing::Test {
 public:
  GoldenFile(std::string path, bool reopen) : path_(std::move(path)), reopen_(reopen) {}

  void TestBody() override {
    const bool rewrite = getenv("KLIP_REWRITE") != nullptr && !reopen_;
    TempDirectory directory(TempDirectory::Where::kMemory);
    StoreSession session(directory.path());
    std::vector<Block> blocks = ReadBlocks(path_);
    for (Block& block : blocks) {
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
      WriteBlocks(path_, blocks);
    }
  }

 private:
  std::string path_;
  bool reopen_;
};

void RegisterFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KLIP_GOLDEN_DIRECTORY)) {
    if (entry.path().extension() == ".txt") {
      paths.push_back(entry.path().string());
    }
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
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
