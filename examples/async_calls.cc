// Many concurrent calls from one thread, and calls with a timeout or that are cancelled. Usage: async_calls DIRECTORY
#include <atomic>
#include <cstdio>
#include <string>

#include "klip/async_table.h"
#include "klip/cancel.h"
#include "klip/connection.h"

namespace {

klip::Status Run(const std::string& directory) {
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory));
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable({.name = "visits", .families = {{.name = "d"}}}));
  KLIP_ASSIGN_OR_RETURN(auto opened, connection->GetTable("visits"));
  klip::AsyncTable visits(std::move(opened), {.max_threads = 4});

  // Each visit is counted; when it is, the visitor's own row is read. Callbacks run on the table's threads.
  std::atomic<int> counted{0};
  std::atomic<int> failed{0};
  for (int i = 0; i < 100; ++i) {
    const std::string user = "user" + std::to_string(i % 7);
    visits.Increment(klip::Increment{.row = user}.Add("d", "visits"), [&, user](klip::Expected<klip::Result> row) {
      if (!row.ok()) {
        ++failed;
        return;
      }
      visits.Get(klip::Get{.row = user},
                 [&](klip::Expected<klip::Result> read) { ++(read.ok() && !read->empty() ? counted : failed); });
    });
  }
  visits.Wait();
  std::printf("%d visits counted, %d failed\n", counted.load(), failed.load());

  // Everything begun under the token ends soon after Cancel, here a scan in its first row.
  const klip::CancelToken token = klip::CancelToken::New();
  const klip::CancelScope scope(token);
  klip::Status scan;
  visits.Scan(
      {},
      [&](const klip::Result&) {
        token.Cancel();
        return true;
      },
      [&](klip::Status status) { scan = std::move(status); });
  visits.Wait();
  std::printf("the scan: %s\n", scan.ToString().c_str());
  return counted == 100 && failed == 0 ? klip::Status::Ok() : klip::Status(klip::Code::kIoError, "not all was counted");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: async_calls DIRECTORY\n");
    return 2;
  }
  const klip::Status status = Run(argv[1]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
