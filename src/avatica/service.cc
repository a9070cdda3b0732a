#include "avatica/service.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "avatica/wire.h"
#include "base/errors.h"
#include "klip/caller.h"
#include "sql/list_rows.h"
#include "sql/syntax/ast.h"
#include "sql/syntax/lexer.h"
#include "sql/types/codec.h"

namespace klip::avatica {
namespace {

using sql::Type;
using sql::Value;

constexpr std::string_view kRequestPrefix = "org.apache.calcite.avatica.proto.Requests$";
constexpr std::string_view kResponsePrefix = "org.apache.calcite.avatica.proto.Responses$";
constexpr char kNoSuchConnection[] = "org.apache.calcite.avatica.NoSuchConnectionException";
constexpr uint32_t kNoSuchConnectionCode = 1;
constexpr uint64_t kNoUpdateCount = ~uint64_t{0};

template <typename Message>
Expected<Message> Parsed(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return base::Invalid("the request is not an Avatica message");
  }
  return message;
}

std::optional<std::string> PatternOf(bool has, const std::string& pattern) {
  return has || !pattern.empty() ? std::optional(pattern) : std::nullopt;
}

sql::Column TextColumn(const char* label) { return {.label = label, .type = {.type = Type::kVarchar}, .name = label}; }
sql::Column WholeColumn(const char* label) { return {.label = label, .type = {.type = Type::kInteger}, .name = label}; }

Expected<std::vector<Value>> ReadValues(const google::protobuf::RepeatedPtrField<pb::TypedValue>& parameters) {
  std::vector<Value> values;
  values.reserve(static_cast<size_t>(parameters.size()));
  for (const pb::TypedValue& parameter : parameters) {
    KLIP_ASSIGN_OR_RETURN(Value value, ReadValue(parameter));
    values.push_back(std::move(value));
  }
  return values;
}

// A call's use of a connection.
class Use {
 public:
  // `gone`: ends the statements of the call.
  explicit Use(OpenConnection* connection, CancelToken gone = {}) : connection_(connection), lock_(connection->mutex) {
    connection_->session->SetCaller(std::move(gone));
  }
  ~Use() {
    connection_->running = 0;
    connection_->session->SetCaller({});
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // It executes the statement.
  void Run(uint32_t statement) { connection_->running = statement; }

 private:
  OpenConnection* const connection_;
  const std::lock_guard<std::mutex> lock_;
};

// Checked between the statements of a batch, since Session::Cancel ends only one.
Status StillOpen(const OpenConnection& connection) {
  return connection.closed ? Status(Code::kCancelled, "the connection was closed") : Status::Ok();
}

// Errors: 518 (25502), a change by a connection that may only read.
Status MayExecute(const OpenConnection& connection, const sql::Statement& statement) {
  return connection.properties.read_only() && statement.columns().empty()
             ? sql::SqlError(518, "25502", "Mutations are not permitted for a read-only connection.")
             : Status::Ok();
}

// What a statement of a batch changed. Errors: 1151 (XCL51), it is a query.
Expected<uint64_t> UpdateCountOf(const sql::Rows& rows) {
  if (!rows.columns().empty()) {
    return sql::SqlError(1151, "XCL51", "A batch operation can't include a statement that produces result sets.");
  }
  return static_cast<uint64_t>(rows.updated());
}

// The result of executing a statement. Closing the connection cancels the statement, and the error reports that.
Expected<std::unique_ptr<sql::Rows>> RowsOf(const OpenConnection& connection,
                                            Expected<std::unique_ptr<sql::Rows>> executed) {
  if (!executed.ok()) {
    KLIP_RETURN_IF_ERROR(StillOpen(connection));
  }
  return executed;
}

// Stores an execution's result in the statement and the answer.
Status WriteResult(const std::string& connection, uint32_t id, OpenStatement* statement,
                   std::unique_ptr<sql::Rows> rows, int64_t frame_rows, pb::ResultSetResponse* out) {
  out->set_connection_id(connection);
  out->set_statement_id(id);
  out->set_own_statement(true);
  if (rows->columns().empty()) {
    out->set_update_count(static_cast<uint64_t>(rows->updated()));
    return Status::Ok();
  }
  out->set_update_count(kNoUpdateCount);
  std::vector<sql::DataType> parameters;
  if (statement->prepared != nullptr) {
    parameters = statement->prepared->parameters();
  }
  WriteSignature(rows->columns(), parameters, statement->text, out->mutable_signature());
  KLIP_RETURN_IF_ERROR(statement->Begin(std::move(rows)));
  return statement->WriteFrame(frame_rows, out->mutable_first_frame());
}

// The texts are those of Java's server: clients search for "ERROR 601 (42P00): ... ->".
std::string ErrorBody(const Status& status, const std::string& server) {
  pb::ErrorResponse error;
  sql::Error sql = sql::ErrorOf(status);
  bool unknown_connection = status.java_class() != nullptr && *status.java_class() == kNoSuchConnection;
  error.set_error_code(unknown_connection ? kNoSuchConnectionCode
                                          : static_cast<uint32_t>(sql.number != 0 ? sql.number : -1));
  error.set_sql_state(sql.sql_state.empty() ? "00000" : sql.sql_state);
  std::string text = sql.number != 0 ? status.message() : status.ToString();
  error.set_error_message(unknown_connection ? "NoSuchConnectionException: " + status.message()
                                             : "SQLException: " + text + " -> SQLException: " + text);
  error.set_severity(pb::ErrorResponse::ERROR_SEVERITY);
  error.set_has_exceptions(true);
  error.add_exceptions(error.error_message());
  error.mutable_metadata()->set_server_address(server);
  pb::WireMessage message;
  message.set_name(std::string(kResponsePrefix) + "ErrorResponse");
  message.set_wrapped_message(error.SerializeAsString());
  return message.SerializeAsString();
}

}  // namespace

// One call: its message, and the place for the answer.
struct Service::Call {
  std::string_view message;
  const CancelToken& gone;  // cancelled once the client is gone
  const std::string& server;
  Caller* caller;
  pb::WireMessage* out;

