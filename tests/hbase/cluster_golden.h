// Which lines of the golden files apply to a cluster, and how they are compared.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ops/golden_file.h"
#include "ops/op_language.h"

namespace klip::ops {

// Ops of the embedded store alone.
inline bool IsEmbeddedOnly(const std::string& op) {
  constexpr std::array<std::string_view, 4> kNames = {"measure", "atomic", "explain", "run-split-policies"};
  const std::vector<std::string> tokens = Tokens(op);
  return !tokens.empty() && std::ranges::find(kNames, tokens[0]) != kNames.end();
}

// Of errors the code counts: texts are those of the server. A server gives a second change of a row within a millisecond the
// next one (docs/compatibility.md), where the clock of the golden files stands.
inline bool ClusterLineFits(std::string expected, std::string actual) {
  if (expected.starts_with("error ") && expected.find(':') != std::string::npos && actual.starts_with("error ")) {
    return expected.substr(0, expected.find(':')) == actual.substr(0, actual.find(':'));
  }
  for (std::string* line : {&expected, &actual}) {
    for (size_t at = line->find("@1000001="); at != std::string::npos; at = line->find("@1000001=")) {
      line->replace(at, 8, "@1000000");
    }
  }
  return LineFits(expected, actual);
}

}  // namespace klip::ops
