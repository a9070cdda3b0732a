// The speed of C++ reading a store, for python.py to compare with: one scan of the table, and gets of rows spread over
// it. Usage: klip_read_rates DIRECTORY TABLE GETS. Prints "scan ROWS SECONDS" and "get ROWS SECONDS", in CPU time.
#include <charconv>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "klip/connection.h"

namespace {

double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

klip::Status Run(const std::string& directory, const char* name, size_t gets) {
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory));
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable(name));

  std::vector<std::string> keys;
  double begin = ProcessorSeconds();
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan({}));
  klip::Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    keys.emplace_back(row.row());
  }
  std::printf("scan %zu %.6f\n", keys.size(), ProcessorSeconds() - begin);

  size_t found = 0;
  begin = ProcessorSeconds();
  for (size_t i = 0; i < gets; ++i) {
    KLIP_ASSIGN_OR_RETURN(const klip::Result one, table->Get({.row = keys[i * 7919 % keys.size()]}));
    found += one.empty() ? 0 : 1;
  }
  std::printf("get %zu %.6f\n", found, ProcessorSeconds() - begin);
  return klip::Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  size_t gets = 0;
  if (argc != 4 || std::from_chars(argv[3], argv[3] + std::string_view(argv[3]).size(), gets).ec != std::errc()) {
    std::fprintf(stderr, "usage: klip_read_rates DIRECTORY TABLE GETS\n");
    return 2;
  }
  const klip::Status status = Run(argv[1], argv[2], gets);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
  }
  return status.ok() ? 0 : 1;
}