  template <typename Response>
  Status Send(std::string_view name,
              Response response) const {  // NOLINT(performance-unnecessary-value-param): filled in
    if constexpr (requires { response.mutable_metadata(); }) {
      response.mutable_metadata()->set_server_address(server);
    }
    out->set_name(std::string(kResponsePrefix) + std::string(name));
    return response.SerializeToString(out->mutable_wrapped_message()) ? Status::Ok()
                                                                      : base::Invalid("the response is too large");
  }
};

struct Service::Method {
  std::string_view request;
  Status (Service::*call)(const Call&);
};

Service::Reply Service::Answer(std::string_view body, const std::string& server, const std::string& client,
                               const CancelToken& gone) {
  static constexpr Method kMethods[] = {
      {"OpenConnectionRequest", &Service::OpenConnectionCall},
      {"CloseConnectionRequest", &Service::CloseConnection},
      {"ConnectionSyncRequest", &Service::ConnectionSync},
      {"CommitRequest", &Service::Commit},
      {"RollbackRequest", &Service::Rollback},
      {"CreateStatementRequest", &Service::CreateStatement},
      {"CloseStatementRequest", &Service::CloseStatement},
      {"PrepareRequest", &Service::Prepare},
      {"PrepareAndExecuteRequest", &Service::PrepareAndExecute},
      {"PrepareAndExecuteBatchRequest", &Service::PrepareAndExecuteBatch},
      {"ExecuteRequest", &Service::Execute},
      {"ExecuteBatchRequest", &Service::ExecuteBatch},
      {"FetchRequest", &Service::Fetch},
      {"SyncResultsRequest", &Service::SyncResults},
      {"DatabasePropertyRequest", &Service::DatabaseProperties},
      {"CatalogsRequest", &Service::Catalogs},
      {"SchemasRequest", &Service::Schemas},
      {"TablesRequest", &Service::Tables},
      {"ColumnsRequest", &Service::Columns},
      {"TableTypesRequest", &Service::TableTypes},
      {"TypeInfoRequest", &Service::TypeInfo},
  };
  auto fail = [&](const Status& status) { return Reply{.body = ErrorBody(status, server), .failed = true}; };
  Expected<pb::WireMessage> request = Parsed<pb::WireMessage>(body);
  if (!request.ok()) {
    return fail(request.status());
  }
  std::string_view name = request->name();
  if (name.starts_with(kRequestPrefix)) {
    name.remove_prefix(kRequestPrefix.size());
  }
  const auto* method = std::find_if(std::begin(kMethods), std::end(kMethods),
                                    [&](const Method& candidate) { return candidate.request == name; });
  if (method == std::end(kMethods)) {
    return fail(base::Invalid("unknown Avatica call: " + request->name()));
  }
  Caller caller = {.address = client, .door = Door::kSql};
  const CallerScope scope(&caller);
  pb::WireMessage response;
  Status done = (this->*method->call)(
      {.message = request->wrapped_message(), .gone = gone, .server = server, .caller = &caller, .out = &response});
  return done.ok() ? Reply{.body = response.SerializeAsString()} : fail(done);
}

Expected<std::shared_ptr<OpenConnection>> Service::Find(const Call& call, const std::string& id) {
  std::shared_ptr<OpenConnection> connection = connections_.Find(id);
  if (connection == nullptr) {
    return Status::OfJava(kNoSuchConnection, "Connection not found: invalid id, closed, or expired: " + id, false);
  }
  call.caller->user = connection->user;
  return connection;
}

// --- Connections ---

Status Service::OpenConnectionCall(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::OpenConnectionRequest>(call.message));
  auto info = [&](std::string_view key) {
    auto entry = std::find_if(request.info().begin(), request.info().end(),
                              [&](const pb::InfoEntry& candidate) { return candidate.key() == key; });
    return entry == request.info().end() ? std::string() : entry->value();
  };
  std::string auto_commit = info("AutoCommit");
  std::transform(auto_commit.begin(), auto_commit.end(), auto_commit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string scn = info("CurrentSCN");
  int64_t as_of_ms = 0;
  if (const auto [end, error] = std::from_chars(scn.data(), scn.data() + scn.size(), as_of_ms);
      !scn.empty() && (error != std::errc() || end != scn.data() + scn.size() || as_of_ms <= 0)) {
    return base::Invalid("CurrentSCN is not a time in milliseconds since 1970: " + scn);
  }
  constexpr char kTimeout[] = "phoenix.query.timeoutMs";
  const std::string timeout = info(kTimeout);
  int64_t timeout_ms = 0;
  if (const auto [end, error] = std::from_chars(timeout.data(), timeout.data() + timeout.size(), timeout_ms);
      !timeout.empty() && (error != std::errc() || end != timeout.data() + timeout.size() || timeout_ms <= 0)) {
    return base::Invalid(std::string(kTimeout) + " is not a number of milliseconds: " + timeout);
  }
  KLIP_RETURN_IF_ERROR(connections_.Open(request.connection_id(),
                                         {.auto_commit = auto_commit == "true",
                                          .schema = sql::NormalizedName(info("schema")),
                                          .tenant = info("TenantId"),
                                          .as_of_ms = as_of_ms},
                                         info("user"), timeout_ms));
  return call.Send("OpenConnectionResponse", pb::DoneResponse());
}

Status Service::CloseConnection(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  connections_.Close(request.connection_id());
  return call.Send("CloseConnectionResponse", pb::DoneResponse());
}

namespace {

// From JDBC's Connection.TRANSACTION_...; nullopt: READ COMMITTED and lower.
std::optional<IsolationLevel> LevelOf(uint32_t jdbc) {
  constexpr uint32_t kRepeatableRead = 4;
  constexpr uint32_t kSerializable = 8;
  return jdbc == kSerializable     ? std::optional(IsolationLevel::kSerializable)
         : jdbc == kRepeatableRead ? std::optional(IsolationLevel::kSnapshot)
                                   : std::nullopt;
}

}  // namespace

Status Service::ConnectionSync(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionSyncRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  const pb::ConnectionProperties& wanted = request.conn_props();
  pb::ConnectionProperties& is = connection->properties;
  if (wanted.has_auto_commit()) {
    KLIP_RETURN_IF_ERROR(connection->session->SetAutoCommit(wanted.auto_commit()));
  }
  if (wanted.has_read_only()) {
    is.set_read_only(wanted.read_only());
  }
  if (wanted.transaction_isolation() != 0) {
    connection->session->SetIsolation(LevelOf(wanted.transaction_isolation()));
    is.set_transaction_isolation(wanted.transaction_isolation());
  }
  if (!wanted.schema().empty() && wanted.schema() != is.schema()) {
    KLIP_RETURN_IF_ERROR(connection->session->Execute("USE " + sql::QuotedName(wanted.schema())).status());
    is.set_schema(wanted.schema());
  }
  is.set_auto_commit(connection->session->auto_commit());
  is.set_has_auto_commit(true);
  is.set_has_read_only(true);
  pb::ConnectionSyncResponse response;
  *response.mutable_conn_props() = is;
  return call.Send("ConnectionSyncResponse", std::move(response));
}

Status Service::Commit(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  const Use use(connection.get());  // not ended halfway
  KLIP_RETURN_IF_ERROR(connection->session->Commit());
  return call.Send("CommitResponse", pb::EmptyResponse());
}

Status Service::Rollback(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  const Use use(connection.get());  // not ended halfway
  KLIP_RETURN_IF_ERROR(connection->session->Rollback());
  return call.Send("RollbackResponse", pb::EmptyResponse());
}

// --- Statements ---

Status Service::CreateStatement(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  const uint32_t id = connection->AddStatement();
  pb::CreateStatementResponse response;
  response.set_connection_id(request.connection_id());
  response.set_statement_id(id);
  return call.Send("CreateStatementResponse", std::move(response));
}

Status Service::CloseStatement(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::CloseStatementRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  if (connection->running == request.statement_id()) {
    connection->session->Cancel();
  }
  const Use use(connection.get());
  connection->statements.erase(request.statement_id());
  return call.Send("CloseStatementResponse", pb::DoneResponse());
}

Status Service::Prepare(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::PrepareRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Statement> prepared, connection->session->Prepare(request.sql()));
  const uint32_t id = connection->AddStatement();
  OpenStatement& statement = connection->statements[id];
  statement.text = request.sql();
  statement.prepared = std::move(prepared);
  statement.most = static_cast<uint64_t>(std::max<int64_t>(request.max_rows_total(), 0));
  pb::PrepareResponse response;
  pb::StatementHandle* handle = response.mutable_statement();
  handle->set_connection_id(request.connection_id());
  handle->set_id(id);
  WriteSignature(statement.prepared->columns(), statement.prepared->parameters(), statement.text,
                 handle->mutable_signature());
  return call.Send("PrepareResponse", std::move(response));
}

