// klip_parity: op files on klip and on a real HBase, compared line by line.
//
//   klip_parity [--golden=DIRECTORY] [--ops=N] [--filter-scans=N] [--seed=N] [--failures=DIRECTORY] -- COMMAND...
//
// COMMAND starts the Java program of compat/java (see ./x compat). Exit code 1 when anything differs.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parity/filter_generator.h"
#include "parity/golden_parity.h"
#include "parity/op_generator.h"
#include "parity/random_parity.h"

namespace klip::ops {
namespace {

constexpr size_t kOpsPerCase = 300;
constexpr size_t kFilterScansPerCase = 150;

struct Options {
  std::string golden;  // none: no golden files
  std::string ops = "0";
  std::string filter_scans = "0";
  std::string seed = "1";
  std::string failures = "build/compat/differences";
  std::vector<std::string> command;
};

bool ReadOption(std::string_view word, std::string_view name, std::string* value) {
  if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=') {
    return false;
  }
  *value = word.substr(name.size() + 1);
  return true;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      options.command.assign(argv + i + 1, argv + argc);
      break;
    }
    if (!ReadOption(word, "--golden", &options.golden) && !ReadOption(word, "--ops", &options.ops) &&
        !ReadOption(word, "--filter-scans", &options.filter_scans) && !ReadOption(word, "--seed", &options.seed) &&
        !ReadOption(word, "--failures", &options.failures)) {
      fprintf(stderr, "unknown option %s\n", word.c_str());
      return 2;
    }
  }
  std::unique_ptr<HBaseProcess> hbase = HBaseProcess::Start(options.command);
  if (hbase == nullptr) {
    return 2;
  }
  size_t differences = 0;
  if (!options.golden.empty()) {
    const GoldenCounts counts = CompareGoldenFiles(*hbase, options.golden);
    printf(
        "%zu golden files: %zu ops are the same, %zu are klip's own, %zu are left out, %zu differ on purpose, %zu "
        "differ\n",
        counts.files, counts.compared, counts.klips_own, counts.left_out, counts.on_purpose, counts.differences);
    differences += counts.differences;
  }
  const uint64_t seed = strtoull(options.seed.c_str(), nullptr, 10);
  std::map<std::string_view, size_t> left_out;
  if (const size_t ops = strtoull(options.ops.c_str(), nullptr, 10); ops > 0) {
    const RandomCounts counts = CompareRandomCases(
        *hbase, seed, ops, options.failures, [&left_out](uint64_t s) { return MakeOpCase(s, kOpsPerCase, &left_out); });
    printf("%zu random ops in %zu cases from seed %s: %zu cases differ\n", counts.ops, counts.cases,
           options.seed.c_str(), counts.differences);
    differences += counts.differences;
  }
  if (const size_t scans = strtoull(options.filter_scans.c_str(), nullptr, 10); scans > 0) {
    // A case's other ops make its rows, and do not count.
    size_t compared = 0;
    const RandomCounts counts = CompareRandomCases(*hbase, seed, scans, options.failures, [&](uint64_t s) {
      compared += kFilterScansPerCase;
      return MakeFilterCase(s, kFilterScansPerCase, &left_out);
    });
    printf("%zu reads with random filters in %zu cases from seed %s: %zu cases differ\n", compared, counts.cases,
           options.seed.c_str(), counts.differences);
    differences += counts.differences;
    left_out["server-fault"] += counts.server_faults;
  }
  for (const auto& [reason, count] : left_out) {
    printf("left out %zu times: %s\n", count, std::string(LeftOutReasons().at(reason)).c_str());
  }
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace klip::ops

int main(int argc, char** argv) { return klip::ops::Main(argc, argv); }
