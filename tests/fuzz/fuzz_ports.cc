#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/temp_directory_test.h"
#include "fuzz/filled_table.h"
#include "fuzz/targets.h"
#include "server/server.h"
#include "table/embedded_connection.h"

namespace klip::fuzz {
namespace {

constexpr int kInputsPerServer = 1000;  // so that what they leave behind does not grow
constexpr int kMostPieces = 32;

class RunningServer {
 public:
  RunningServer() {
    ConnectionOptions options;
    options.sync_wal = false;
    options.block_cache_bytes = 8 << 20;
    auto connection = table::OpenEmbedded(temp_.path() + "/store", options);
    Check(connection.ok());
    FillTable(connection->get());
    Expected<std::unique_ptr<server::Server>> started =
        server::Server::Start(*std::move(connection), {.http_port = uint16_t{0}});
    Check(started.ok());
    server_ = *std::move(started);
  }

  uint16_t Port(size_t choice) const {
    const std::array<uint16_t, 3> ports = {server_->rpc_port(), server_->zookeeper_port(), server_->http_port()};
    return ports[choice % ports.size()];
  }

 private:
  const TempDirectory temp_;
  std::unique_ptr<server::Server> server_;
};

base::Descriptor ConnectTo(uint16_t port) {
  base::Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Check(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  const timeval patience = {.tv_sec = 20, .tv_usec = 0};
  const int no_delay = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof(no_delay));
  return socket;
}

// False: the server has ended the connection.
bool SendAll(const base::Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Whether the connection ends, after any other bytes.
bool EndsInTime(const base::Descriptor& socket) {
  std::array<char, 4096> answers;
  ssize_t got = 0;
  do {
    got = ::recv(socket.get(), answers.data(), answers.size(), 0);
  } while (got > 0);
  return got == 0 || errno == ECONNRESET;
}

}  // namespace

void FuzzPorts(std::string_view bytes) {
  static auto server = std::make_unique<RunningServer>();
  static int inputs = 0;
  if (++inputs % kInputsPerServer == 0) {
    server.reset();
    server = std::make_unique<RunningServer>();
  }
  if (bytes.size() < 2) {
    return;
  }
  const base::Descriptor socket = ConnectTo(server->Port(static_cast<uint8_t>(bytes[0])));
  const size_t piece_bytes = static_cast<uint8_t>(bytes[1]) + size_t{1};
  bytes.remove_prefix(2);
  bool open = true;
  for (int pieces = 1; open && pieces < kMostPieces && !bytes.empty(); ++pieces) {
    const size_t piece = std::min(piece_bytes, bytes.size());
    open = SendAll(socket, bytes.substr(0, piece));
    bytes.remove_prefix(piece);
  }
  (void)(open && SendAll(socket, bytes));
  ::shutdown(socket.get(), SHUT_WR);
  Check(EndsInTime(socket));
}

}  // namespace klip::fuzz