Status Service::PrepareAndExecute(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::PrepareAndExecuteRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  pb::ExecuteResponse response;
  OpenStatement* const found = connection->Find(request.statement_id());
  if (found == nullptr) {
    response.set_missing_statement(true);
    return call.Send("ExecuteResponse", std::move(response));
  }
  OpenStatement& statement = *found;
  use.Run(request.statement_id());
  statement.rows = nullptr;
  statement.prepared = nullptr;
  statement.most = static_cast<uint64_t>(std::max<int64_t>(request.max_rows_total(), 0));
  KLIP_ASSIGN_OR_RETURN(statement.prepared, connection->session->Prepare(request.sql()));
  statement.text = request.sql();  // its length is limited
  KLIP_RETURN_IF_ERROR(MayExecute(*connection, *statement.prepared));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, RowsOf(*connection, statement.prepared->Execute()));
  KLIP_RETURN_IF_ERROR(WriteResult(request.connection_id(), request.statement_id(), &statement, std::move(rows),
                                   request.first_frame_max_size(), response.add_results()));
  response.mutable_results(0)->mutable_metadata()->set_server_address(call.server);
  return call.Send("ExecuteResponse", std::move(response));
}

Status Service::PrepareAndExecuteBatch(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::PrepareAndExecuteBatchRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  pb::ExecuteBatchResponse response;
  response.set_connection_id(request.connection_id());
  response.set_statement_id(request.statement_id());
  response.set_missing_statement(!connection->statements.contains(request.statement_id()));
  for (const std::string& text : request.sql_commands()) {
    if (response.missing_statement()) {
      break;
    }
    KLIP_RETURN_IF_ERROR(StillOpen(*connection));
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Statement> prepared, connection->session->Prepare(text));
    KLIP_RETURN_IF_ERROR(MayExecute(*connection, *prepared));
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Rows> rows, RowsOf(*connection, prepared->Execute()));
    KLIP_ASSIGN_OR_RETURN(const uint64_t updated, UpdateCountOf(*rows));
    response.add_update_counts(updated);
  }
  return call.Send("ExecuteBatchResponse", std::move(response));
}

