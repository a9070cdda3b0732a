// For tests of server/: a server on free ports with a temporary directory, and a client that speaks the protocol itself.
#pragma once

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "net/raw_socket_test.h"
#include "proto/RPC.pb.h"
#include "rpc/message.h"
#include "server/server.h"
#include "table/embedded_connection.h"

namespace klip::server {

using net::RawSocket;

inline std::string Framed(const std::string& bytes) { return BigEndian(static_cast<uint32_t>(bytes.size())) + bytes; }

inline std::string Delimited(const std::string& bytes) {
  std::string out;
  size_t left = bytes.size();
  for (; left >= 0x80; left >>= 7) {
    out.push_back(static_cast<char>(left | 0x80));
  }
  out.push_back(static_cast<char>(left));
  return out + bytes;
}

// An answered call.
struct Answer {
  hbase::pb::ResponseHeader header;
  std::string result;
  std::string cells;

  const std::string& exception() const { return header.exception().exception_class_name(); }
};

// A connection to one service.
class RawClient {
 public:
  RawClient(uint16_t port, const std::string& service, bool cell_blocks = true, const std::string& compressor = {},
            const std::string& codec = "KeyValueCodec")
      : socket_(port) {
    socket_.Send(Opening(service, cell_blocks, compressor, codec));
  }

  // The first bytes of a connection.
  static std::string Opening(const std::string& service, bool cell_blocks, const std::string& compressor = {},
                             const std::string& codec = "KeyValueCodec") {
    hbase::pb::ConnectionHeader header;
    header.mutable_user_info()->set_effective_user("test");
    header.set_service_name(service);
    if (cell_blocks) {
      header.set_cell_block_codec_class("org.apache.hadoop.hbase.codec." + codec);
    }
    if (!compressor.empty()) {
      header.set_cell_block_compressor_class(compressor);
    }
    hbase::pb::VersionInfo* version = header.mutable_version_info();
    for (std::string* text : {version->mutable_version(), version->mutable_url(), version->mutable_revision(),
                              version->mutable_user(), version->mutable_date(), version->mutable_src_checksum()}) {
      *text = "2.6.4";
    }
    version->set_version_major(2);
    version->set_version_minor(6);
    return std::string("HBas\0\x50", 6) + Framed(header.SerializeAsString());
  }

  static std::string Request(uint32_t id, const std::string& method, const std::string& message,
                             const std::string& cells = {}, uint32_t timeout_ms = 0) {
    hbase::pb::RequestHeader header;
    header.set_call_id(id);
    header.set_method_name(method);
    header.set_request_param(true);
    if (timeout_ms > 0) {
      header.set_timeout(timeout_ms);
    }
    if (!cells.empty()) {
      header.mutable_cell_block_meta()->set_length(static_cast<uint32_t>(cells.size()));
    }
    return Framed(Delimited(header.SerializeAsString()) + Delimited(message) + cells);
  }

  Answer ReceiveAnswer() {
    const std::string frame = socket_.ReceiveFrame();
    Answer answer;
    // A response has a request's format, except that an exception has no parameter.
    std::string_view rest = frame;
    const auto take = [&rest]() -> std::string {
      size_t bytes = 0;
      int shift = 0;
      while (!rest.empty()) {
        const auto byte = static_cast<unsigned char>(rest[0]);
        rest.remove_prefix(1);
        bytes |= static_cast<size_t>(byte & 0x7F) << shift;
        shift += 7;
        if (byte < 0x80) {
          break;
        }
      }
      const std::string taken(rest.substr(0, bytes));
      rest.remove_prefix(std::min(bytes, rest.size()));
      return taken;
    };
    EXPECT_TRUE(answer.header.ParseFromString(take()));
    answer.result = take();
    answer.cells = rest;
    EXPECT_EQ(answer.header.cell_block_meta().length(), answer.cells.size());
    return answer;
  }

  template <typename Message>
  Answer Call(const std::string& method, const Message& message, const std::string& cells = {}) {
    socket_.Send(Request(++last_id_, method, message.SerializePartialAsString(), cells, timeout_ms_));
    Answer answer = ReceiveAnswer();
    EXPECT_EQ(answer.header.call_id(), last_id_);
    return answer;
  }

  // The same if no error is expected.
  template <typename Response, typename Message>
  Response Ask(const std::string& method, const Message& message, std::string* cells = nullptr) {
    const Answer answer = Call(method, message);
    EXPECT_EQ(answer.header.exception().stack_trace(), "") << method;
    Response response;
    EXPECT_TRUE(response.ParseFromString(answer.result)) << method;
    if (cells != nullptr) {
      *cells = answer.cells;
    }
    return response;
  }

  RawSocket& socket() { return socket_; }
  // The client's timeout that Call sends; 0: none.
  void set_timeout_ms(uint32_t timeout_ms) { timeout_ms_ = timeout_ms; }

 private:
  RawSocket socket_;
  uint32_t last_id_ = 0;
  uint32_t timeout_ms_ = 0;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() { Start(); }

  void Start(const ServerOptions& with = {}) {
    server_.reset();
    ConnectionOptions options;
    options.sync_wal = false;
    options.block_cache_bytes = 8 << 20;
    auto connection = table::OpenEmbedded(root_ + "/store", options);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    store_ = connection->get();
    Expected<std::unique_ptr<Server>> server = Server::Start(*std::move(connection), with);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
  }

  uint16_t rpc_port() const { return server_->rpc_port(); }

  const TempDirectory temp_;
  const std::string& root_ = temp_.path();
  std::unique_ptr<Server> server_;
  Connection* store_ = nullptr;  // the server's
};

}  // namespace klip::server
