// Avatica's calls on SQL sessions. A call is one message; answers contain rows in frames.
#pragma once

#include <string>
#include <string_view>

#include "avatica/Avatica.pb.h"
#include "avatica/statements.h"
#include "klip/cancel.h"
#include "klip/connection.h"

namespace klip::avatica {

// Thread-safe; calls on one connection run one after the other.
class Service {
 public:
  explicit Service(Connection* connection, const ConnectionLimits& limits = {}) : connections_(connection, limits) {}

  struct Reply {
    std::string body;  // a WireMessage
    bool failed = false;
  };
  // `server`: host:port, which answers contain. `client`: the client's. `gone`: cancelled once the client is gone, which ends statements.
  Reply Answer(std::string_view body, const std::string& server, const std::string& client,
               const CancelToken& gone = {});

  // Ends running calls and closes all connections.
  void Stop() { connections_.CloseAll(); }

 private:
  struct Method;
  struct Call;

  Status OpenConnectionCall(const Call& call);
  Status CloseConnection(const Call& call);
  Status ConnectionSync(const Call& call);
  Status Commit(const Call& call);
  Status Rollback(const Call& call);
  Status CreateStatement(const Call& call);
  Status CloseStatement(const Call& call);
  Status Prepare(const Call& call);
  Status PrepareAndExecute(const Call& call);
  Status PrepareAndExecuteBatch(const Call& call);
  Status Execute(const Call& call);
  Status ExecuteBatch(const Call& call);
  Status Fetch(const Call& call);
  Status SyncResults(const Call& call);
  Status DatabaseProperties(const Call& call);
  Status Catalogs(const Call& call);
  Status Schemas(const Call& call);
  Status Tables(const Call& call);
  Status Columns(const Call& call);
  Status TableTypes(const Call& call);
  Status TypeInfo(const Call& call);

  // From here on the call runs as the connection's user. Errors: kInvalidArgument as Avatica's NoSuchConnectionException.
  Expected<std::shared_ptr<OpenConnection>> Find(const Call& call, const std::string& id);
  // The rows of a call of DatabaseMetaData. REQUIRES: the connection's mutex is held.
  static Expected<std::unique_ptr<sql::Rows>> Metadata(sql::Session* session, const pb::QueryState& state);
  // Rows that are a complete result, with a new statement. REQUIRES: the connection's mutex is held.
  Status SendRows(const Call& call, const std::string& id, OpenConnection* connection, std::unique_ptr<sql::Rows> rows);

  ConnectionTable connections_;
};

}  // namespace klip::avatica
