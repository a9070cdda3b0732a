// The open connections of Avatica's clients, and their statements.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "avatica/Avatica.pb.h"
#include "base/open_handles.h"
#include "klip/sql.h"
#include "net/pooled_memory.h"
#include "sql/limits.h"

namespace klip::avatica {

// --- Limits ---
// Beyond these, the one that is unused for longest is closed, as by Phoenix's query server (avatica.connectioncache.maxcapacity,
// avatica.statementcache.maxcapacity).
inline constexpr size_t kMaxConnections = 1000;
inline constexpr size_t kMaxStatements = 1000;  // of one connection
inline constexpr size_t kMaxFrameBytes = 4 << 20;
inline constexpr int64_t kMaxFrameRows = 10'000;
inline constexpr int64_t kDefaultFrameRows = 100;   // if the client does not specify a number
inline constexpr int64_t kIdleMs = 10 * 60 * 1000;  // a connection that is unused for so long is closed

// A client's statement, and the unsent rows of its last execution.
struct OpenStatement {
  uint64_t used = 0;  // a number that grows with each use of a statement of the connection
  std::string text;
  std::unique_ptr<sql::Statement> prepared;
  std::unique_ptr<sql::Rows> rows;
  uint64_t sent = 0;     // rows
  uint64_t most = 0;     // requested by the client; 0: all
  bool waiting = false;  // the current row of `rows` is still to be sent
  bool done = false;

  // Rows from here on count from 0. Returns whether there is one.
  Status Begin(std::unique_ptr<sql::Rows> from);
  // Sends up to `rows_wanted` rows; if it is not positive, a default.
  Status WriteFrame(int64_t rows_wanted, pb::Frame* frame);
  // Skips rows without sending them.
  Status Skip(uint64_t rows_passed);

 private:
  Status Advance();
};

// One connection. Used by one request at a time, which holds `mutex`.
struct OpenConnection {
  explicit OpenConnection(net::MemoryBudget* budget) : memory(budget) {}

  std::mutex mutex;
  std::string user;  // according to the client
  net::PooledMemory memory;
  std::unique_ptr<sql::ServedSession> session;
  std::map<uint32_t, OpenStatement> statements;
  uint32_t next_statement = 1;
  uint64_t uses = 0;
  pb::ConnectionProperties properties;
  std::atomic<bool> closed = false;
  std::atomic<uint32_t> running = 0;  // the statement that a call executes; 0: none

  // Ends running statements and batches. Any thread.
  void Close();
  // A new statement. If there are too many, the one that is unused for longest is closed: the client makes it again when it needs it.
  uint32_t AddStatement();
  // Null: it is closed, or never existed.
  OpenStatement* Find(uint32_t id);
};

// What a server sets for all connections.
struct ConnectionLimits {
  net::MemoryBudget* memory =
      nullptr;             // of what statements hold; null: only each of them is limited. Outlives the connections
  int64_t timeout_ms = 0;  // of a statement; 0: any
  int64_t idle_ms = kIdleMs;
};

// Thread-safe. Closes connections that are unused for long.
class ConnectionTable {
 public:
  explicit ConnectionTable(Connection* connection, const ConnectionLimits& limits = {})
      : connection_(connection), limits_(limits), open_(kMaxConnections, limits.idle_ms) {}
  ~ConnectionTable() { CloseAll(); }

  // Errors: kInvalidArgument if the id is in use, or too many others are being used. `auto_commit`: Phoenix's property AutoCommit,
  // which is off unless the client sets it. `timeout_ms`: of a statement, if it is less than the server's; 0: that.
  Status Open(const std::string& id, sql::SessionOptions options, const std::string& user, int64_t timeout_ms);
  // Null: none.
  std::shared_ptr<OpenConnection> Find(const std::string& id) { return open_.Find(id); }
  // Ends running statements.
  void Close(const std::string& id);
  void CloseAll();

 private:
  Connection* connection_;
  const ConnectionLimits limits_;
  base::NamedHandles<std::string, OpenConnection> open_;
};

}  // namespace klip::avatica
