#include "parity/comparison.h"

#include <algorithm>

#include "base/temp_directory_test.h"
#include "ops/golden_file.h"
#include "ops/op_language.h"
#include "ops/store_session.h"

namespace klip::ops {
namespace {

// "error DoNotRetry: text" -> "error DoNotRetry".
std::string ErrorClass(const std::string& line) {
  return line.starts_with("error ") ? line.substr(0, line.find(':')) : line;
}

// Lines of one row as one line.
std::vector<std::string> JoinPieces(const std::vector<std::string>& lines) {
  std::vector<std::string> joined;
  std::string row;
  for (std::string line : lines) {
    if (line.ends_with(" ++")) {
      line.resize(line.size() - 3);
    }
    const size_t blank = std::min(line.find(' '), line.size());
    if (!joined.empty() && line.substr(0, blank) == row) {
      joined.back() += line.substr(blank);
    } else {
      row = line.substr(0, blank);
      joined.push_back(line);
    }
  }
  return joined;
}

// A Result that its batch fills says that more of the row may follow if HBase has not checked, or has seen masked cells.
void ForgetUnfoundedMarks(std::vector<std::string>* lines) {
  for (size_t i = 0; i < lines->size(); ++i) {
    std::string& line = (*lines)[i];
    const std::string row = line.substr(0, line.find(' ') + 1);
    if (line.ends_with(" ++") && (i + 1 == lines->size() || !(*lines)[i + 1].starts_with(row))) {
      line.resize(line.size() - 3);
    }
  }
}

}  // namespace

std::vector<std::string> RunOnKlip(const ParityCase& test) {
  TempDirectory directory(TempDirectory::Where::kMemory);
  StoreSession session(directory.path(), test.options);
  std::vector<std::string> out;
  for (const std::string& op : test.ops) {
    out.push_back(session.Run(op));
  }
  return out;
}

bool IsServerFault(const std::string& hbase) { return hbase.starts_with("error ServerFault"); }

bool SameOutput(std::string_view op, const std::string& klip, const std::string& hbase) {
  if (klip == hbase || IsServerFault(hbase)) {
    return true;
  }
  std::vector<std::string> left = Lines(klip);
  std::vector<std::string> right = Lines(hbase);
  if (op.find(" partial=") != std::string_view::npos) {
    left = JoinPieces(left);
    right = JoinPieces(right);
  }
  if (op.find(" batch=") != std::string_view::npos) {
    ForgetUnfoundedMarks(&right);
  }
  return std::ranges::equal(left, right, {}, ErrorClass, ErrorClass);
}

std::optional<Difference> FirstDifference(const ParityCase& test, const std::vector<std::string>& klip,
                                          const std::vector<std::string>& hbase) {
  for (size_t i = 0; i < test.ops.size(); ++i) {
    if (!SameOutput(test.ops[i], klip[i], hbase[i])) {
      return Difference{i, klip[i], hbase[i]};
    }
    if (IsServerFault(hbase[i]) && test.ops[i].starts_with("check ")) {
      return std::nullopt;  // klip may have written what HBase has not
    }
  }
  return std::nullopt;
}

void WriteAsGoldenFile(const std::string& path, const ParityCase& test, const std::vector<std::string>& hbase) {
  std::vector<std::string> outputs;
  for (const std::string& answer : hbase) {
    std::string& output = outputs.emplace_back();
    for (const std::string& line : Lines(answer)) {
      output += (line.starts_with("error ") ? ErrorClass(line) + ": ..." : line) + "\n";
    }
  }
  WriteGoldenFile(path, SplitByAnswers({.ops = test.ops}, outputs));
}

}  // namespace klip::ops
