// Compares SQL with SQLite, on 1,095,000 rows: visits(username, day, domain | visits, note), 1000 users × 365 days × 3
// domains. Every statement runs on both, alternating; those over all rows also on a table with one cell a row. Figures are
// medians of wall time. Usage: klip_sql_rates DIRECTORY [ROUNDS]; 0 rounds: only single rows. The data stays there for the
// next run.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "harness.h"
#include "klip/connection.h"
#include "klip/filter.h"
#include "klip/sql.h"

namespace klip::bench {
namespace {

using sql::Value;

constexpr int kUsers = 1000;
constexpr int kDays = 365;
constexpr int kDomains = 3;
constexpr const char* kColumns =
    " (username VARCHAR NOT NULL, day INTEGER NOT NULL, domain VARCHAR NOT NULL, visits BIGINT, "
    "note VARCHAR, ";

struct VisitRow {
  std::string username;
  int day;
  std::string domain;
  int visits;
  std::string note;
};

void ForEachRow(const std::function<void(const VisitRow&)>& f) {
  for (int user = 0; user < kUsers; ++user) {
    for (int day = 0; day < kDays; ++day) {
      for (int domain = 0; domain < kDomains; ++domain) {
        const int number = (user * kDays + day) * kDomains + domain;
        f({"user" + std::to_string(1000 + user), day, "domain" + std::to_string(domain) + ".example.com", number % 1000,
           "note" + std::to_string(number % 100)});
      }
    }
  }
}

class Klip {
 public:
  explicit Klip(const std::string& directory) {
    connection_ = ValueOrDie(
        Connection::Open("klip:" + directory + "/klip", {.block_cache_bytes = int64_t{2} << 30, .sync_wal = false}),
        "opening");
    session_ = ValueOrDie(sql::Session::Open(connection_.get()), "opening a session");
    Load("TABLE", "visits", "");
    Load("IMMUTABLE TABLE", "packed", "IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS");
  }

  double RunMs(const std::string& text, int64_t* rows) {
    const double start = WallMs();
    const std::unique_ptr<sql::Rows> result = ValueOrDie(session_->Execute(text, {}), text.c_str());
    *rows = 0;
    while (ValueOrDie(result->Next(), text.c_str())) {
      ++*rows;
    }
    return WallMs() - start;
  }

  // The scans under the statements, in milliseconds of CPU.
  void ScanRates() {
    const auto table = ValueOrDie(connection_->GetTable("VISITS"), "opening the table");
    const std::pair<const char*, std::vector<ColumnSpec>> kinds[] = {
        {"all cells", {}}, {"_0 and visits", {{"0", "_0"}, {"0", "VISITS"}}}, {"_0", {{"0", "_0"}}}};
    for (const auto& [name, columns] : kinds) {
      for (const int threads : {1, 2}) {
        Scan scan;
        scan.columns = columns;
        scan.threads = threads;
        const double start = CpuMs();
        const auto scanner = ValueOrDie(table->Scan(scan), "scanning");
        Result row;
        int64_t rows = 0;
        while (ValueOrDie(scanner->Next(&row), "scanning")) {
          ++rows;
        }
        std::printf("%9.3f ms of CPU  scan of %s, %d threads, %lld rows\n", CpuMs() - start, name, threads,
                    static_cast<long long>(rows));
        const double batches_start = CpuMs();
        const auto batches = ValueOrDie(table->ScanBatches(scan, {{"0", "VISITS"}}), "scanning");
        rows = 0;
        while (const RowBatch* batch = ValueOrDie(batches->Next(), "scanning")) {
          rows += static_cast<int64_t>(batch->rows());
        }
        std::printf("%9.3f ms of CPU  the same in batches, with VISITS\n", CpuMs() - batches_start);
      }
    }
  }

