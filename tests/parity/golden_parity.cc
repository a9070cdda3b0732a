#include "parity/golden_parity.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "ops/golden_file.h"
#include "ops/op_language.h"
#include "parity/comparison.h"
#include "parity/left_out.h"

namespace klip::ops {
namespace {

// Ops that change the table and that only klip has; what follows them in the file cannot be compared with HBase.
constexpr std::array<std::string_view, 2> kOwnWrites = {"prepend", "atomic"};
// Ops that only klip has and that change nothing.
constexpr std::array<std::string_view, 8> kOwnReads = {"schema", "encode",  "decode",   "validate",
                                                       "query",  "explain", "distinct", "run-split-policies"};

struct GoldenCase {
  std::string name;
  ParityCase test;
  std::vector<std::string> on_hbase;  // the ops as HBase gets them
  std::future<std::vector<std::string>> answers;
};

// `measure METRIC OP` is OP there.
std::string WithoutMeasure(const std::string& op) {
  if (!op.starts_with("measure ")) {
    return op;
  }
  const size_t metric = op.find(' ') + 1;
  return op.substr(op.find(' ', metric) + 1);
}

bool IsOwnWrite(const std::string& op) { return std::ranges::find(kOwnWrites, Tokens(op)[0]) != kOwnWrites.end(); }

bool IsOwnRead(const std::string& op) {
  const std::vector<std::string> tokens = Tokens(op);
  const bool named = std::ranges::find(kOwnReads, tokens[0]) != kOwnReads.end();
  return named || ParseArguments(tokens).Has("where");
}

GoldenCase Read(const std::string& directory, const std::string& path) {
  GoldenCase out{.name = std::filesystem::relative(path, directory).string()};
  for (const GoldenBlock& block : ReadGoldenFile(path)) {
    for (const std::string& op : block.ops) {
      if (!Tokens(op).empty()) {
        out.test.ops.push_back(op);
        const bool left_out = IsOwnRead(op) || IsOwnWrite(op) || !LeftOut({}, op).empty();
        out.on_hbase.push_back(left_out ? "reopen" : WithoutMeasure(op));
      }
    }
  }
  return out;
}

// What a `measure` prints about klip is cut off.
std::string ComparableOutput(const std::string& op, std::string klip) {
  if (op.starts_with("measure ")) {
    klip.resize(klip.rfind('\n', klip.size() - 2) + 1);
  }
  return klip;
}

void Compare(const GoldenCase& golden, const std::vector<std::string>& hbase, GoldenCounts* counts) {
  const std::vector<std::string> klip = RunOnKlip(golden.test);
  const std::vector<std::string>& ops = golden.test.ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (IsOwnWrite(ops[i])) {
      counts->klips_own += ops.size() - i;
      return;
    }
    if (IsOwnRead(ops[i])) {
      ++counts->klips_own;
      continue;
    }
    if (!LeftOut({}, ops[i]).empty()) {
      ++counts->left_out;
      continue;
    }
    const std::string expected = ComparableOutput(ops[i], klip[i]);
    if (SameOutput(ops[i], expected, hbase[i])) {
      ++counts->compared;
    } else if (IsGoldenDifference(golden.name, ops[i])) {
      ++counts->on_purpose;
    } else {
      ++counts->differences;
      printf("%s: %s\n  klip   %s  HBase  %s", golden.name.c_str(), ops[i].c_str(),
             expected.empty() ? "\n" : expected.c_str(), hbase[i].empty() ? "\n" : hbase[i].c_str());
    }
  }
}

}  // namespace

GoldenCounts CompareGoldenFiles(HBaseProcess& hbase, const std::string& directory) {
  std::vector<GoldenCase> cases;
  for (const std::string& path : GoldenFiles(directory)) {
    cases.push_back(Read(directory, path));
  }
  // Files that name and list tables have the cluster to themselves, before other tables exist.
  std::ranges::stable_partition(cases, [](const GoldenCase& c) { return c.name.starts_with("admin/"); });
  for (GoldenCase& golden : cases) {
    const bool alone = golden.name.starts_with("admin/");
    golden.answers = hbase.Run(golden.on_hbase, alone ? HBaseProcess::Tables::kAlone : HBaseProcess::Tables::kPooled);
  }
  GoldenCounts counts;
  for (GoldenCase& golden : cases) {
    Compare(golden, golden.answers.get(), &counts);
    ++counts.files;
  }
  return counts;
}

}  // namespace klip::ops
