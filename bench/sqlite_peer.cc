// SQLite: WITHOUT ROWID, primary key (username, date, domain), skip-scan by the statistics of ANALYZE.

#include <filesystem>

#include <sqlite3.h>

#include "cases.h"

namespace klip::bench {

struct SqlitePeer::Rep {
  sqlite3* db = nullptr;
  sqlite3_stmt* query = nullptr;

  void Exec(const char* sql) {
    if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      Die(std::string("SQLite: ") + sqlite3_errmsg(db) + " in " + sql);
    }
  }
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) {
      Die(std::string("SQLite: ") + sqlite3_errmsg(db) + " in " + sql);
    }
    return statement;
  }
  void Load(const YearSize& size);
};

namespace {

void Bind(sqlite3_stmt* statement, int index, std::string_view text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace

void SqlitePeer::Rep::Load(const YearSize& size) {
  Exec(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
      "CREATE TABLE visits(username TEXT, date TEXT, domain TEXT, n TEXT, PRIMARY KEY(username, date, domain)) WITHOUT "
      "ROWID");
  sqlite3_stmt* insert = Prepare("INSERT INTO visits VALUES(?,?,?,?)");
  RowSource source = YearRows(size);
  std::string row;
  std::string value;
  while (source(&row, &value)) {
    std::string_view key(row);
    Bind(insert, 1, key.substr(0, kUserBytes));
    Bind(insert, 2, key.substr(kUserBytes, kDateBytes));
    Bind(insert, 3, key.substr(kUserBytes + kDateBytes));
    Bind(insert, 4, value);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  Exec("COMMIT; ANALYZE");
}

SqlitePeer::SqlitePeer(const std::string& file, const YearSize& size) : rep_(std::make_unique<Rep>()) {
  bool exists = std::filesystem::exists(file);
  std::string working = exists ? file : file + ".part";
  std::filesystem::remove(file + ".part");
  if (sqlite3_open(working.c_str(), &rep_->db) != SQLITE_OK) {
    Die("SQLite cannot open " + working);
  }
  if (!exists) {
    rep_->Load(size);
    sqlite3_close(rep_->db);
    std::filesystem::rename(working, file);
    sqlite3_open(file.c_str(), &rep_->db);
  }
  // As much cache as RocksDB has.
  rep_->Exec("PRAGMA cache_size=-2500000");
  sqlite3_stmt* plan = rep_->Prepare("EXPLAIN QUERY PLAN SELECT username, domain, n FROM visits WHERE date=?");
  if (sqlite3_step(plan) == SQLITE_ROW) {
    std::string detail = reinterpret_cast<const char*>(sqlite3_column_text(plan, 3));
    std::printf("\nSQLite %s: %s\n", sqlite3_libversion(), detail.c_str());
  }
  sqlite3_finalize(plan);
  rep_->query = rep_->Prepare("SELECT username, date, domain, n FROM visits WHERE date=?");
}

SqlitePeer::~SqlitePeer() {
  sqlite3_finalize(rep_->query);
  sqlite3_close(rep_->db);
}

Outcome SqlitePeer::Date(const std::string& date) {
  Outcome outcome;
  Bind(rep_->query, 1, date);
  auto column = [&](int index) {
    return std::string_view(reinterpret_cast<const char*>(sqlite3_column_text(rep_->query, index)),
                            static_cast<size_t>(sqlite3_column_bytes(rep_->query, index)));
  };
  while (sqlite3_step(rep_->query) == SQLITE_ROW) {
    column(0);
    column(1);
    outcome.Add(column(2), column(3));
  }
  sqlite3_reset(rep_->query);
  return outcome;
}

}  // namespace klip::bench
