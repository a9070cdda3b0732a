// HBase's REST resources over klip's public API: which URL means what, and what it answers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "klip/connection.h"
#include "rest/message.h"

namespace klip::rest {

struct RowSpec;

// "host:port" of the server; of an embedded store's, which listens nowhere, the gateway's own. Empty: no server.
std::string PlaceOf(const ServerName& server, const Request& request);

// A scanner that a client opened, between two of its requests.
struct OpenScanner {
  std::mutex mutex;  // two requests at once
  std::unique_ptr<Table> table;
  std::unique_ptr<ResultScanner> rows;
  int64_t batch = INT64_MAX;  // cells of an answer
  Result result;              // what is left of it begins at `next`
  size_t next = 0;
  int64_t used_ms = 0;
};

// Thread-safe. The connection must outlive it.
class Resources {
 public:
  explicit Resources(Connection* connection) : connection_(connection) {}

  Response Answer(const Request& request);

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
  std::mutex mutex_;
  uint64_t scanners_made_ = 0;
  std::map<std::string, std::shared_ptr<OpenScanner>> scanners_;
};

}  // namespace klip::rest