  // The rows counted by reading them, as from the first row on the files do not answer; CPU time beside that of scans.
  void CountRates() {
    const auto table = ValueOrDie(connection_->GetTable("VISITS"), "opening the table");
    const auto first_key = FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()});
    for (const int threads : {1, 2}) {
      const Scan scan = {.start_row = "u", .threads = threads};
      Scan keys = scan;
      keys.filter = first_key;
      const auto measure = [&](const char* name, const std::function<int64_t()>& count) {
        const double cpu = CpuMs();
        const double wall = WallMs();
        const int64_t rows = count();
        std::printf("%9.3f ms of CPU, %9.3f ms  %s, %d threads, %lld rows\n", CpuMs() - cpu, WallMs() - wall, name,
                    threads, static_cast<long long>(rows));
      };
      const auto by_scan = [&](const Scan& asked) {
        const auto scanner = ValueOrDie(table->Scan(asked), "scanning");
        Result row;
        int64_t rows = 0;
        while (ValueOrDie(scanner->Next(&row), "scanning")) {
          ++rows;
        }
        return rows;
      };
      for (int round = 0; round < 3; ++round) {
        measure("scan of all cells", [&] { return by_scan(scan); });
        measure("scan by FirstKeyOnly AND KeyOnly", [&] { return by_scan(keys); });
        measure("CountRows", [&] { return ValueOrDie(table->CountRows(scan), "counting"); });
      }
    }
  }

  // Microseconds of CPU of a prepared statement, of new texts, of texts that came before, and of a Get.
  void PointRates() {
    constexpr int kTimes = 20'000;
    const auto statement = ValueOrDie(
        session_->Prepare("SELECT visits FROM visits WHERE username = ? AND day = ? AND domain = ?"), "preparing");
    const auto next_page =
        ValueOrDie(session_->Prepare(
                       "SELECT username, day, domain FROM visits WHERE (username, day, domain) > (?, ?, ?) LIMIT 10"),
                   "preparing");
    const auto table = ValueOrDie(connection_->GetTable("VISITS"), "opening the table");
    const auto per_call_us = [&](const std::function<void(int)>& call) {
      const double start = CpuMs();
      for (int i = 0; i < kTimes; ++i) {
        call(i);
      }
      return (CpuMs() - start) * 1000 / kTimes;
    };
    const auto user = [](int i) { return "user" + std::to_string(1000 + i % kUsers); };
    for (int round = 0; round < 3; ++round) {
      const double prepared = per_call_us([&](int i) {
        const std::vector<Value> values = {Value::Text(user(i)), Value::Integer(i % kDays),
                                           Value::Text("domain1.example.com")};
        const auto rows = ValueOrDie(statement->Execute(values), "executing");
        if (!ValueOrDie(rows->Next(), "reading")) {
          Die("a row is missing");
        }
      });
      const auto by_text = [&](int i, int days) {
        int64_t rows = 0;
        RunMs("SELECT visits FROM visits WHERE username = '" + user(i) + "' AND day = " + std::to_string(i % days) +
                  " AND domain = 'domain1.example.com'",
              &rows);
      };
      const double text = per_call_us([&](int i) { by_text(i, kDays); });
      const double again = per_call_us([&](int i) { by_text(i % 50, 5); });
      const double page = per_call_us([&](int i) {
        const std::vector<Value> values = {Value::Text(user(i)), Value::Integer(i % kDays),
                                           Value::Text("domain1.example.com")};
        const auto rows = ValueOrDie(next_page->Execute(values), "executing");
        while (ValueOrDie(rows->Next(), "reading")) {
        }
      });
      const double get = per_call_us([&](int i) {
        std::string row = user(i) + '\0';
        const auto day = static_cast<uint32_t>(i % kDays) ^ 0x80000000U;
        for (int shift = 24; shift >= 0; shift -= 8) {
          row.push_back(static_cast<char>(day >> shift));
        }
        row += "domain1.example.com";
        const Result result =
            ValueOrDie(table->Get({.row = row, .columns = {{"0", "_0"}, {"0", "VISITS"}}}), "getting");
        if (result.empty()) {
          Die("a row is missing");
        }
      });
      std::cout << "point, us: prepared " << prepared << ", from new text " << text << ", from known text " << again
                << ", the next 10 rows " << page << ", Get " << get << '\n';
    }
  }

