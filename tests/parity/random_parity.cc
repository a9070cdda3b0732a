#include "parity/random_parity.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <future>
#include <optional>
#include <utility>
#include <vector>

namespace klip::ops {
namespace {

constexpr size_t kCasesAtATime = 12;  // HBase has some threads; klip runs each case while HBase has the next ones
constexpr size_t kMostDifferences = 8;

struct Running {
  ParityCase test;
  std::future<std::vector<std::string>> answers;
};

std::optional<Difference> RunCase(HBaseProcess& hbase, const ParityCase& test, std::vector<std::string>* answers) {
  std::future<std::vector<std::string>> future = hbase.Run(test.ops);
  const std::vector<std::string> klip = RunOnKlip(test);
  *answers = future.get();
  return FirstDifference(test, klip, *answers);
}

// Drops ops, many at a time and then one by one, as long as something still differs.
ParityCase Shrink(HBaseProcess& hbase, ParityCase test, Difference* difference, std::vector<std::string>* answers) {
  test.ops.resize(difference->op + 1);
  answers->resize(test.ops.size());
  for (size_t piece = test.ops.size() / 2; piece >= 1; piece /= 2) {
    for (size_t at = 1; at + piece < test.ops.size();) {  // the first makes the table
      ParityCase smaller = test;
      smaller.ops.erase(smaller.ops.begin() + static_cast<ptrdiff_t>(at),
                        smaller.ops.begin() + static_cast<ptrdiff_t>(at + piece));
      std::vector<std::string> smaller_answers;
      if (std::optional<Difference> found = RunCase(hbase, smaller, &smaller_answers); found.has_value()) {
        *difference = *std::move(found);
        smaller.ops.resize(difference->op + 1);
        smaller_answers.resize(smaller.ops.size());
        test = std::move(smaller);
        *answers = std::move(smaller_answers);
      } else {
        at += piece;
      }
    }
  }
  return test;
}

void Report(HBaseProcess& hbase, ParityCase test, Difference difference, std::vector<std::string> answers,
            const std::string& failures) {
  test = Shrink(hbase, std::move(test), &difference, &answers);
  const std::string path = failures + "/" + std::to_string(test.seed) + ".txt";
  printf("seed %llu differs, see %s\n", static_cast<unsigned long long>(test.seed), path.c_str());
  for (const std::string& op : test.ops) {
    printf("  %s\n", op.c_str());
  }
  printf("  klip   %s  HBase  %s", difference.klip.empty() ? "\n" : difference.klip.c_str(),
         difference.hbase.empty() ? "\n" : difference.hbase.c_str());
  fflush(stdout);
  std::filesystem::create_directories(failures);
  WriteAsGoldenFile(path, test, answers);
}

}  // namespace

RandomCounts CompareRandomCases(HBaseProcess& hbase, uint64_t first_seed, size_t case_count,
                                const std::string& failures, const std::function<ParityCase(uint64_t seed)>& make) {
  RandomCounts counts;
  std::deque<Running> running;
  size_t started = 0;
  while (!running.empty() || started < case_count) {
    while (started < case_count && running.size() < kCasesAtATime) {
      ParityCase test = make(first_seed + started++);
      std::future<std::vector<std::string>> answers = hbase.Run(test.ops);
      running.push_back({std::move(test), std::move(answers)});
    }
    Running next = std::move(running.front());
    running.pop_front();
    const std::vector<std::string> klip = RunOnKlip(next.test);
    std::vector<std::string> answers = next.answers.get();
    ++counts.cases;
    counts.server_faults += static_cast<size_t>(std::ranges::count_if(answers, IsServerFault));
    if (std::optional<Difference> difference = FirstDifference(next.test, klip, answers); difference.has_value()) {
      Report(hbase, std::move(next.test), *std::move(difference), std::move(answers), failures);
      if (++counts.differences == kMostDifferences) {
        case_count = 0;  // no new ones
      }
    }
  }
  return counts;
}

}  // namespace klip::ops
