// HBase's REST resources on klip's public API: the meaning of each URL, and its answer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "klip/connection.h"
#include "rest/message.h"
#include "rest/scanners.h"

namespace klip::rest {

struct RowSpec;

// "host:port" of the server; for an embedded store, which has no port, the gateway's. Empty: no server.
std::string PlaceOf(const ServerName& server, const Request& request);

// Thread-safe. The connection must outlive it.
class Resources {
 public:
  // Scanners that are not read for `scanner_idle_ms` are dropped. `memory`: for the rows that they keep between two requests; null:
  // unlimited. Outlives it.
  explicit Resources(Connection* connection, int64_t scanner_idle_ms = kScannerIdleMs,
                     net::MemoryBudget* memory = nullptr)
      : connection_(connection), memory_(memory), scanners_(/*first=*/1, kMaxScanners, scanner_idle_ms) {}

  Response Answer(const Request& request);

  void DropScanners() { scanners_.DropAll(); }

 private:
  using Path = std::span<const std::string>;

  // --- resources.cc: the cluster and namespaces ---
  Response Tables(const Request& request, std::string_view name_space);
  Response Version(const Request& request);
  Response ClusterStatus(const Request& request);
  Response Namespaces(const Request& request);
  Response Namespace(const Request& request, const std::string& name);

  // --- tables.cc ---
  Response Exists(const Request& request, const std::string& table);
  Response Regions(const Request& request, const std::string& table);
  Response Schema(const Request& request, const std::string& table);

  // --- rows.cc ---
  Response Rows(const Request& request, const std::string& table, Path path);
  Response GetRows(const Request& request, Table* table, const RowSpec& spec);
  Response PutRows(const Request& request, Table* table, const RowSpec& spec);
  Response CheckedWrite(const Request& request, Table* table, const RowSpec& spec, const std::string& check);
  Response AppendOrIncrement(const Request& request, Table* table, const RowSpec& spec, bool append);
  Response DeleteRow(Table* table, const RowSpec& spec);
  Response MultiGet(const Request& request, const std::string& table, Path path);

  // --- scans.cc ---
  Response StatelessScan(const Request& request, const std::string& table, const std::string& glob);
  Response NewScanner(const Request& request, const std::string& table);
  Response Scanner(const Request& request, const std::string& id);

  Connection* const connection_;
  net::MemoryBudget* const memory_;
  Scanners scanners_;
};

}  // namespace klip::rest
