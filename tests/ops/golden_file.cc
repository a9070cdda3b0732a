#include "ops/golden_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace klip::ops {

std::vector<std::string> GoldenBlock::Expected() const {
  return answers.empty() ? std::vector<std::string>() : answers.front().lines;
}

std::vector<GoldenBlock> ReadGoldenFile(const std::string& path) {
  constexpr std::string_view kAnswer = "----";
  std::vector<GoldenBlock> blocks(1);
  std::ifstream file(path);
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    GoldenBlock& block = blocks.back();
    if (!block.ops.empty() && (line == kAnswer || line.starts_with("---- "))) {
      block.answers.push_back({.name = line.substr(std::min(line.size(), kAnswer.size() + 1))});
    } else if (!block.answers.empty()) {
      if (line.empty()) {
        blocks.emplace_back();
      } else {
        block.answers.back().lines.push_back(line);
      }
    } else if (block.ops.empty() && (line.empty() || line.starts_with("#"))) {
      block.comments.push_back(line);
    } else if (line.empty()) {
      blocks.emplace_back();  // ops without an answer yet
    } else {
      block.ops.push_back(line);
      block.line = number;
    }
  }
  if (blocks.back().ops.empty() && blocks.back().comments.empty()) {
    blocks.pop_back();
  }
  return blocks;
}

void WriteGoldenFile(const std::string& path, const std::vector<GoldenBlock>& blocks) {
  std::ofstream file(path, std::ios::trunc);
  const auto write = [&file](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      file << line << "\n";
    }
  };
  for (const GoldenBlock& block : blocks) {
    if (&block != &blocks.front()) {
      file << "\n";
    }
    write(block.comments);
    write(block.ops);
    for (const GoldenAnswer& answer : block.answers) {
      file << (answer.name.empty() ? "----" : "---- " + answer.name) << "\n";
      write(answer.lines);
    }
  }
}

std::vector<GoldenBlock> SplitByAnswers(const GoldenBlock& block, const std::vector<std::string>& outputs) {
  const std::vector<std::string> expected = block.Expected();
  std::vector<GoldenBlock> blocks = {{.comments = block.comments}};
  size_t at = 0;
  for (size_t i = 0; i < block.ops.size(); ++i) {
    std::vector<std::string> lines = Lines(outputs[i]);
    const bool ends = i + 1 == block.ops.size();
    blocks.back().ops.push_back(block.ops[i]);
    if (lines.empty() && !ends) {
      continue;
    }
    if (lines.empty()) {
      lines = {"ok"};
    }
    for (std::string& line : lines) {  // keeps prefixes
      if (at < expected.size() && LineFits(expected[at], line)) {
        line = expected[at];
      }
      ++at;
    }
    blocks.back().answers = {{.lines = std::move(lines)}};
    if (!ends) {
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::vector<std::string> GoldenFiles(const std::string& directory, const std::string& extension) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == extension) {
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

std::string Indented(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += "    " + line + "\n";
  }
  return out;
}

bool LineFits(const std::string& expected, const std::string& actual) {
  if (expected.ends_with("...")) {
    return actual.starts_with(expected.substr(0, expected.size() - 3));
  }
  return expected == actual;
}

}  // namespace klip::ops
