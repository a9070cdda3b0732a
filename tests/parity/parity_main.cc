// klip_parity: op files on klip and on a real HBase, compared line by line.
//
//   klip_parity [--full] [--golden=DIRECTORY] [--ops=N] [--filter-scans=N] [--seed=N] [--failures=DIRECTORY] -- COMMAND...
//
// COMMAND starts the Java program of compat/java (see ./x compat). Without --full, it takes a few minutes. Exit code 1 if
// anything differs.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parity/filter_generator.h"
#include "parity/golden_parity.h"
#include "parity/left_out.h"
#include "parity/op_generator.h"
#include "parity/random_parity.h"

namespace klip::ops {
namespace {

constexpr size_t kOpsPerCase = 300;
constexpr size_t kFilterScansPerCase = 150;

struct Options {
  std::string golden;  // none: no golden files
  std::string ops = "20000";
  std::string filter_scans = "3000";
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

bool ReadOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      options->command.assign(argv + i + 1, argv + argc);
      return true;
    }
    if (word == "--full") {
      options->ops = "200000";
      options->filter_scans = "25000";
    } else if (!ReadOption(word, "--golden", &options->golden) && !ReadOption(word, "--ops", &options->ops) &&
               !ReadOption(word, "--filter-scans", &options->filter_scans) &&
               !ReadOption(word, "--seed", &options->seed) && !ReadOption(word, "--failures", &options->failures)) {
      fprintf(stderr, "unknown option %s\n", word.c_str());
      return false;
    }
  }
  fprintf(stderr, "no command behind --\n");
  return false;
}

using LeftOutCounts = std::map<std::string_view, size_t>;

size_t RunGoldenFiles(HBaseProcess& hbase, const Options& options) {
  if (options.golden.empty()) {
    return 0;
  }
  const GoldenCounts counts = CompareGoldenFiles(hbase, options.golden);
  printf(
      "%zu golden files: %zu ops are the same, %zu are klip's own, %zu are left out, %zu differ on purpose, %zu "
      "differ\n",
      counts.files, counts.compared, counts.klips_own, counts.left_out, counts.on_purpose, counts.differences);
  fflush(stdout);
  return counts.differences;
}

// `wanted` of what a case has `per_case` of. `what` names it.
size_t RunRandomCases(HBaseProcess& hbase, const Options& options, const std::string& wanted, size_t per_case,
                      std::string_view what, LeftOutCounts* left_out,
                      ParityCase (*make)(uint64_t seed, size_t count, LeftOutCounts* left_out)) {
  const size_t cases = (strtoull(wanted.c_str(), nullptr, 10) + per_case - 1) / per_case;
  const RandomCounts counts =
      CompareRandomCases(hbase, strtoull(options.seed.c_str(), nullptr, 10), cases, options.failures,
                         [&](uint64_t seed) { return make(seed, per_case, left_out); });
  printf("%zu random %s in %zu cases from seed %s: %zu cases differ\n", counts.cases * per_case,
         std::string(what).c_str(), counts.cases, options.seed.c_str(), counts.differences);
  fflush(stdout);
  if (counts.server_faults > 0) {
    (*left_out)["server-fault"] += counts.server_faults;
  }
  return counts.differences;
}

int Main(int argc, char** argv) {
  Options options;
  if (!ReadOptions(argc, argv, &options)) {
    return 2;
  }
  std::unique_ptr<HBaseProcess> hbase = HBaseProcess::Start(options.command);
  if (hbase == nullptr) {
    return 2;
  }
  LeftOutCounts left_out;
  size_t differences = RunGoldenFiles(*hbase, options);
  differences += RunRandomCases(*hbase, options, options.ops, kOpsPerCase, "ops", &left_out, MakeOpCase);
  differences += RunRandomCases(*hbase, options, options.filter_scans, kFilterScansPerCase, "reads with filters",
                                &left_out, MakeFilterCase);
  for (const auto& [reason, count] : left_out) {
    printf("left out %zu times: %s\n", count, std::string(LeftOutReasons().at(reason)).c_str());
  }
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace klip::ops

int main(int argc, char** argv) { return klip::ops::Main(argc, argv); }
