#include "sql/sql_file.h"

#include <utility>

namespace klip::ops {
namespace {

constexpr std::string_view kReason = "klip: ";

}  // namespace

std::optional<std::vector<std::string>> AnswerIn(const GoldenBlock& block, std::string_view who) {
  for (const GoldenAnswer& answer : block.answers) {
    const bool klips = answer.name == kKlip || answer.name.starts_with(kReason);
    const bool everyones = answer.name.empty() && (who == kKlip || who == kPhoenix);
    if (everyones || (who == kKlip ? klips : answer.name == who)) {
      return answer.lines;
    }
  }
  return std::nullopt;
}

std::string ReasonIn(const GoldenBlock& block) {
  for (const GoldenAnswer& answer : block.answers) {
    if (answer.name.starts_with(kReason)) {
      return answer.name.substr(kReason.size());
    }
  }
  return "";
}

void SetAnswer(GoldenBlock* block, std::string_view who, std::vector<std::string> lines) {
  std::optional<std::vector<std::string>> klip = AnswerIn(*block, kKlip);
  std::optional<std::vector<std::string>> phoenix = AnswerIn(*block, kPhoenix);
  std::optional<std::vector<std::string>> cluster = AnswerIn(*block, kCluster);
  std::optional<std::vector<std::string>> message = AnswerIn(*block, kMessage);
  const std::string reason = ReasonIn(*block);
  (who == kKlip ? klip : who == kPhoenix ? phoenix : who == kCluster ? cluster : message) = std::move(lines);
  block->answers.clear();
  const auto add = [block](std::string_view name, const std::optional<std::vector<std::string>>& answer) {
    if (answer.has_value()) {
      block->answers.push_back({.name = std::string(name), .lines = *answer});
    }
  };
  if (klip == phoenix) {
    add("", klip);
  } else {
    add(kPhoenix, phoenix);
    add(reason.empty() ? std::string(kKlip) : std::string(kReason) + reason, klip);
  }
  if (cluster != klip) {
    add(kCluster, cluster);
  }
  if (message.has_value() && !message->empty()) {
    add(kMessage, message);
  }
}

std::string StatementIn(const GoldenBlock& block) {
  std::string sql;
  for (const std::string& line : block.ops) {
    sql += (sql.empty() ? "" : "\n") + line;
  }
  return sql;
}

}  // namespace klip::ops
