// Runs the statements of a file, one per line, and prints their results in the format of compat/sql/src/RunScript.java,
// which does so with Phoenix. The line "TENANT name" opens a session of that tenant; without a name, of none. "MARK" notes
// the time, and "SCN" opens a session as of then.
// Usage: klip_sql_script URI FILE [SCHEMA]; the schema of tables named without one
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>

#include "klip/connection.h"
#include "klip/sql.h"

namespace {

using klip::Expected;
using klip::sql::Rows;

// java.lang.String's of a ResultSet: what klip prints, but for NULL.
klip::Status Print(Rows* rows) {
  if (rows->updated() >= 0) {
    std::cout << rows->updated() << " changed\n";
    return klip::Status::Ok();
  }
  std::cout << "columns";
  for (size_t i = 0; i < rows->columns().size(); ++i) {
    klip::sql::DataType type = rows->columns()[i].type;
    type.max_length = type.precision = 0;
    std::cout << (i == 0 ? " " : " | ") << rows->columns()[i].label << ' ' << ToString(type);
  }
  std::cout << '\n';
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next());
    if (!more) {
      return klip::Status::Ok();
    }
    for (size_t i = 0; i < rows->columns().size(); ++i) {
      std::cout << (i == 0 ? "" : " | ") << rows->value(i).ToString();
    }
    std::cout << '\n';
  }
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A millisecond in which nothing is written.
int64_t Mark() {
  const auto pass = [](int64_t moment) {
    while (NowMs() <= moment) {
    }
  };
  pass(NowMs());
  const int64_t now = NowMs();
  pass(now);
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: klip_sql_script URI FILE [SCHEMA]\n";
    return 2;
  }
  const Expected<std::unique_ptr<klip::Connection>> connection = klip::Connection::Open(argv[1]);
  if (!connection.ok()) {
    std::cerr << connection.status().ToString() << '\n';
    return 1;
  }
  const std::string schema = argc == 4 ? argv[3] : "";
  Expected<std::unique_ptr<klip::sql::Session>> session =
      klip::sql::Session::Open(connection->get(), {.schema = schema});
  int64_t marked = 0;
  std::ifstream file(argv[2]);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("--")) {
      continue;
    }
    std::cout << "> " << line << '\n';
    if (line == "MARK") {
      marked = Mark();
      continue;
    }
    if (line == "SCN") {
      session = klip::sql::Session::Open(connection->get(), {.schema = schema, .as_of_ms = marked});
      continue;
    }
    constexpr std::string_view kTenant = "TENANT";
    if (line == kTenant || line.starts_with("TENANT ")) {
      const std::string tenant = line == kTenant ? "" : line.substr(kTenant.size() + 1);
      session = klip::sql::Session::Open(connection->get(), {.schema = schema, .tenant = tenant});
      continue;
    }
    const Expected<std::unique_ptr<Rows>> rows = (*session)->Execute(line, {});
    const klip::Status status = rows.ok() ? Print(rows->get()) : rows.status();
    if (!status.ok()) {
      const klip::sql::Error error = klip::sql::ErrorOf(status);
      std::cout << "error " << error.number << ' ' << (error.sql_state.empty() ? "null" : error.sql_state) << '\n';
      std::cerr << line << ": " << status.message() << '\n';
    }
  }
  return 0;
}
