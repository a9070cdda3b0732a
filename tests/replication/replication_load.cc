// klip_replication_load URI TABLE SEED COUNT ROWS: random writes, see random_writes.h (compat/replication). Retries a
// failed write for up to a minute, as HBase's clients do: the server may be killed meanwhile.
#include <iostream>
#include <string>

#include "klip/connection.h"
#include "replication/random_writes.h"

int main(int argc, char** argv) {
  constexpr int kArguments = 6;
  if (argc != kArguments) {
    std::cerr << "usage: klip_replication_load URI TABLE SEED COUNT ROWS\n";
    return 2;
  }
  const auto failed = [](const klip::Status& status) {
    std::cerr << "klip_replication_load: " << status.ToString() << "\n";
    return 1;
  };
  const klip::ConnectionOptions options = {.rpc_timeout_ms = 5'000, .operation_timeout_ms = 60'000};
  const klip::Expected<std::unique_ptr<klip::Connection>> connection = klip::Connection::Open(argv[1], options);
  if (!connection.ok()) {
    return failed(connection.status());
  }
  const klip::Expected<std::unique_ptr<klip::Table>> table = (*connection)->GetTable(argv[2]);
  if (!table.ok()) {
    return failed(table.status());
  }
  klip::RandomWrites writes(static_cast<uint32_t>(std::stoul(argv[3])), argv[5]);
  for (int left = std::stoi(argv[4]); left > 0; --left) {
    if (const klip::Status written = writes.Write(table->get()); !written.ok()) {
      return failed(written);
    }
  }
  return 0;
}
