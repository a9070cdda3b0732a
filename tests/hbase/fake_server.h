// A server whose answers a test defines. It is its own registry, and has hbase:meta and every region of a table `t`.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "klip/bytes.h"
#include "net/socket.h"
#include "proto/Client.pb.h"
#include "proto/Registry.pb.h"
#include "rpc/message.h"
#include "rpc/names.h"

namespace klip::client {

class FakeServer {
 public:
  // The bytes to send, frame and all; none: the call is never answered; nullopt: the connection is cut.
  using Answer = std::optional<std::string>;
  // Of a call that is not of the registry or of hbase:meta; run under a lock.
  using Handler = std::function<Answer(const std::string& method, const rpc::Request& request)>;

  // A handler that leaves every call without an answer.
  static Answer Silent(const std::string&, const rpc::Request&) { return ""; }

  explicit FakeServer(Handler handler) : handler_(std::move(handler)) {
    Expected<net::Descriptor> listener = net::Listen("127.0.0.1", 0);
    EXPECT_TRUE(listener.ok());
    listener_ = *std::move(listener);
    accepting_ = std::thread([this] { AcceptAll(); });
  }

  ~FakeServer() { Stop(); }

  // Cuts all connections, and refuses others from now on.
  void Stop() {
    stopping_ = true;
    if (accepting_.joinable()) {
      accepting_.join();
    }
    for (Peer& peer : peers_) {
      ::shutdown(peer.socket.get(), SHUT_RDWR);
      peer.thread.join();
    }
    peers_.clear();
    listener_ = net::Descriptor();
  }

  std::string uri() const { return "hbase+rpc://" + address(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(net::PortOf(listener_)); }
  // The region has a replica there, as hbase:meta says. Before any call.
  void AddReplica(const FakeServer& server) { replicas_.push_back(server.address()); }
  // Where its primary is; empty: on no server. The default is this server.
  void SetPrimary(const std::string& address) {
    const std::lock_guard lock(mutex_);
    primary_ = address;
  }
  // The registry's locations of hbase:meta's replicas, the primary first. The default is this server alone. Before any call.
  void SetMeta(std::vector<std::string> addresses) { meta_ = std::move(addresses); }
  // The table has regions that begin there too. Before any call.
  void SetSplits(std::vector<std::string> keys) { splits_ = std::move(keys); }
  // Has no table from now on, as a replica of hbase:meta that is behind or where it was dropped.
  void ForgetTable() { has_table_ = false; }
  void SetTableState(hbase::pb::TableState::State state) { table_state_ = state; }
  int connections() const { return connections_; }
  int meta_reads() const { return meta_reads_; }
  int state_reads() const { return state_reads_; }

  static std::string Frame(const rpc::Request& request, const google::protobuf::MessageLite& message,
                           std::string_view cells = {}) {
    const rpc::Buffer frame = rpc::EncodeResponse(request.header.call_id(), {}, &message, cells.size());
    return std::string(frame.view()) + std::string(cells);
  }
  static std::string Exception(const rpc::Request& request, const std::string& short_class, bool do_not_retry) {
    const rpc::Error error = rpc::Error::Hbase(short_class, "as the test says", do_not_retry);
    return std::string(rpc::EncodeResponse(request.header.call_id(), error, nullptr, 0).view());
  }

 private:
  struct Peer {
    net::Descriptor socket;
    std::thread thread;
  };

  void AcceptAll() {
    while (!stopping_) {
      pollfd ready = {.fd = listener_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, /*ms=*/20) <= 0) {
        continue;
      }
      net::Descriptor socket = net::Accept(listener_);
      if (socket.get() >= 0) {
        ++connections_;
        peers_.push_back({std::move(socket), {}});
        peers_.back().thread = std::thread([this, fd = peers_.back().socket.get()] { Serve(fd); });
      }
    }
  }

  static bool Receive(int fd, size_t bytes, std::string* out) {
    out->resize(bytes);
    for (size_t have = 0; have < bytes;) {
      pollfd ready = {.fd = fd, .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, -1);
      const ssize_t got = ::recv(fd, out->data() + have, bytes - have, 0);
      if (got <= 0) {
        return false;
      }
      have += static_cast<size_t>(got);
    }
    return true;
  }

  static bool ReceiveFrame(int fd, std::string* out) {
    std::string length;
    return Receive(fd, 4, &length) && Receive(fd, ReadBigEndian<uint32_t>(length.data()), out);
  }

  void Serve(int fd) {
    std::string bytes;
    if (!Receive(fd, rpc::kOpeningBytes, &bytes) || !ReceiveFrame(fd, &bytes)) {
      return;
    }
    rpc::Request request;
    while (ReceiveFrame(fd, &bytes) && rpc::ParseRequest(bytes, &request).ok()) {
      const Answer answer = Run(request);
      if (!answer.has_value() || ::send(fd, answer->data(), answer->size(), MSG_NOSIGNAL) < 0) {
        break;
      }
    }
    ::shutdown(fd, SHUT_RDWR);
  }

