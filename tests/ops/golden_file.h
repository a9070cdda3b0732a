// Golden files: blocks of op lines, "----", the expected output up to a blank line; "#" starts a comment. A block without
// output prints "ok". An expected line that ends in "..." is a prefix.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace klip::ops {

struct GoldenBlock {
  std::vector<std::string> comments;
  std::vector<std::string> ops;
  std::vector<std::string> expected;
  size_t line = 0;  // of "----"
};

std::vector<GoldenBlock> ReadGoldenFile(const std::string& path);
void WriteGoldenFile(const std::string& path, const std::vector<GoldenBlock>& blocks);

// All golden files below `directory`, sorted.
std::vector<std::string> GoldenFiles(const std::string& directory);

std::vector<std::string> Lines(const std::string& text);

// Whether a line is what a golden file expects.
bool LineFits(const std::string& expected, const std::string& actual);

}  // namespace klip::ops