 private:
  // Unless the table exists.
  void Load(const std::string& kind, const std::string& name, const std::string& properties) {
    std::string stored = name;
    std::ranges::transform(stored, stored.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    if (ValueOrDie(connection_->admin().TableExists(stored), "looking for the table")) {
      return;
    }
    ValueOrDie(session_->Execute("CREATE " + kind + " " + name + kColumns +
                                     "CONSTRAINT pk PRIMARY KEY (username, day, domain)) " + properties,
                                 {}),
               "creating");
    const auto upsert = ValueOrDie(session_->Prepare("UPSERT INTO " + name + " VALUES (?, ?, ?, ?, ?)"), "preparing");
    DieIfError(session_->SetAutoCommit(false), "auto-commit");
    const double start = WallMs();
    int waiting = 0;
    ForEachRow([&](const VisitRow& row) {
      const std::vector<Value> values = {Value::Text(row.username), Value::Integer(row.day), Value::Text(row.domain),
                                         Value::Integer(row.visits), Value::Text(row.note)};
      ValueOrDie(upsert->Execute(values), "upserting");
      if (++waiting % 5000 == 0) {
        DieIfError(session_->Commit(), "committing");
      }
    });
    DieIfError(session_->SetAutoCommit(true), "auto-commit");
    std::cout << "klip: " << name
              << ": upserts in commits of 5000: " << static_cast<int64_t>(waiting / (WallMs() - start) * 1000)
              << " rows/s\n";
    DieIfError(connection_->admin().MajorCompact(stored), "compacting");
  }

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<sql::Session> session_;
};

class Sqlite {
 public:
  explicit Sqlite(const std::string& directory) {
    const bool fresh = !std::filesystem::exists(directory + "/sqlite");
    if (sqlite3_open((directory + "/sqlite").c_str(), &db_) != SQLITE_OK) {
      Die("SQLite does not open");
    }
    Run("PRAGMA cache_size=-2000000");
    Run("PRAGMA synchronous=OFF");
    if (fresh) {
      Load();
    }
  }
  ~Sqlite() { sqlite3_close(db_); }