Status Service::Execute(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ExecuteRequest>(call.message));
  const pb::StatementHandle& handle = request.statementhandle();
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, handle.connection_id()));
  Use use(connection.get(), call.gone);
  pb::ExecuteResponse response;
  OpenStatement* const found = connection->Find(handle.id());
  if (found == nullptr || found->prepared == nullptr) {
    response.set_missing_statement(true);
    return call.Send("ExecuteResponse", std::move(response));
  }
  use.Run(handle.id());
  KLIP_ASSIGN_OR_RETURN(std::vector<Value> values, ReadValues(request.parameter_values()));
  KLIP_RETURN_IF_ERROR(MayExecute(*connection, *found->prepared));
  found->rows = nullptr;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, RowsOf(*connection, found->prepared->Execute(values)));
  KLIP_RETURN_IF_ERROR(WriteResult(handle.connection_id(), handle.id(), found, std::move(rows),
                                   request.first_frame_max_size(), response.add_results()));
  response.mutable_results(0)->mutable_metadata()->set_server_address(call.server);
  return call.Send("ExecuteResponse", std::move(response));
}

Status Service::ExecuteBatch(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ExecuteBatchRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  pb::ExecuteBatchResponse response;
  response.set_connection_id(request.connection_id());
  response.set_statement_id(request.statement_id());
  OpenStatement* const found = connection->Find(request.statement_id());
  const bool missing = found == nullptr || found->prepared == nullptr;
  use.Run(request.statement_id());
  response.set_missing_statement(missing);
  for (const pb::UpdateBatch& update : request.updates()) {
    if (missing) {
      break;
    }
    KLIP_RETURN_IF_ERROR(StillOpen(*connection));
    KLIP_ASSIGN_OR_RETURN(std::vector<Value> values, ReadValues(update.parameter_values()));
    KLIP_RETURN_IF_ERROR(MayExecute(*connection, *found->prepared));
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, RowsOf(*connection, found->prepared->Execute(values)));
    KLIP_ASSIGN_OR_RETURN(const uint64_t updated, UpdateCountOf(*rows));
    response.add_update_counts(updated);
  }
  return call.Send("ExecuteBatchResponse", std::move(response));
}

