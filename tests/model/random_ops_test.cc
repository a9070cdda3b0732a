// Random ops on klip, under shuffled options, and on the reference table: every line must print the same.
//
//   KLIP_MODEL_OPS=n   how many ops (default 15,000)      KLIP_SEED=n   one seed only
//
// A failure prints the seed and a minimal sequence of ops that reproduces it.
#include "model/random_ops.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "model/reference_table.h"
#include "ops/op_language.h"
#include "ops/store_session.h"

namespace klip::ops {
namespace {

constexpr size_t kOpsPerCase = 300;

struct Mismatch {
  size_t op = 0;
  std::string expected;
  std::string actual;
};

std::vector<std::string> StepsOf(const std::string& line) {
  if (line == "major") {
    return {"flush", line};
  }
  if (line.starts_with("restore ")) {
    return {"disable t", line, "enable t"};
  }
  if (line.starts_with("clone ")) {
    const std::vector<std::string> words = Tokens(line);
    const std::string scan = "scan versions=all";
    return {
        "clone " + words[1] + " c", scan, words.size() > 2 ? "major" : "flush", scan, "disable c", "drop c", "use t"};
  }
  return {line};
}

// The first op that prints something else than the model.
std::optional<Mismatch> RunCase(const RandomCase& test) {
  TempDirectory directory(TempDirectory::Where::kMemory);
  StoreSession session(directory.path(), test.options);
  if (std::string error = session.Run(test.create); !error.empty()) {
    return Mismatch{0, "", error};
  }
  Expected<TableDescriptor> descriptor = session.connection().admin().GetDescriptor("t");
  if (!descriptor.ok()) {
    return Mismatch{0, "", descriptor.status().ToString()};
  }
  int64_t clock_ms = session.clock_ms();
  ReferenceTable model(*descriptor, &clock_ms);
  std::set<std::string> taken;  // snapshots
  for (size_t i = 0; i < test.ops.size(); ++i) {
    const std::string& line = test.ops[i];
    if (line.starts_with("snapshot ")) {
      taken.insert(Tokens(line)[1]);
    } else if ((line.starts_with("restore ") || line.starts_with("clone ")) && !taken.contains(Tokens(line)[1])) {
      continue;  // a smaller case does not take it
    }
    std::string actual;
    for (const std::string& step : StepsOf(line)) {
      actual += session.Run(step);
    }
    clock_ms = session.clock_ms();
    std::string expected = RunOnModel(&model, line);
    if (actual != expected) {
      return Mismatch{i, expected, actual};
    }
  }
  return std::nullopt;
}

// Drops ops, many at a time and then one by one, as long as something still differs.
RandomCase Shrink(RandomCase test, Mismatch* mismatch) {
  test.ops.resize(mismatch->op + 1);
  for (size_t piece = test.ops.size() / 2; piece >= 1; piece /= 2) {
    for (size_t at = 0; at + piece < test.ops.size();) {
      RandomCase smaller = test;
      smaller.ops.erase(smaller.ops.begin() + static_cast<ptrdiff_t>(at),
                        smaller.ops.begin() + static_cast<ptrdiff_t>(at + piece));
      if (std::optional<Mismatch> found = RunCase(smaller); found.has_value()) {
        *mismatch = *found;
        smaller.ops.resize(found->op + 1);
        test = std::move(smaller);
      } else {
        at += piece;
      }
    }
  }
  return test;
}

std::string Describe(uint64_t seed, const RandomCase& test, const Mismatch& mismatch) {
  std::string out = "KLIP_SEED=" + std::to_string(seed) + "\n" + test.create + "\n";
  for (const std::string& line : test.ops) {
    for (const std::string& step : StepsOf(line)) {
      out += step + "\n";
    }
  }
  return out + "---- expected\n" + mismatch.expected + "---- got\n" + mismatch.actual;
}

TEST(RandomOps, AgreeWithTheModel) {
  const int64_t only = NumberFromEnvironment("KLIP_SEED", -1);
  const auto wanted = static_cast<size_t>(NumberFromEnvironment("KLIP_MODEL_OPS", 15'000));
  size_t ops = 0;
  uint64_t seed = only >= 0 ? static_cast<uint64_t>(only) : 1;
  int failures = 0;
  do {
    RandomCase test = MakeRandomCase(seed, kOpsPerCase, /*files=*/true);
    ops += test.ops.size();
    if (std::optional<Mismatch> mismatch = RunCase(test); mismatch.has_value()) {
      test = Shrink(std::move(test), &*mismatch);
      ADD_FAILURE() << Describe(seed, test, *mismatch);
      if (++failures == 3) {
        break;
      }
    }
    ++seed;
  } while (only < 0 && ops < wanted);
  RecordProperty("ops", static_cast<int>(ops));
  printf("%zu random ops in %d cases agree with the model\n", ops, static_cast<int>(only >= 0 ? 1 : seed - 1));
}

}  // namespace
}  // namespace klip::ops
