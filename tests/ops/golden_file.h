// Golden files: blocks of op lines, "----", the answer up to a blank line; "#" starts a comment before the ops. Of the ops of
// a block only the last one prints anything, so each answer stands behind its op. A block without output prints "ok". An
// expected line that ends in "..." is a prefix. The files of SQL (sql/sql_file.h) have one statement a block, and may have
// several answers: "---- NAME" begins that of NAME.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace klip::ops {

struct GoldenAnswer {
  std::string name;  // what follows "---- ", or nothing
  std::vector<std::string> lines;

  bool operator==(const GoldenAnswer&) const = default;
};

struct GoldenBlock {
  std::vector<std::string> comments;
  std::vector<std::string> ops;
  std::vector<GoldenAnswer> answers;
  size_t line = 0;  // of the last op; its number begins at 1

  // Of the first answer; none without answers.
  std::vector<std::string> Expected() const;

  bool operator==(const GoldenBlock&) const = default;
};

std::vector<GoldenBlock> ReadGoldenFile(const std::string& path);
void WriteGoldenFile(const std::string& path, const std::vector<GoldenBlock>& blocks);

// All files below `directory` whose names end in `extension`, sorted.
std::vector<std::string> GoldenFiles(const std::string& directory, const std::string& extension = ".txt");

std::vector<std::string> Lines(const std::string& text);

// The lines, indented, for the message of a failure.
std::string Indented(const std::vector<std::string>& lines);

// Whether a line is what a golden file expects.
bool LineFits(const std::string& expected, const std::string& actual);

// One block for each op that prints something: the ops before it are silent. `outputs` has an output for each op.
std::vector<GoldenBlock> SplitByAnswers(const GoldenBlock& block, const std::vector<std::string>& outputs);

}  // namespace klip::ops