Status Service::Fetch(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::FetchRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  pb::FetchResponse response;
  OpenStatement* const found = connection->Find(request.statement_id());
  if (found == nullptr) {
    response.set_missing_statement(true);
    return call.Send("FetchResponse", std::move(response));
  }
  OpenStatement& statement = *found;
  use.Run(request.statement_id());
  // Sent rows are gone; the client may request them again by syncResults.
  if (statement.rows == nullptr || request.offset() < statement.sent) {
    response.set_missing_results(true);
    return call.Send("FetchResponse", std::move(response));
  }
  KLIP_RETURN_IF_ERROR(statement.Skip(request.offset()));
  int64_t rows = request.frame_max_size() != 0 ? request.frame_max_size() : request.fetch_max_row_count();
  KLIP_RETURN_IF_ERROR(statement.WriteFrame(rows, response.mutable_frame()));
  return call.Send("FetchResponse", std::move(response));
}

Status Service::SyncResults(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::SyncResultsRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  pb::SyncResultsResponse response;
  OpenStatement* const found = connection->Find(request.statement_id());
  if (found == nullptr) {
    response.set_missing_statement(true);
    return call.Send("SyncResultsResponse", std::move(response));
  }
  OpenStatement& statement = *found;
  use.Run(request.statement_id());
  statement.rows = nullptr;
  std::unique_ptr<sql::Rows> rows;
  if (request.state().type() == pb::QueryState::METADATA) {
    statement.prepared = nullptr;
    KLIP_ASSIGN_OR_RETURN(rows, Metadata(connection->session.get(), request.state()));
  } else {
    KLIP_ASSIGN_OR_RETURN(statement.prepared, connection->session->Prepare(request.state().sql()));
    statement.text = request.state().sql();
    KLIP_ASSIGN_OR_RETURN(rows, statement.prepared->Execute());
  }
  KLIP_RETURN_IF_ERROR(statement.Begin(std::move(rows)));
  KLIP_RETURN_IF_ERROR(statement.Skip(request.offset()));
  response.set_more_results(statement.waiting);
  return call.Send("SyncResultsResponse", std::move(response));
}

