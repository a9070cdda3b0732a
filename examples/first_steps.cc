// First steps: create a table, write a row, read it back, scan. Usage: first_steps DIRECTORY
#include <cstdio>
#include <string>

#include "klip/connection.h"

namespace {

klip::Status Run(const std::string& directory) {
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory));
  KLIP_RETURN_IF_ERROR(
      connection->admin().CreateTable({.name = "users", .families = {{.name = "d", .max_versions = 3}}}));
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable("users"));

  KLIP_RETURN_IF_ERROR(table->Put(klip::Put{.row = "u42"}.Add("d", "name", "Alice").Add("d", "city", "Turin")));
  KLIP_RETURN_IF_ERROR(table->Put(klip::Put{.row = "u43"}.Add("d", "name", "Bob")));

  // One row. A row that does not exist is an empty Result, not an error.
  KLIP_ASSIGN_OR_RETURN(klip::Result row, table->Get({.row = "u42", .columns = {{"d", "name"}}}));
  std::printf("u42 is %s\n", std::string(row.Value("d", "name").value_or("nobody")).c_str());

  // A counter, changed in place.
  KLIP_ASSIGN_OR_RETURN(klip::Result counted, table->Increment(klip::Increment{.row = "u42"}.Add("d", "visits", 5)));
  std::printf("u42 has %zu counter\n", counted.size());

  // Every row that starts with "u", in key order.
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(klip::Scan::Prefix("u")));
  klip::Result next;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&next));
    if (!more) {
      break;
    }
    for (const klip::Cell& cell : next) {
      std::printf("%s %s:%s, %zu bytes\n", std::string(cell.row).c_str(), std::string(cell.family).c_str(),
                  std::string(cell.qualifier).c_str(), cell.value.size());
    }
  }
  return klip::Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: first_steps DIRECTORY\n");
    return 2;
  }
  klip::Status status = Run(argv[1]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
