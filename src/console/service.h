// Service: the console's answers to a browser. Files of console/ under /console/, JSON under /console/api/. It only
// reads, unless changes are allowed.
#pragma once

#include <string_view>

#include "console/region_counts.h"
#include "klip/connection.h"
#include "net/http_message.h"
#include "net/memory.h"

namespace klip::console {

// Thread-safe; stateless. Its use of the connection ends with each request.
class Service {
 public:
  // --- Limits ---
  static constexpr int kMaxMs = 10'000;  // that a request may take
  static constexpr size_t kMaxBodyBytes = 1 << 20;

  // The connection, `counts` and `statements` outlive it. `allow_changes`: requests may change rows, tables and indexes. `counts`: null
  // unless the connection is one to a cluster. `statements`: the memory of statements of SQL; null: only each of them is limited.
  explicit Service(Connection* connection, bool allow_changes = false, RegionCounts* counts = nullptr,
                   net::MemoryBudget* statements = nullptr)
      : connection_(connection), allow_changes_(allow_changes), counts_(counts), statements_(statements) {}

  // Whether the request is for the console.
  static bool Handles(std::string_view target);

  // REQUIRES: Handles(request.target). The server has checked Host and Origin (net/http_guard.h).
  net::HttpResponse Answer(const net::HttpRequest& request) const;

 private:
  net::HttpResponse AnswerApi(const net::HttpRequest& request, std::string_view path, std::string_view query) const;

  Connection* const connection_;
  const bool allow_changes_;
  RegionCounts* const counts_;
  net::MemoryBudget* const statements_;
};

}  // namespace klip::console
