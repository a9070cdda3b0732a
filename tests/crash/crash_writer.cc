// The process that crash_test kills: crash_writer <directory> <seed> <sync|os>. Writes items (crash_load.h) until it is
// killed, and logs its operations to standard output.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "crash/crash_load.h"
#include "crash/crash_state.h"

namespace klip::crash {
namespace {

int Main(const std::string& directory, uint64_t seed, bool sync) {
  ConnectionOptions options;
  options.sync_wal = sync;
  options.memtable_bytes = 256 << 10;
  Expected<std::unique_ptr<Connection>> connection = Connection::Open("klip:" + directory, options);
  Status status = connection.status();
  Items items;
  if (status.ok()) {
    status = CreateTables(connection->get());
  }
  if (status.ok()) {
    Expected<Items> read = ReadItems(connection->get());
    status = read.status();
    items = read.ok() ? *read : Items();
  }
  if (!status.ok()) {
    const std::string text = "E 0 opening: " + status.ToString() + "\n";
    (void)!write(1, text.data(), text.size());
    return 1;
  }
  const Listener say = [](const std::string& line) {
    const std::string text = line + "\n";
    if (write(1, text.data(), text.size()) < 0) {
      _exit(1);
    }
  };
  constexpr int kSteps = 100000;
  std::vector<std::thread> threads;
  for (int i = 0; i <= kThreads; ++i) {
    threads.emplace_back(
        [&, i] { RunLoad(connection->get(), i, seed * 31 + static_cast<uint64_t>(i), kSteps, items, say); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return 0;
}

}  // namespace
}  // namespace klip::crash

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: crash_writer DIRECTORY SEED sync|os\n");
    return 2;
  }
  return klip::crash::Main(argv[1], strtoull(argv[2], nullptr, 10), std::string(argv[3]) == "sync");
}
