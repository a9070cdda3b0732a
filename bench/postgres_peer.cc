// PostgreSQL: a second index on the date that holds all columns, so the query is an index-only scan.

#include <cstdio>
#include <fstream>

#include <libpq-fe.h>

#include "cases.h"

namespace klip::bench {

struct PostgresPeer::Rep {
  PGconn* connection = nullptr;
  std::string table;
  int server_pid = 0;

  PGresult* Exec(const std::string& sql) {
    PGresult* result = PQexec(connection, sql.c_str());
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) {
      Die("PostgreSQL: " + std::string(PQerrorMessage(connection)) + " in " + sql);
    }
    return result;
  }
  void Run(const std::string& sql) { PQclear(Exec(sql)); }
  void Load(const YearSize& size);

  // CPU of the backend so far, from the scheduler's nanosecond count.
  double ServerCpuMs() const {
    std::ifstream file("/proc/" + std::to_string(server_pid) + "/schedstat");
    double run_ns = 0;
    file >> run_ns;
    return run_ns / 1e6;
  }
};

void PostgresPeer::Rep::Load(const YearSize& size) {
  Run("CREATE TABLE " + table + "(username text, date text, domain text, n text)");
  Run("COPY " + table + " FROM STDIN");
  RowSource source = YearRows(size);
  std::string row;
  std::string value;
  std::string line;
  while (source(&row, &value)) {
    line.assign(row, 0, kUserBytes).append("\t").append(row, kUserBytes, kDateBytes).append("\t");
    line.append(row, kUserBytes + kDateBytes).append("\t").append(value).append("\n");
    if (PQputCopyData(connection, line.data(), static_cast<int>(line.size())) != 1) {
      Die("PostgreSQL: " + std::string(PQerrorMessage(connection)));
    }
  }
  PQputCopyEnd(connection, nullptr);
  PQclear(PQgetResult(connection));
  Run("CREATE INDEX ON " + table + "(date, username, domain) INCLUDE (n)");
  Run("VACUUM ANALYZE " + table);
}

PostgresPeer::PostgresPeer(const std::string& connection, const YearSize& size) : rep_(std::make_unique<Rep>()) {
  rep_->connection = PQconnectdb(connection.c_str());
  if (PQstatus(rep_->connection) != CONNECTION_OK) {
    Die("PostgreSQL: " + std::string(PQerrorMessage(rep_->connection)));
  }
  rep_->table = "visits_" + size.Name();
  rep_->server_pid = PQbackendPID(rep_->connection);
  PGresult* found = rep_->Exec("SELECT 1 FROM pg_indexes WHERE tablename = '" + rep_->table + "'");
  bool exists = PQntuples(found) > 0;
  PQclear(found);
  if (!exists) {
    rep_->Run("DROP TABLE IF EXISTS " + rep_->table);
    rep_->Load(size);
  }
  rep_->Run("SET max_parallel_workers_per_gather = 0");
  PGresult* plan = rep_->Exec("EXPLAIN SELECT username, date, domain, n FROM " + rep_->table + " WHERE date = '" +
                              MiddleDate(size) + "'");
  std::printf("\nPostgreSQL %d: %s\n", PQserverVersion(rep_->connection), PQgetvalue(plan, 0, 0));
  PQclear(plan);
}

PostgresPeer::~PostgresPeer() { PQfinish(rep_->connection); }

Outcome PostgresPeer::Date(const std::string& date) {
  Outcome outcome;
  double server_start = rep_->ServerCpuMs();
  PGresult* result =
      rep_->Exec("SELECT username, date, domain, n FROM " + rep_->table + " WHERE date = '" + date + "'");
  int rows = PQntuples(result);
  auto column = [&](int row, int index) {
    return std::string_view(PQgetvalue(result, row, index), static_cast<size_t>(PQgetlength(result, row, index)));
  };
  for (int row = 0; row < rows; ++row) {
    outcome.Add(column(row, 2), column(row, 3));
  }
  PQclear(result);
  outcome.extra_cpu_ms = rep_->ServerCpuMs() - server_start;
  return outcome;
}

}  // namespace klip::bench
