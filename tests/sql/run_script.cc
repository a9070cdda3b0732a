// klip_sql_script URI FILE [SCHEMA]            runs the statements of a file (sql/sql_file.h), and prints them with their answers
// klip_sql_script --merge WHO FILE ANSWERS     writes the answers of WHO into FILE: klip, Phoenix or klip on HBase; they are in a
//                                              file that this program or RunScript printed for FILE
#include <cstdio>
#include <string>
#include <string_view>

#include "ops/golden_file.h"
#include "sql/sql_file.h"
#include "sql/sql_script.h"

namespace klip::ops {
namespace {

void Print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    printf("%s\n", line.c_str());
  }
}

int RunFile(const std::string& uri, const std::string& path, const std::string& schema) {
  const Expected<std::unique_ptr<SqlScript>> script = SqlScript::Open(uri, schema);
  if (!script.ok()) {
    fprintf(stderr, "%s\n", script.status().ToString().c_str());
    return 1;
  }
  for (const GoldenBlock& block : ReadGoldenFile(path)) {
    if (block.ops.empty()) {
      continue;
    }
    const std::vector<std::string> answer = (*script)->Run(StatementIn(block));
    Print(block.ops);
    printf("----\n");
    Print(answer);
    printf("\n");
    if (!(*script)->message().empty()) {
      fprintf(stderr, "%s: %s\n", StatementIn(block).c_str(), (*script)->message().c_str());
    }
  }
  return 0;
}

int Merge(const std::string& who, const std::string& path, const std::string& answers) {
  if (who != kKlip && who != kPhoenix && who != kCluster) {
    fprintf(stderr, "whose answers are these? of klip, Phoenix, or klip on HBase\n");
    return 2;
  }
  std::vector<GoldenBlock> blocks = ReadGoldenFile(path);
  const std::vector<GoldenBlock> answered = ReadGoldenFile(answers);
  auto next = answered.begin();
  for (GoldenBlock& block : blocks) {
    if (block.ops.empty()) {
      continue;
    }
    if (next == answered.end() || next->ops != block.ops || next->answers.empty()) {
      fprintf(stderr, "%s has no answer for %s:%zu\n", answers.c_str(), path.c_str(), block.line);
      return 1;
    }
    SetAnswer(&block, who, next->Expected());
    ++next;
  }
  WriteGoldenFile(path, blocks);
  return 0;
}

}  // namespace
}  // namespace klip::ops

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "--merge") {
    return klip::ops::Merge(argv[2], argv[3], argv[4]);
  }
  if (argc == 3 || argc == 4) {
    return klip::ops::RunFile(argv[1], argv[2], argc == 4 ? argv[3] : "");
  }
  fprintf(stderr, "usage: klip_sql_script URI FILE [SCHEMA]; klip_sql_script --merge WHO FILE ANSWERS\n");
  return 2;
}
