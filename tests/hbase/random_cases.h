// Random ops through the client on a cluster, and on an embedded store: the output must be the same.
#pragma once

#include <cctype>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ops/store_session.h"
#include "parity/comparison.h"
#include "parity/op_generator.h"

namespace klip::ops {

// Milliseconds of today as @now: the two sides have clocks of their own.
inline std::string WithoutTimes(const std::string& text) {
  constexpr size_t kDigits = 13;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    size_t digits = 0;
    while (text[i] == '@' && i + 1 + digits < text.size() &&
           isdigit(static_cast<unsigned char>(text[i + 1 + digits]))) {
      ++digits;
    }
    if (digits == kDigits) {
      out += "now";
      i += kDigits;
    }
  }
  return out;
}

// Ops whose result depends on the moment: cells and families that expire, and batches that write a row and delete it.
inline bool DependsOnTheClock(const std::string& op) {
  return (op.find(" ttl=") != std::string::npos && !op.starts_with("create")) ||
         (op.starts_with("batch") && op.find("delete") != std::string::npos);
}
inline std::string WithoutExpiry(std::string op) {
  constexpr std::string_view kTtl = "TTL=";
  for (size_t at = op.find(kTtl); op.starts_with("create") && at != std::string::npos; at = op.find(kTtl, at + 1)) {
    op.insert(at + kTtl.size(), "1000000");
  }
  return op;
}

// The first op of the case with this seed that prints something else on the two, with both outputs; nullopt: none does. The
// stores are empty before. `pass_time` lets two milliseconds pass on both sides: a counter's step may be one ahead of the clock, and
// the next write must not be hidden behind it on one side alone.
inline std::optional<std::string> RandomDifference(StoreSession& embedded, StoreSession& cluster, uint64_t seed,
                                                   size_t op_count, const std::function<void()>& pass_time) {
  std::map<std::string_view, size_t> left_out;
  for (const std::string& made : MakeOpCase(seed, op_count, &left_out).ops) {
    if (DependsOnTheClock(made)) {
      continue;
    }
    const std::string op = WithoutExpiry(made);
    pass_time();
    const std::string expected = WithoutTimes(embedded.Run(op));
    const std::string actual = WithoutTimes(cluster.Run(op));
    if (!SameOutput(op, expected, actual)) {
      return "seed " + std::to_string(seed) + ": " + op + "\n  embedded " + expected + "  cluster  " + actual;
    }
  }
  return std::nullopt;
}

}  // namespace klip::ops
