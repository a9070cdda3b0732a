// Runs each fuzz target over a small corpus, mutations of it and random bytes, so that the ordinary test run covers them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/seeds.h"
#include "fuzz/targets.h"
#include "ops/random.h"

namespace klip::fuzz {
namespace {

std::string Mutate(std::string bytes, ops::Random* random) {
  for (size_t i = 0; i <= random->Below(4); ++i) {
    const size_t at = random->Below(bytes.size() + 1);
    switch (random->Below(4)) {
      case 0:
        bytes.insert(at, 1, static_cast<char>(random->Below(256)));
        break;
      case 1:
        bytes.erase(at, random->Below(4));
        break;
      case 2:
        bytes.insert(at, bytes.substr(random->Below(bytes.size() + 1), random->Below(8)));
        break;
      default:
        if (at < bytes.size()) {
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random->Below(8)));
        }
    }
  }
  return bytes;
}

class FuzzTarget : public testing::TestWithParam<Target> {};

TEST_P(FuzzTarget, SurvivesCorpusAndRandomBytes) {
  ops::Random random(ops::SeedFromEnvironment(1));
  const std::vector<std::string> corpus = Seeds();
  for (const std::string& bytes : corpus) {
    GetParam().run(bytes);
  }
  for (int i = 0; i < GetParam().test_inputs; ++i) {
    std::string bytes = random.Pick(corpus);
    if (random.OneIn(3)) {
      bytes.resize(random.Below(120));
      for (char& byte : bytes) {
        byte = random.OneIn(2) ? "ab\0\x01\xFF?"[random.Below(6)] : static_cast<char>(random.Below(256));
      }
    }
    GetParam().run(Mutate(bytes, &random));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, testing::ValuesIn(kTargets),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace klip::fuzz
