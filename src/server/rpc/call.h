// Call: one request as its handler sees it, and the tables from methods to handlers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "messages/encode.h"
#include "net/clock.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"
#include "rpc/error.h"
#include "rpc/message.h"
#include "server/rpc/memory.h"
#include "server/rpc/metrics.h"

namespace klip::server {

using net::MonotonicUs;

struct Call {
  const rpc::ConnectionParameters* client = nullptr;
  const hbase::pb::RequestHeader* header = nullptr;
  std::string_view param;
  rpc::CellBlockReader cells;                                   // of the request
  rpc::Buffer out_cells;                                        // of the response
  size_t inline_bytes = 0;                                      // of its message, as far as the handler counts them
  net::MemoryLease answer;                                      // for both
  size_t answered_bytes = 0;                                    // set when it is answered
  const std::shared_ptr<net::MemoryShare>* scanners = nullptr;  // the client's share of the memory of scanners
  int64_t deadline_us = 0;                                      // by MonotonicUs; 0: none
  const std::atomic<bool>* disconnected = nullptr;              // true: nobody waits for the answer any more
  const std::atomic<bool>* stopping = nullptr;                  // true: the server is

  std::function<void()> after_response;  // runs once the response is being sent

  // For the log of slow calls, if the handler knows them.
  std::string region;
  int64_t rows = -1;  // returned or written; -1: unknown

  // The handler chooses where cells of the response go: into a block, or inline.
  messages::CellOutput Block() { return {client->codec, &out_cells}; }
  static messages::CellOutput Inline() { return {}; }

  bool Abandoned() const { return *disconnected || *stopping; }
};

// Answers a call with an error or a message, once.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void Respond(Call* call, const rpc::Error& error, const google::protobuf::MessageLite* response) = 0;
};

struct Method {
  std::string request;  // its message type, "ScanRequest"
  std::function<void(Call*, Responder*)> run;
  std::function<std::string(std::string_view param)>
      region;          // the region of a request, or ""; null: no request names one
  bool reads = false;  // it reads, and does not wait for others
  mutable CallTimes times;
};

// The methods of a service by name. Filled before the server starts, then only read.
class MethodTable {
 public:
  // `handler(const Request&, Response*, Call*)` returns an rpc::Error.
  template <typename Request, typename Response, typename Handler>
  Method* Add(std::string_view name, Handler handler) {
    Method& method = methods_[std::string(name)];
    const std::string message = Request().GetTypeName();  // "hbase.pb.ScanRequest"
    method.request = message.substr(message.rfind('.') + 1);
    if constexpr (requires(const Request& request) { request.region().value(); }) {
      method.region = [](std::string_view param) {
        Request request;
        request.ParsePartialFromArray(param.data(), static_cast<int>(param.size()));
        return request.region().value();
      };
    }
    method.run = [handler](Call* call, Responder* responder) {
      // A thread reuses the same messages for parsing: their strings keep their memory, except large ones.
      constexpr size_t kLargeBytes = 256 << 10;
      if (call->param.size() > kLargeBytes) {
        Request request;
        Response response;
        Run(handler, &request, &response, call, responder);
      } else {
        thread_local Request request;
        thread_local Response response;
        response.Clear();
        Run(handler, &request, &response, call, responder);
        if (call->answered_bytes > kLargeBytes) [[unlikely]] {
          Response().Swap(&response);
        }
      }
    };
    return &method;
  }

  // Null: there is no such method.
  const Method* Find(std::string_view name) const {
    const auto at = methods_.find(name);
    return at == methods_.end() ? nullptr : &at->second;
  }

  Method* Find(std::string_view name) {
    const auto at = methods_.find(name);
    return at == methods_.end() ? nullptr : &at->second;
  }

  auto begin() const { return methods_.begin(); }
  auto end() const { return methods_.end(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  template <typename Handler, typename Request, typename Response>
  static void Run(const Handler& handler, Request* request, Response* response, Call* call, Responder* responder) {
    // "Partial", because otherwise protobuf logs missing fields.
    if (!request->ParsePartialFromArray(call->param.data(), static_cast<int>(call->param.size())) ||
        !request->IsInitialized()) {
      responder->Respond(
          call, Status(Code::kDoNotRetry, "the request's message is invalid: " + request->InitializationErrorString()),
          nullptr);
      return;
    }
    const rpc::Error error = handler(*request, response, call);
    responder->Respond(call, error, error.ok() ? response : nullptr);
  }

  std::unordered_map<std::string, Method, Hash, std::equal_to<>> methods_;
};

// Service name, for example "ClientService", to its methods.
using Services = std::unordered_map<std::string, MethodTable>;

}  // namespace klip::server