  double RunMs(const std::string& text, int64_t* rows) {
    const double start = WallMs();
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      Die("SQLite: " + text + ": " + sqlite3_errmsg(db_));
    }
    *rows = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      ++*rows;
    }
    sqlite3_finalize(statement);
    return WallMs() - start;
  }

 private:
  void Run(const char* text) {
    int64_t rows = 0;
    RunMs(text, &rows);
  }

  void Load() {
    Run(("CREATE TABLE visits" + std::string(kColumns) + "PRIMARY KEY (username, day, domain)) WITHOUT ROWID").c_str());
    Run("BEGIN");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(db_, "INSERT INTO visits VALUES (?, ?, ?, ?, ?)", -1, &insert, nullptr);
    ForEachRow([&](const VisitRow& row) {
      sqlite3_bind_text(insert, 1, row.username.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_int(insert, 2, row.day);
      sqlite3_bind_text(insert, 3, row.domain.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_int(insert, 4, row.visits);
      sqlite3_bind_text(insert, 5, row.note.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    });
    sqlite3_finalize(insert);
    Run("COMMIT");
    Run("ANALYZE");
  }

  sqlite3* db_ = nullptr;
};

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Statements over all rows, on the table with three cells a row and on the one with all columns in one; wall and CPU time.
void ComparePacked(Klip* klip, int rounds) {
  for (const char* const statement :
       {"SELECT COUNT(*) FROM # WHERE day >= 0", "SELECT SUM(visits) FROM #",
        "SELECT username, COUNT(*), SUM(visits) FROM # GROUP BY username",
        "SELECT note, COUNT(*), SUM(visits) FROM # GROUP BY note", "SELECT COUNT(*) FROM # WHERE visits > 990",
        "SELECT username, visits FROM # ORDER BY visits DESC LIMIT 10", "SELECT * FROM #"}) {
    for (const char* const table : {"visits", "packed"}) {
      std::string text = statement;
      text.replace(text.find('#'), 1, table);
      std::vector<double> wall;
      std::vector<double> cpu;
      int64_t rows = 0;
      for (int round = 0; round <= rounds; ++round) {
        const double start = CpuMs();
        wall.push_back(klip->RunMs(text, &rows));
        cpu.push_back(CpuMs() - start);
      }
      std::printf("%9.3f ms  %9.3f ms of CPU  %8lld rows  %s\n", MedianOf({wall.begin() + 1, wall.end()}),
                  MedianOf({cpu.begin() + 1, cpu.end()}), static_cast<long long>(rows), text.c_str());
    }
  }
}

void RunAll(const std::string& directory, int rounds) {
  std::filesystem::create_directories(directory);
  Klip klip(directory);
  if (rounds == 0) {
    klip.PointRates();
    return;
  }
  ComparePacked(&klip, rounds);
  Sqlite sqlite(directory);
  const std::vector<std::string> statements = {
      "SELECT * FROM visits WHERE username = 'user1500'",
      "SELECT * FROM visits WHERE username = 'user1500' AND day >= 100 AND day < 130",
      "SELECT username, domain, visits FROM visits WHERE day = 180",
      "SELECT COUNT(*) FROM visits WHERE day = 180",
      "SELECT COUNT(*) FROM visits",
      "SELECT SUM(visits) FROM visits",
      "SELECT username, COUNT(*), SUM(visits) FROM visits GROUP BY username",
      "SELECT domain, COUNT(*), SUM(visits) FROM visits GROUP BY domain",
      "SELECT note, COUNT(*), SUM(visits) FROM visits GROUP BY note",
      "SELECT DISTINCT username FROM visits",
      "SELECT COUNT(*) FROM visits WHERE visits > 990",
      "SELECT username, visits FROM visits ORDER BY visits DESC LIMIT 10",
      "SELECT username, day, domain FROM visits WHERE (username, day, domain) > ('user1500', 100, "
      "'domain1.example.com') LIMIT 100",
      "SELECT * FROM visits"};
  for (const std::string& statement : statements) {
    std::vector<double> klip_ms;
    std::vector<double> sqlite_ms;
    int64_t klip_rows = 0;
    int64_t sqlite_rows = 0;
    for (int round = 0; round <= rounds; ++round) {
      const double of_klip = klip.RunMs(statement, &klip_rows);
      const double of_sqlite = sqlite.RunMs(statement, &sqlite_rows);
      if (round > 0) {  // the first one warms up
        klip_ms.push_back(of_klip);
        sqlite_ms.push_back(of_sqlite);
      }
    }
    if (klip_rows != sqlite_rows) {
      Die(statement + ": " + std::to_string(klip_rows) + " rows, SQLite has " + std::to_string(sqlite_rows));
    }
    std::printf("%9.3f ms  %9.3f ms  %6.2f x  %8lld rows  %s\n", MedianOf(klip_ms), MedianOf(sqlite_ms),
                MedianOf(klip_ms) / MedianOf(sqlite_ms), static_cast<long long>(klip_rows), statement.c_str());
  }
  klip.ScanRates();
  klip.CountRates();
  klip.PointRates();
}

}  // namespace
}  // namespace klip::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: klip_sql_rates DIRECTORY [ROUNDS]\n";
    return 2;
  }
  klip::bench::RunAll(argv[1], argc > 2 ? std::stoi(argv[2]) : 5);
  return 0;
}
