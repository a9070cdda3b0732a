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

namespace klip::avatica {

// --- Limits ---
inline constexpr size_t kMaxConnections = 1000;  // more are refused
inline constexpr size_t kMaxStatements = 1000;   // of one connection
inline constexpr size_t kMaxFrameBytes = 4 << 20;
inline constexpr int64_t kMaxFrameRows = 10'000;
inline constexpr int64_t kDefaultFrameRows = 100;   // if the client does not specify a number
inline constexpr int64_t kIdleMs = 10 * 60 * 1000;  // a connection that is unused for so long is closed

// A client's statement, and the unsent rows of its last execution.
struct OpenStatement {
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
  std::mutex mutex;
  std::string user;  // according to the client
  std::unique_ptr<sql::Session> session;
  std::map<uint32_t, OpenStatement> statements;
  uint32_t next_statement = 1;
  pb::ConnectionProperties properties;
  std::atomic<bool> closed = false;

  // Ends running statements and batches. Any thread.
  void Close();
  // Errors: kInvalidArgument if there are too many.
  Expected<uint32_t> AddStatement();
};

// Thread-safe. Closes connections that are unused for `idle_ms`.
class ConnectionTable {
 public:
  explicit ConnectionTable(Connection* connection, int64_t idle_ms = kIdleMs)
      : connection_(connection), open_(kMaxConnections, idle_ms) {}
  ~ConnectionTable() { CloseAll(); }

  // Errors: kInvalidArgument if the id is in use, or there are too many. `auto_commit`: Phoenix's property AutoCommit,
  // which is off unless the client sets it.
  Status Open(const std::string& id, const sql::SessionOptions& options, const std::string& user);
  // Null: none.
  std::shared_ptr<OpenConnection> Find(const std::string& id) { return open_.Find(id); }
  // Ends running statements.
  void Close(const std::string& id);
  void CloseAll();

 private:
  Connection* connection_;
  base::NamedHandles<std::string, OpenConnection> open_;
};

}  // namespace klip::avatica
