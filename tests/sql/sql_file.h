// The files of SQL (phoenix/*.test, own/*.test): golden files (ops/golden_file.h) with one statement a block, which may span
// lines, and its answer:
//
//   SELECT k, v FROM t
//   ----
//   columns K INTEGER | V VARCHAR
//   1 | x
//
// That is the answer of klip and of Phoenix. Where they differ on purpose, both are there, with the beginning of the row of
// docs/compatibility.md that gives the reason:
//
//   SELECT 10 + d FROM t
//   ---- Phoenix
//   10
//   ---- klip: BIGINT + DOUBLE
//   10.5
//
// "---- klip on HBase" begins klip's answer on a cluster, where it is another one: a cluster has fewer kinds of indexes.
// "---- message" begins klip's text of the error, where it matters what it says. It is not compared with Phoenix's.
//
// A block with "---- klip" alone was not yet run on Phoenix (compat/run sql --record). The files of own/ have statements that
// only klip has: Phoenix never runs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/golden_file.h"

namespace klip::ops {

inline constexpr std::string_view kKlip = "klip";
inline constexpr std::string_view kPhoenix = "Phoenix";
inline constexpr std::string_view kCluster = "klip on HBase";
inline constexpr std::string_view kMessage = "message";

// What the block says that `who` answers, or kMessage for the text of klip's error, if it does.
std::optional<std::vector<std::string>> AnswerIn(const GoldenBlock& block, std::string_view who);

// The text after "---- klip: ", or nothing.
std::string ReasonIn(const GoldenBlock& block);

// Replaces the answer of `who`, and keeps that of the others, and the reason while klip and Phoenix differ.
void SetAnswer(GoldenBlock* block, std::string_view who, std::vector<std::string> lines);

std::string StatementIn(const GoldenBlock& block);

}  // namespace klip::ops
