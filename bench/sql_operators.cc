// The operators of SQL without the scans under them: 1000 rows beside themselves are the million rows that each statement sorts, groups
// or joins. CPU time of the process, the best and the median of the rounds, and what was written to a temporary file.
// Usage: klip_sql_operators DIRECTORY [ROUNDS] [MEMORY_MB]. The data stays there for the next run.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "harness.h"
#include "klip/connection.h"
#include "klip/sql.h"

namespace klip::bench {
namespace {

constexpr int kRows = 1000;

// Numbers below 1,000,003 in random order, each once.
constexpr const char* kNumber = "((a.k * 1000 + b.k) * 736879 % 1000003)";

struct Case {
  std::string name;
  std::string sql;
};

std::vector<Case> Cases() {
  const std::string number = kNumber;
  const std::string pairs = " FROM n a, n b";
  const std::string numbers = "(SELECT " + number + " AS x, b.v AS v, b.t AS t" + pairs + ")";
  return {{"ORDER BY a number", "SELECT b.k, b.t" + pairs + " ORDER BY " + number},
          {"ORDER BY a text, a number", "SELECT b.k, b.t" + pairs + " ORDER BY b.t, " + number + " DESC"},
          {"ORDER BY a number LIMIT 10", "SELECT b.k, b.t" + pairs + " ORDER BY " + number + " LIMIT 10"},
          {"all rows in one group", "SELECT COUNT(b.t), SUM(b.v), MAX(b.t)" + pairs},
          {"100 groups", "SELECT b.v, COUNT(*), SUM(a.v), MAX(a.t)" + pairs + " GROUP BY b.v"},
          {"1,000,000 groups", "SELECT " + number + ", COUNT(*), SUM(a.v)" + pairs + " GROUP BY " + number},
          {"DISTINCT, 1,000,000 rows", "SELECT DISTINCT " + number + pairs},
          {"COUNT(DISTINCT), 1,000,000 values", "SELECT COUNT(DISTINCT " + number + ")" + pairs},
          {"1000 rows JOIN 1,000,000", "SELECT c.k, d.v FROM n c JOIN " + numbers + " AS d ON c.k = d.x"},
          {"1,000,000 rows JOIN 1000", "SELECT c.k, d.v FROM " + numbers + " AS d JOIN n c ON c.k = d.x"},
          {"1,000,000 rows LEFT JOIN 1,000,000",
           "SELECT c.v, d.t FROM " + numbers + " AS c LEFT JOIN " + numbers + " AS d ON c.x = d.x"}};
}

void Load(sql::Session* session) {
  ValueOrDie(session->Execute("CREATE TABLE n (k INTEGER PRIMARY KEY, v BIGINT, t VARCHAR)", {}), "creating");
  DieIfError(session->SetAutoCommit(false), "auto-commit");
  for (int k = 0; k < kRows; ++k) {
    ValueOrDie(session->Execute("UPSERT INTO n VALUES (?, ?, ?)", {sql::Value::Integer(k), sql::Value::Integer(k % 100),
                                                                   sql::Value::Text("text" + std::to_string(k * 7))}),
               "upserting");
  }
  DieIfError(session->SetAutoCommit(true), "auto-commit");
}

void RunAll(const std::string& directory, int rounds, int64_t memory_bytes) {
  const bool fresh = !std::filesystem::exists(directory);
  const auto connection = ValueOrDie(Connection::Open("klip:" + directory, {.sync_wal = false}), "opening");
  const auto session =
      ValueOrDie(sql::Session::Open(connection.get(), {.memory_bytes = memory_bytes}), "opening a session");
  if (fresh) {
    Load(session.get());
  }
  const std::vector<Case> cases = Cases();
  std::vector<std::vector<double>> times(cases.size());
  std::vector<int64_t> written(cases.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < cases.size(); ++i) {
      const double start = CpuMs();
      const auto rows = ValueOrDie(session->Execute(cases[i].sql, {}), cases[i].name.c_str());
      while (ValueOrDie(rows->Next(), cases[i].name.c_str())) {
      }
      times[i].push_back(CpuMs() - start);
      written[i] = rows->temporary_bytes();
    }
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    std::printf("%8.0f ms, median %8.0f ms, %7.1f MB written  %s\n", times[i].front(), times[i][times[i].size() / 2],
                static_cast<double>(written[i]) / (1 << 20), cases[i].name.c_str());
  }
}

}  // namespace
}  // namespace klip::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: klip_sql_operators DIRECTORY [ROUNDS] [MEMORY_MB]\n";
    return 2;
  }
  klip::bench::RunAll(argv[1], argc > 2 ? std::stoi(argv[2]) : 3, (argc > 3 ? std::stoll(argv[3]) : 4096) << 20);
  return 0;
}