// --- Metadata ---

namespace {

std::unique_ptr<sql::Rows> TableTypeRows() {
  std::vector<std::vector<Value>> rows;
  for (const char* type : {"INDEX", "SEQUENCE", "SYSTEM TABLE", "TABLE", "VIEW"}) {
    rows.push_back({Value::Text(type)});
  }
  return sql::MakeListRows({TextColumn("TABLE_TYPE")}, std::move(rows));
}

// Empty, as from Phoenix's query server.
std::unique_ptr<sql::Rows> TypeRows() {
  return sql::MakeListRows({TextColumn("TYPE_NAME"), WholeColumn("DATA_TYPE")}, {});
}

// A pattern that matches only this name.
std::string Exactly(std::string_view name) {
  std::string pattern;
  for (char c : name) {
    if (c == '%' || c == '_' || c == '\\') {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern;
}

// The arguments of a call of DatabaseMetaData, starting with the catalog.
class MetadataArguments {
 public:
  explicit MetadataArguments(const pb::QueryState& state) : state_(state) {}

  std::optional<std::string> Text(int position) const {
    const bool given =
        position < state_.args_size() && state_.args(position).type() == pb::MetaDataOperationArgument::STRING;
    return given ? std::optional<std::string>(state_.args(position).string_value()) : std::nullopt;
  }
  std::vector<std::string> Texts(int position) const {
    if (position >= state_.args_size()) {
      return {};
    }
    const auto& values = state_.args(position).string_array_values();
    return {values.begin(), values.end()};
  }
  // A table by its schema and name; without a schema, the one that has none.
  sql::TablePattern Table() const {
    return {.schema = Exactly(Text(1).value_or("")), .table = Exactly(Text(2).value_or(""))};
  }

 private:
  const pb::QueryState& state_;
};

// Errors: 1012 (42M03), no such table.
Expected<std::unique_ptr<sql::Rows>> PrimaryKeyRows(sql::Session* session, const MetadataArguments& arguments) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> table, session->Tables(arguments.Table()));
  KLIP_ASSIGN_OR_RETURN(bool exists, table->Next());
  if (!exists) {
    const std::string schema = arguments.Text(1).value_or("");
    return sql::SqlError(
        1012, "42M03",
        "Table undefined. tableName=" + schema + (schema.empty() ? "" : ".") + arguments.Text(2).value_or(""));
  }
  return session->PrimaryKeys(arguments.Table());
}

}  // namespace

Expected<std::unique_ptr<sql::Rows>> Service::Metadata(sql::Session* session, const pb::QueryState& state) {
  const MetadataArguments arguments(state);
  switch (state.op()) {
    case pb::GET_PRIMARY_KEYS:
      return PrimaryKeyRows(session, arguments);
    case pb::GET_INDEX_INFO:
      return session->Indexes(arguments.Table());
    case pb::GET_COLUMNS:
      return session->Columns({.schema = arguments.Text(1), .table = arguments.Text(2), .column = arguments.Text(3)});
    case pb::GET_TABLES:
      return session->Tables({.schema = arguments.Text(1), .table = arguments.Text(2), .types = arguments.Texts(3)});
    case pb::GET_SCHEMAS:
    case pb::GET_SCHEMAS_WITH_ARGS:
      return session->Schemas({.schema = arguments.Text(1)});
    case pb::GET_TABLE_TYPES:
      return TableTypeRows();
    default:  // foreign keys, procedures and others, which do not exist
      return sql::MakeListRows({TextColumn("TABLE_CAT")}, {});
  }
}

