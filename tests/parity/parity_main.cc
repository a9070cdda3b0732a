// klip_parity: op files on klip and on a real HBase, compared line by line.
//
//   klip_parity [--golden=DIRECTORY] [--ops=N] [--filter-scans=N] [--seed=N] [--failures=DIRECTORY] -- COMMAND...
//
// COMMAND starts the Java program of compat/java (see ./x compat). Exit code 1 when anything differs.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parity/golden_parity.h"

namespace klip::ops {
namespace {

struct Options {
  std::string golden;
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
    if (!ReadOption(word, "--golden", &options.golden)) {
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
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace klip::ops

int main(int argc, char** argv) { return klip::ops::Main(argc, argv); }
