#include "ops/golden_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace klip::ops {

std::vector<GoldenBlock> ReadGoldenFile(const std::string& path) {
  std::vector<GoldenBlock> blocks(1);
  std::ifstream file(path);
  bool in_output = false;
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    GoldenBlock& block = blocks.back();
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

void WriteGoldenFile(const std::string& path, const std::vector<GoldenBlock>& blocks) {
  std::ofstream file(path, std::ios::trunc);
  for (const GoldenBlock& block : blocks) {
    if (&block != &blocks.front()) {
      file << "\n";
    }
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
  }
}

std::vector<std::string> GoldenFiles(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".txt") {
      paths.push_back(entry.path().string());
    }
  }
  std::ranges::sort(paths);
  return paths;
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

}  // namespace klip::ops