  Answer Run(const rpc::Request& request) {
    const std::lock_guard lock(mutex_);
    const std::string& method = request.header.method_name();
    if (method == "GetMetaRegionLocations") {
      hbase::pb::GetMetaRegionLocationsResponse response;
      for (const std::string& meta : meta_.empty() ? std::vector{address()} : meta_) {
        hbase::pb::RegionLocation* location = response.add_meta_locations();
        location->mutable_region_info()->set_region_id(1);
        location->mutable_region_info()->set_replica_id(response.meta_locations_size() - 1);
        rpc::FillTableName(rpc::kMetaTable, location->mutable_region_info()->mutable_table_name());
        location->mutable_server_name()->set_host_name("127.0.0.1");
        location->mutable_server_name()->set_port(static_cast<uint32_t>(std::stoi(meta.substr(meta.find(':') + 1))));
        location->set_seq_num(-1);
      }
      return Frame(request, response);
    }
    hbase::pb::ScanRequest scan;
    if (method == "Scan" && scan.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())) &&
        scan.region().value().starts_with(rpc::kMetaRegion)) {
      return MetaRows(request, scan);
    }
    hbase::pb::GetRequest get;
    if (method == "Get" && get.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())) &&
        get.region().value().starts_with(rpc::kMetaRegion)) {
      ++state_reads_;
      hbase::pb::GetResponse response;
      response.mutable_result()->set_stale(get.region().value() != rpc::kMetaRegion);
      if (has_table_) {
        hbase::pb::TableState state;
        state.set_state(table_state_);
        AddCell("t", "table", "state", state.SerializeAsString(), response.mutable_result());
      }
      return Frame(request, response);
    }
    return handler_(method, request);
  }

  static void AddCell(const std::string& row, const char* family, const char* qualifier, const std::string& value,
                      hbase::pb::Result* result) {
    hbase::pb::Cell* cell = result->add_cell();
    cell->set_row(row);
    cell->set_family(family);
    cell->set_qualifier(qualifier);
    cell->set_timestamp(1);
    cell->set_cell_type(hbase::pb::PUT);
    cell->set_value(value);
  }

  Answer MetaRows(const rpc::Request& request, const hbase::pb::ScanRequest& scan) {
    ++meta_reads_;
    hbase::pb::ScanResponse response;
    response.set_stale(scan.region().value() != rpc::kMetaRegion);
    response.set_more_results(true);
    response.set_more_results_in_region(false);
    std::vector<std::string> starts = splits_;
    starts.emplace_back();
    std::ranges::sort(starts);
    if (scan.scan().reversed()) {
      std::ranges::reverse(starts);
    }
    for (size_t i = 0; i < starts.size() && has_table_; ++i) {
      const std::string name = rpc::RegionName("t", starts[i], 1);
      const size_t after = scan.scan().reversed() ? i - 1 : i + 1;
      const std::string end = after < starts.size() ? starts[after] : "";
      if (IsWanted(name, scan.scan()) && response.results_size() < static_cast<int>(scan.number_of_rows())) {
        AddRegion(name, starts[i], end, response.add_results());
      }
    }
    return Frame(request, response);
  }

  static bool IsWanted(const std::string& name, const hbase::pb::Scan& scan) {
    const std::string& start = scan.start_row();
    if (start.find(',') == std::string::npos) {  // of all that the table has
      return true;
    }
    return name == start ? scan.include_start_row() : scan.reversed() ? name < start : name > start;
  }

  void AddRegion(const std::string& name, const std::string& start, const std::string& end, hbase::pb::Result* row) {
    hbase::pb::RegionInfo info;
    info.set_region_id(1);
    info.set_start_key(start);
    info.set_end_key(end);
    rpc::FillTableName("t", info.mutable_table_name());
    AddCell(name, "info", "regioninfo", "PBUF" + info.SerializeAsString(), row);
    if (const std::string primary = primary_.value_or(address()); !primary.empty()) {
      AddCell(name, "info", "server", primary, row);
    }
    for (size_t i = 0; i < replicas_.size(); ++i) {
      AddCell(name, "info", ("server_000" + std::to_string(i + 1)).c_str(), replicas_[i], row);
    }
  }

  Handler handler_;
  std::vector<std::string> replicas_;
  std::optional<std::string> primary_;  // guarded by mutex_
  std::vector<std::string> meta_;
  std::vector<std::string> splits_;
  std::atomic<bool> has_table_{true};
  std::atomic<hbase::pb::TableState::State> table_state_{hbase::pb::TableState::ENABLED};
  std::atomic<int> meta_reads_{0};
  std::atomic<int> state_reads_{0};
  net::Descriptor listener_;
  std::mutex mutex_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::list<Peer> peers_;  // of the accepting thread, until it has ended
  std::thread accepting_;
};

}  // namespace klip::client