Status Service::DatabaseProperties(const Call& call) {
  struct Property {
    const char* name;
    const char* text;
    int number;
  };
  static constexpr Property kProperties[] = {
      {"GET_DATABASE_PRODUCT_NAME", "Phoenix", 0},
      {"GET_DATABASE_PRODUCT_VERSION", "5.2", 0},
      {"GET_DATABASE_MAJOR_VERSION", nullptr, 5},
      {"GET_DATABASE_MINOR_VERSION", nullptr, 2},
      {"GET_DRIVER_NAME", "PhoenixEmbeddedDriver", 0},
      {"GET_DRIVER_VERSION", "5.2", 0},
      {"GET_DRIVER_MAJOR_VERSION", nullptr, 5},
      {"GET_DRIVER_MINOR_VERSION", nullptr, 2},
      {"GET_DEFAULT_TRANSACTION_ISOLATION", nullptr, 2},
      {"GET_NUMERIC_FUNCTIONS", "", 0},
      {"GET_STRING_FUNCTIONS", "", 0},
      {"GET_SYSTEM_FUNCTIONS", "", 0},
      {"GET_TIME_DATE_FUNCTIONS", "", 0},
      {"GET_S_Q_L_KEYWORDS", "", 0},
      {"AVATICA_VERSION", "1.26.0", 0},
  };
  pb::DatabasePropertyResponse response;
  for (const Property& property : kProperties) {
    pb::DatabasePropertyElement* element = response.add_props();
    element->mutable_key()->set_name(property.name);
    pb::TypedValue* value = element->mutable_value();
    value->set_type(property.text != nullptr ? pb::STRING : pb::INTEGER);
    if (property.text != nullptr) {
      value->set_string_value(property.text);
    } else {
      value->set_number_value(property.number);
    }
  }
  return call.Send("DatabasePropertyResponse", std::move(response));
}

Status Service::SendRows(const Call& call, const std::string& id, OpenConnection* connection,
                         std::unique_ptr<sql::Rows> rows) {
  const uint32_t statement = connection->AddStatement();
  pb::ResultSetResponse response;
  KLIP_RETURN_IF_ERROR(
      WriteResult(id, statement, &connection->statements[statement], std::move(rows), kMaxFrameRows, &response));
  return call.Send("ResultSetResponse", std::move(response));
}

Status Service::Catalogs(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  return SendRows(call, request.connection_id(), connection.get(), sql::MakeListRows({TextColumn("TABLE_CAT")}, {}));
}

Status Service::Schemas(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::SchemasRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  sql::TablePattern pattern{.schema = PatternOf(request.has_schema_pattern(), request.schema_pattern())};
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, connection->session->Schemas(pattern));
  return SendRows(call, request.connection_id(), connection.get(), std::move(rows));
}

Status Service::Tables(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::TablesRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  sql::TablePattern pattern{.catalog = PatternOf(/*has=*/false, request.catalog()),
                            .schema = PatternOf(request.has_schema_pattern(), request.schema_pattern()),
                            .table = PatternOf(request.has_table_name_pattern(), request.table_name_pattern()),
                            .types = {request.type_list().begin(), request.type_list().end()}};
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, connection->session->Tables(pattern));
  return SendRows(call, request.connection_id(), connection.get(), std::move(rows));
}

Status Service::Columns(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ColumnsRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  sql::TablePattern pattern{.catalog = PatternOf(/*has=*/false, request.catalog()),
                            .schema = PatternOf(request.has_schema_pattern(), request.schema_pattern()),
                            .table = PatternOf(request.has_table_name_pattern(), request.table_name_pattern()),
                            .column = PatternOf(request.has_column_name_pattern(), request.column_name_pattern())};
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows, connection->session->Columns(pattern));
  return SendRows(call, request.connection_id(), connection.get(), std::move(rows));
}

Status Service::TableTypes(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  return SendRows(call, request.connection_id(), connection.get(), TableTypeRows());
}

Status Service::TypeInfo(const Call& call) {
  KLIP_ASSIGN_OR_RETURN(auto request, Parsed<pb::ConnectionRequest>(call.message));
  KLIP_ASSIGN_OR_RETURN(auto connection, Find(call, request.connection_id()));
  Use use(connection.get(), call.gone);
  return SendRows(call, request.connection_id(), connection.get(), TypeRows());
}

}  // namespace klip::avatica
