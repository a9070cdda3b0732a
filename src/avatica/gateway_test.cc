// Avatica's calls over HTTP, as sent by drivers.
#include "avatica/gateway.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <httplib.h>

#include "avatica/Avatica.pb.h"
#include "avatica/service.h"
#include "avatica/wire.h"
#include "base/temp_directory_test.h"
#include "klip/caller.h"
#include "sql/catalog/served_statement.h"

namespace klip::avatica {
namespace {

using sql::Type;
using sql::Value;

pb::TypedValue TypedOf(pb::Rep rep, int64_t number) {
  pb::TypedValue typed;
  typed.set_type(rep);
  typed.set_number_value(number);
  return typed;
}

pb::TypedValue TypedText(pb::Rep rep, const std::string& text) {
  pb::TypedValue typed;
  typed.set_type(rep);
  typed.set_string_value(text);
  typed.set_bytes_value(text);
  return typed;
}

pb::TypedValue Sent(const Value& value, Type type) {
  pb::ColumnValue column;
  WriteValue(value, {.type = type}, &column);
  return column.scalar_value();
}

TEST(AvaticaWire, SendsValuesAsTheQueryServer) {
  constexpr int64_t kDay = 86'400'000;
  EXPECT_EQ(Sent(Value(Type::kDate, 3 * kDay + 5), Type::kDate).number_value(), 3);
  EXPECT_EQ(Sent(Value(Type::kDate, int64_t{-1}), Type::kDate).number_value(), -1);
  EXPECT_EQ(Sent(Value(Type::kTime, 3 * kDay + 5), Type::kTime).number_value(), 5);
  EXPECT_EQ(Sent(Value(Type::kTime, int64_t{-1}), Type::kTime).number_value(), kDay - 1);
  EXPECT_EQ(Sent(Value(Type::kTime, INT64_MIN), Type::kTime).number_value(), 60'424'192);
  EXPECT_EQ(Sent(Value(Type::kTimestamp, Value::Timestamp{.ms = 7, .nanos = 8}), Type::kTimestamp).number_value(), 7);
  EXPECT_EQ(Sent(Value(Type::kUnsignedFloat, 1.5), Type::kUnsignedFloat).double_value(), 1.5);
  EXPECT_EQ(Sent(Value::Number({125, 2}), Type::kDecimal).string_value(), "1.25");
  EXPECT_EQ(Sent(Value::Number({125, 2}), Type::kDecimal).type(), pb::BIG_DECIMAL);
  EXPECT_EQ(Sent(Value::Bytes("\x01"), Type::kVarbinary).bytes_value(), "\x01");
  EXPECT_EQ(Sent(Value::Text("ab"), Type::kChar).string_value(), "ab");
  EXPECT_TRUE(Sent(Value::Boolean(true), Type::kBoolean).bool_value());
  EXPECT_TRUE(Sent(Value(), Type::kInteger).null());
  pb::ColumnValue array;
  WriteValue(Value(Type::kInteger, Value::Array{Value::Integer(4), Value()}), {.type = Type::kInteger, .array = true},
             &array);
  EXPECT_TRUE(array.has_array_value());
  EXPECT_FALSE(array.has_scalar_value());
  EXPECT_EQ(array.array_value(0).number_value(), 4);
  EXPECT_TRUE(array.array_value(1).null());
}

TEST(AvaticaWire, ReadsParameters) {
  EXPECT_EQ(*ReadValue(TypedOf(pb::INTEGER, -5)), Value::Integer(-5));
  EXPECT_EQ(*ReadValue(TypedOf(pb::FLOAT, 0x3FC00000)), Value::Double(1.5));
  EXPECT_EQ(*ReadValue(TypedOf(pb::JAVA_SQL_DATE, 2)), Value(Type::kDate, int64_t{172'800'000}));
  EXPECT_EQ(ReadValue(TypedOf(pb::JAVA_SQL_TIMESTAMP, 9))->timestamp().ms, 9);
  EXPECT_EQ(*ReadValue(TypedText(pb::STRING, "x")), Value::Text("x"));
  EXPECT_TRUE(ReadValue(TypedText(pb::STRING, ""))->is_null());
  EXPECT_EQ(ReadValue(TypedText(pb::BIG_DECIMAL, "-1.50"))->decimal(), sql::Decimal(-15, 1));
  EXPECT_EQ(ReadValue(TypedText(pb::BIG_INTEGER, "\xFF\x7F"))->decimal(), sql::Decimal(-129));
  EXPECT_EQ(ReadValue(TypedText(pb::BIG_DECIMAL, "33.3330000000000012505552149377763271331787109375"))->ToString(),
            "33.333000000000001250555214937776327133");
  EXPECT_FALSE(ReadValue(TypedText(pb::BIG_DECIMAL, "x")).ok());
  EXPECT_FALSE(ReadValue(TypedText(pb::BIG_INTEGER, std::string(17, '\1'))).ok());
  EXPECT_FALSE(ReadValue(TypedText(pb::BIG_INTEGER, "\x80" + std::string(15, '\0'))).ok());  // 39 digits
  EXPECT_FALSE(ReadValue(TypedOf(pb::JAVA_SQL_DATE, int64_t{1} << 40)).ok());
  EXPECT_FALSE(ReadValue(TypedOf(static_cast<pb::Rep>(99), 1)).ok());
  pb::TypedValue array = TypedOf(pb::ARRAY, 0);
  *array.add_array_value() = TypedOf(pb::LONG, 1);
  array.add_array_value()->set_null(true);
  EXPECT_EQ(ReadValue(array)->array().size(), 2U);
}

class AvaticaTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.sync_wal = false;
    options.slow_operation_ms = 0;
    options.slow_operation_log = [this](const SlowOperation& slow) {
      std::lock_guard lock(caller_mutex_);
      caller_ = slow.caller;
    };
    auto connection = Connection::Open("klip:" + directory_.Sub("store"), options);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = *std::move(connection);
    auto gateway = StartGateway(connection_.get());
    ASSERT_TRUE(gateway.ok()) << gateway.status().ToString();
    gateway_ = *std::move(gateway);
    http_ = std::make_unique<httplib::Client>("127.0.0.1", gateway_->port());
    http_->set_keep_alive(true);
    http_->set_tcp_nodelay(true);
  }

  // The answer; the test fails if it is an error, or of another class than `Name`Response.
  template <typename Response, typename Request>
  Response Call(const std::string& name, const Request& request, const std::string& response_name = {}) {
    pb::WireMessage answer = Post(name, request);
    std::string wanted = response_name.empty() ? name : response_name;
    EXPECT_EQ(answer.name(), "org.apache.calcite.avatica.proto.Responses$" + wanted + "Response")
        << ErrorIn(answer).error_message();
    Response response;
    EXPECT_TRUE(response.ParseFromString(answer.wrapped_message()));
    return response;
  }
  template <typename Request>
  pb::WireMessage Post(const std::string& name, const Request& request) {
    pb::WireMessage message;
    message.set_name("org.apache.calcite.avatica.proto.Requests$" + name + "Request");
    message.set_wrapped_message(request.SerializeAsString());
    httplib::Result result = http_->Post("/", message.SerializeAsString(), "application/x-google-protobuf");
    pb::WireMessage answer;
    EXPECT_TRUE(result && answer.ParseFromString(result->body));
    EXPECT_EQ(result->status, answer.name().ends_with("ErrorResponse") ? 500 : 200);
    return answer;
  }
  static pb::ErrorResponse ErrorIn(const pb::WireMessage& answer) {
    pb::ErrorResponse error;
    error.ParseFromString(answer.wrapped_message());
    return error;
  }

  void OpenConnection(bool auto_commit) {
    pb::OpenConnectionRequest open;
    open.set_connection_id("c");
    pb::InfoEntry* user = open.add_info();
    user->set_key("user");
    user->set_value("alice");
    Call<pb::DoneResponse>("OpenConnection", open);
    pb::ConnectionSyncRequest sync;
    sync.set_connection_id("c");
    sync.mutable_conn_props()->set_has_auto_commit(true);
    sync.mutable_conn_props()->set_auto_commit(auto_commit);
    EXPECT_EQ(Call<pb::ConnectionSyncResponse>("ConnectionSync", sync).conn_props().auto_commit(), auto_commit);
  }
  uint32_t CreateStatement() {
    return Call<pb::CreateStatementResponse>("CreateStatement", OnConnection()).statement_id();
  }
  static pb::ConnectionRequest OnConnection() {
    pb::ConnectionRequest request;
    request.set_connection_id("c");
    return request;
  }
  static pb::PrepareAndExecuteRequest Statement(uint32_t id, const std::string& sql, int32_t frame = 0) {
    pb::PrepareAndExecuteRequest request;
    request.set_connection_id("c");
    request.set_statement_id(id);
    request.set_sql(sql);
    request.set_first_frame_max_size(frame);
    return request;
  }
  pb::ResultSetResponse Run(uint32_t id, const std::string& sql, int32_t frame = 0) {
    auto response = Call<pb::ExecuteResponse>("PrepareAndExecute", Statement(id, sql, frame), "Execute");
    return response.results_size() == 1 ? response.results(0) : pb::ResultSetResponse();
  }
  // UPSERTs (i, 'v<i>') for i below `rows`, as a batch.
  void Fill(int rows) {
    Run(CreateStatement(), "CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, v VARCHAR(10))");
    pb::PrepareRequest prepare;
    prepare.set_connection_id("c");
    prepare.set_sql("UPSERT INTO t VALUES (?, ?)");
    pb::StatementHandle handle = Call<pb::PrepareResponse>("Prepare", prepare).statement();
    ASSERT_EQ(handle.signature().parameters_size(), 2);
    EXPECT_EQ(handle.signature().parameters(0).parameter_type(), 4U);
    EXPECT_EQ(handle.signature().parameters(1).type_name(), "VARCHAR");
    pb::ExecuteBatchRequest batch;
    batch.set_connection_id("c");
    batch.set_statement_id(handle.id());
    for (int i = 0; i < rows; ++i) {
      pb::UpdateBatch* update = batch.add_updates();
      *update->add_parameter_values() = TypedOf(pb::INTEGER, i);
      *update->add_parameter_values() = TypedText(pb::STRING, "v" + std::to_string(i));
    }
    EXPECT_EQ(Call<pb::ExecuteBatchResponse>("ExecuteBatch", batch).update_counts_size(), rows);
  }

  TempDirectory directory_;
  std::mutex caller_mutex_;
  Caller caller_;  // of the last operation
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<httplib::Client> http_;
};

TEST_F(AvaticaTest, SendsRowsByTheFrame) {
  OpenConnection(/*auto_commit=*/true);
  Fill(10);
  uint32_t id = CreateStatement();
  pb::ResultSetResponse result = Run(id, "SELECT v, k FROM t", /*frame=*/4);
  EXPECT_EQ(result.update_count(), ~uint64_t{0});
  ASSERT_EQ(result.signature().columns_size(), 2);
  EXPECT_EQ(result.signature().columns(0).label(), "V");
  EXPECT_EQ(result.signature().columns(0).precision(), 10U);
  EXPECT_EQ(result.signature().columns(1).type().id(), 4U);
  EXPECT_EQ(result.signature().columns(1).nullable(), 0U);
  EXPECT_EQ(result.first_frame().rows_size(), 4);
  EXPECT_FALSE(result.first_frame().done());
  pb::FetchRequest fetch;
  fetch.set_connection_id("c");
  fetch.set_statement_id(id);
  fetch.set_offset(4);
  fetch.set_frame_max_size(6);
  pb::Frame frame = Call<pb::FetchResponse>("Fetch", fetch).frame();
  EXPECT_EQ(frame.offset(), 4U);
  ASSERT_EQ(frame.rows_size(), 6);
  EXPECT_TRUE(frame.done());  // known although the frame is full
  EXPECT_EQ(frame.rows(5).value(0).scalar_value().string_value(), "v9");
  EXPECT_TRUE(Call<pb::FetchResponse>("Fetch", fetch).missing_results());  // they were sent already
  pb::SyncResultsRequest sync;
  sync.set_connection_id("c");
  sync.set_statement_id(id);
  sync.mutable_state()->set_sql("SELECT v, k FROM t");
  sync.set_offset(4);
  EXPECT_TRUE(Call<pb::SyncResultsResponse>("SyncResults", sync).more_results());
  EXPECT_EQ(Call<pb::FetchResponse>("Fetch", fetch).frame().rows_size(), 6);
}

// As Phoenix's query server names them.
TEST_F(AvaticaTest, NamesTheFirstTableOfEachColumn) {
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  const uint32_t id = CreateStatement();
  Run(id, "CREATE TABLE s.u (k INTEGER PRIMARY KEY, \"low\" VARCHAR)");
  const auto names = [&](const std::string& sql) {
    std::string text;
    const pb::ResultSetResponse result = Run(id, sql);
    for (const pb::ColumnMetaData& column : result.signature().columns()) {
      EXPECT_EQ(column.schema_name(), "");
      text += column.table_name() + "/" + column.column_name() + (column.case_sensitive() ? "/exact " : " ");
    }
    return text;
  };
  EXPECT_EQ(names("SELECT v, k + 1 FROM t"), "T/V T/(K + 1) ");
  EXPECT_EQ(names("SELECT * FROM s.u"), "S.U/K S.U/low/exact ");
  EXPECT_EQ(names("SELECT a.k, b.k, v FROM t a JOIN s.u b ON a.k = b.k"), "A/A.K A/B.K A/V ");
  EXPECT_EQ(names("SELECT 1"), "/1/exact ");
  EXPECT_EQ(names("SELECT COUNT(*), COUNT(*) + 1 AS n, 1 AS \"one\" FROM s.u"),
            "S.U/COUNT(1)/exact S.U/(COUNT(1) + 1) S.U/1/exact ");
  EXPECT_EQ(names("SELECT q.n FROM (SELECT k AS n FROM t) q"), "T/N ");
  EXPECT_EQ(names("SELECT q.n FROM (SELECT COUNT(*) AS n FROM t) q"), "Q/N ");
  EXPECT_EQ(names("SELECT v FROM t UNION ALL SELECT v FROM t"), "unionSchemaName.unionTableName/V ");
  EXPECT_EQ(names("EXPLAIN SELECT v FROM t").substr(0, 16), "PLAN_TABLE/PLAN ");
}

TEST_F(AvaticaTest, CursorsBelongToTheConnection) {
  OpenConnection(/*auto_commit=*/true);
  Fill(10);
  const uint32_t declared = CreateStatement();
  EXPECT_EQ(Run(declared, "DECLARE c CURSOR FOR SELECT v FROM t").update_count(), 0U);
  Run(declared, "OPEN c");
  const uint32_t id = CreateStatement();
  const pb::ResultSetResponse result = Run(id, "FETCH NEXT 3 ROWS FROM c", /*frame=*/2);
  EXPECT_EQ(result.signature().columns(0).label(), "V");
  EXPECT_EQ(result.first_frame().rows_size(), 2);
  EXPECT_FALSE(result.first_frame().done());
  pb::FetchRequest fetch;
  fetch.set_connection_id("c");
  fetch.set_statement_id(id);
  fetch.set_offset(2);
  EXPECT_EQ(Call<pb::FetchResponse>("Fetch", fetch).frame().rows_size(), 1);
  EXPECT_EQ(Run(CreateStatement(), "FETCH NEXT FROM c").first_frame().rows(0).value(0).scalar_value().string_value(),
            "v3");
  Run(id, "CLOSE c");
}

TEST_F(AvaticaTest, NamesTheCaller) {
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  std::lock_guard lock(caller_mutex_);
  EXPECT_EQ(caller_.user, "alice");
  EXPECT_TRUE(caller_.address.starts_with("127.0.0.1:")) << caller_.address;
  EXPECT_EQ(caller_.door, Door::kSql);
}

TEST_F(AvaticaTest, AnIsolationLevelMakesTransactions) {
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  pb::ConnectionSyncRequest sync;
  sync.set_connection_id("c");
  sync.mutable_conn_props()->set_has_auto_commit(true);
  sync.mutable_conn_props()->set_transaction_isolation(4);  // repeatable read
  EXPECT_EQ(Call<pb::ConnectionSyncResponse>("ConnectionSync", sync).conn_props().transaction_isolation(), 4U);
  const uint32_t id = CreateStatement();
  auto count = [&] {
    return Run(id, "SELECT COUNT(*) FROM t").first_frame().rows(0).value(0).scalar_value().number_value();
  };
  const auto before = count();
  EXPECT_EQ(Run(id, "UPSERT INTO t VALUES (100, 'a')").update_count(), 1U);
  EXPECT_EQ(count(), before + 1);
  Call<pb::EmptyResponse>("Rollback", OnConnection());
  EXPECT_EQ(count(), before);
  Call<pb::DoneResponse>("CloseConnection", OnConnection());
}

TEST_F(AvaticaTest, CommitsAndRollsBack) {
  OpenConnection(/*auto_commit=*/false);
  Fill(3);
  uint32_t id = CreateStatement();
  auto count = [&] {
    return Run(id, "SELECT COUNT(*) FROM t").first_frame().rows(0).value(0).scalar_value().number_value();
  };
  Call<pb::EmptyResponse>("Rollback", OnConnection());
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(Run(id, "UPSERT INTO t VALUES (1, 'a')").update_count(), 1U);
  Call<pb::EmptyResponse>("Commit", OnConnection());
  EXPECT_EQ(count(), 1);
  Call<pb::DoneResponse>("CloseConnection", OnConnection());
}

TEST_F(AvaticaTest, OpensConnectionsWithTheirProperties) {
  pb::OpenConnectionRequest open;
  pb::InfoEntry* property = open.add_info();
  property->set_key("AutoCommit");
  pb::InfoEntry* schema = open.add_info();
  schema->set_key("schema");
  pb::InfoEntry* tenant = open.add_info();
  tenant->set_key("TenantId");
  tenant->set_value("acme");
  for (bool on : {false, true}) {
    const std::string id = on ? "on" : "off";
    open.set_connection_id(id);
    property->set_value(on ? "True" : "false");
    schema->set_value(on ? "s" : "\"s\"");
    Call<pb::DoneResponse>("OpenConnection", open);
    pb::ConnectionSyncRequest sync;
    sync.set_connection_id(id);
    const auto properties = Call<pb::ConnectionSyncResponse>("ConnectionSync", sync).conn_props();
    EXPECT_EQ(properties.auto_commit(), on);
    EXPECT_EQ(properties.schema(), on ? "S" : "s");
    pb::ConnectionRequest connection;
    connection.set_connection_id(id);
    const uint32_t statement = Call<pb::CreateStatementResponse>("CreateStatement", connection).statement_id();
    pb::PrepareAndExecuteRequest create = Statement(statement, "CREATE TABLE x (k INTEGER PRIMARY KEY)");
    create.set_connection_id(id);
    EXPECT_EQ(ErrorIn(Post("PrepareAndExecute", create)).error_code(), 1030U);  // a tenant cannot
  }
  pb::InfoEntry* scn = open.add_info();
  scn->set_key("CurrentSCN");
  open.set_connection_id("past");
  for (const char* const wrong : {"now", "-1", "12x", "99999999999999999999"}) {
    scn->set_value(wrong);
    EXPECT_NE(ErrorIn(Post("OpenConnection", open)).error_message().find("CurrentSCN is not a time"),
              std::string::npos);
  }
  scn->set_value("1000");
  Call<pb::DoneResponse>("OpenConnection", open);
  pb::ConnectionRequest past;
  past.set_connection_id("past");
  const uint32_t statement = Call<pb::CreateStatementResponse>("CreateStatement", past).statement_id();
  pb::PrepareAndExecuteRequest begin = Statement(statement, "BEGIN");
  begin.set_connection_id("past");
  EXPECT_NE(ErrorIn(Post("PrepareAndExecute", begin)).error_message().find("as of a time"), std::string::npos);
}

TEST_F(AvaticaTest, SaysWhatIsWrong) {
  OpenConnection(/*auto_commit=*/true);
  pb::ErrorResponse error = ErrorIn(Post("PrepareAndExecute", Statement(CreateStatement(), "SELECT * FROM nope")));
  EXPECT_EQ(error.error_code(), 1012U);
  EXPECT_EQ(error.sql_state(), "42M03");
  // Python's driver searches for this.
  EXPECT_NE(error.error_message().find(": ERROR 1012 (42M03): Table undefined. tableName=NOPE ->"), std::string::npos);
  EXPECT_TRUE(
      Call<pb::ExecuteResponse>("PrepareAndExecute", Statement(999, "SELECT 1"), "Execute").missing_statement());
  pb::ConnectionRequest other;
  other.set_connection_id("other");
  error = ErrorIn(Post("CreateStatement", other));
  EXPECT_EQ(error.error_code(), 1U);
  EXPECT_NE(error.error_message().find("NoSuchConnectionException"), std::string::npos);
  error = ErrorIn(Post("Unknown", other));
  EXPECT_NE(error.error_message().find("unknown Avatica call"), std::string::npos);
  EXPECT_EQ(http_->Get("/")->status, 405);
  EXPECT_EQ(http_->Post("/", "{\"request\":\"openConnection\"}", "application/json")->status, 500);
}

TEST_F(AvaticaTest, AnswersAboutMetadata) {
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  pb::TablesRequest tables;
  tables.set_connection_id("c");
  tables.set_table_name_pattern("T");
  tables.set_has_table_name_pattern(true);
  auto result = Call<pb::ResultSetResponse>("Tables", tables, "ResultSet");
  ASSERT_EQ(result.first_frame().rows_size(), 1);
  EXPECT_EQ(result.first_frame().rows(0).value(2).scalar_value().string_value(), "T");
  pb::ColumnsRequest columns;
  columns.set_connection_id("c");
  columns.set_table_name_pattern("T");
  EXPECT_EQ(Call<pb::ResultSetResponse>("Columns", columns, "ResultSet").first_frame().rows_size(), 2);
  Run(CreateStatement(),
      "CREATE TABLE m (k INTEGER NOT NULL, j VARCHAR(9) NOT NULL, n INTEGER, c VARCHAR, f.x DECIMAL(9,2) "
      "CONSTRAINT pk PRIMARY KEY (k, j))");
  Run(CreateStatement(), "CREATE INDEX mi ON m (n, UPPER(c), j) INCLUDE (f.x)");
  columns.set_table_name_pattern("MI");
  std::string described;
  const auto index = Call<pb::ResultSetResponse>("Columns", columns, "ResultSet");
  for (const pb::Row& row : index.first_frame().rows()) {
    described += row.value(2).scalar_value().string_value() + " " + row.value(3).scalar_value().string_value() + " " +
                 row.value(5).scalar_value().string_value() + " " +
                 std::to_string(row.value(6).scalar_value().number_value()) + " " +
                 row.value(12).scalar_value().string_value() + " " + row.value(17).scalar_value().string_value() + " " +
                 std::to_string(row.value(28).scalar_value().number_value()) + "\n";
  }
  EXPECT_EQ(described,
            "MI 0:N DECIMAL 0 N true 1\n"
            "MI : UPPER(C) VARCHAR 0  UPPER(C) true 2\n"
            "MI :J VARCHAR 9 \"J\" false 3\n"
            "MI :K INTEGER 0 \"K\" false 4\n"
            "MI F:X DECIMAL 9  true 0\n");
  pb::SchemasRequest schemas;
  schemas.set_connection_id("c");
  EXPECT_GE(Call<pb::ResultSetResponse>("Schemas", schemas, "ResultSet").first_frame().rows_size(), 1);
  EXPECT_EQ(Call<pb::ResultSetResponse>("TableTypes", OnConnection(), "ResultSet").first_frame().rows_size(), 5);
  EXPECT_EQ(Call<pb::ResultSetResponse>("TypeInfo", OnConnection(), "ResultSet").first_frame().rows_size(), 0);
  EXPECT_TRUE(Call<pb::ResultSetResponse>("Catalogs", OnConnection(), "ResultSet").first_frame().done());
  EXPECT_GE(Call<pb::DatabasePropertyResponse>("DatabaseProperty", OnConnection()).props_size(), 15);
}

TEST_F(AvaticaTest, RefusesQueriesInBatchesAndChangesOfReaders) {
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  pb::PrepareAndExecuteBatchRequest batch;
  batch.set_connection_id("c");
  batch.set_statement_id(CreateStatement());
  batch.add_sql_commands("SELECT * FROM t");
  EXPECT_EQ(ErrorIn(Post("PrepareAndExecuteBatch", batch)).error_code(), 1151U);
  pb::ConnectionSyncRequest sync;
  sync.set_connection_id("c");
  sync.mutable_conn_props()->set_read_only(true);
  sync.mutable_conn_props()->set_has_read_only(true);
  Call<pb::ConnectionSyncResponse>("ConnectionSync", sync);
  *batch.mutable_sql_commands(0) = "DELETE FROM t";
  EXPECT_EQ(ErrorIn(Post("PrepareAndExecuteBatch", batch)).error_code(), 518U);
  pb::PrepareAndExecuteRequest change;
  change.set_connection_id("c");
  change.set_statement_id(batch.statement_id());
  change.set_sql("DELETE FROM t");
  EXPECT_EQ(ErrorIn(Post("PrepareAndExecute", change)).error_code(), 518U);
  change.set_sql("SELECT * FROM t");
  EXPECT_EQ(Call<pb::ExecuteResponse>("PrepareAndExecute", change, "Execute").results(0).first_frame().rows_size(), 1);
}

TEST_F(AvaticaTest, AnswersCallsOfMetadataBySyncResults) {
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  Run(CreateStatement(), "CREATE INDEX by_v ON t (v)");
  pb::SyncResultsRequest request;
  request.set_connection_id("c");
  request.set_statement_id(CreateStatement());
  request.mutable_state()->set_type(pb::QueryState::METADATA);
  request.mutable_state()->set_op(pb::GET_PRIMARY_KEYS);
  request.mutable_state()->add_args()->set_type(pb::MetaDataOperationArgument::NULL_ARGUMENT);
  request.mutable_state()->add_args()->set_type(pb::MetaDataOperationArgument::NULL_ARGUMENT);
  request.mutable_state()->add_args()->set_string_value("T");
  EXPECT_TRUE(Call<pb::SyncResultsResponse>("SyncResults", request).more_results());
  pb::FetchRequest fetch;
  fetch.set_connection_id("c");
  fetch.set_statement_id(request.statement_id());
  EXPECT_EQ(Call<pb::FetchResponse>("Fetch", fetch).frame().rows(0).value(3).scalar_value().string_value(), "K");
  request.mutable_state()->set_op(pb::GET_INDEX_INFO);
  EXPECT_TRUE(Call<pb::SyncResultsResponse>("SyncResults", request).more_results());
  EXPECT_EQ(Call<pb::FetchResponse>("Fetch", fetch).frame().rows(0).value(5).scalar_value().string_value(), "BY_V");
  // _ is not a wildcard here. A missing table has no indexes, and its key is an error.
  request.mutable_state()->mutable_args(2)->set_string_value("_");
  EXPECT_FALSE(Call<pb::SyncResultsResponse>("SyncResults", request).more_results());
  request.mutable_state()->set_op(pb::GET_PRIMARY_KEYS);
  EXPECT_EQ(ErrorIn(Post("SyncResults", request)).error_code(), 1012U);
}

// As Phoenix's query server: clients make again what they miss.
TEST_F(AvaticaTest, ClosesWhatIsUnusedForLongest) {
  OpenConnection(/*auto_commit=*/true);
  Fill(3);
  const uint32_t used = CreateStatement();
  const uint32_t unused = CreateStatement();
  for (size_t i = 0; i < kMaxStatements; ++i) {
    CreateStatement();
    if (i % 100 == 0) {
      EXPECT_EQ(Run(used, "SELECT k FROM t").first_frame().rows_size(), 3);
    }
  }
  EXPECT_EQ(Run(used, "SELECT k FROM t").first_frame().rows_size(), 3);
  EXPECT_TRUE(Call<pb::ExecuteResponse>("PrepareAndExecute", Statement(unused, "SELECT k FROM t"), "Execute")
                  .missing_statement());
  pb::OpenConnectionRequest open;
  for (size_t i = 1; i < kMaxConnections + 20; ++i) {
    open.set_connection_id("c" + std::to_string(i));
    Call<pb::DoneResponse>("OpenConnection", open);
    if (i % 100 == 0) {
      EXPECT_EQ(Run(used, "SELECT k FROM t").first_frame().rows_size(), 3);
    }
  }
  EXPECT_EQ(Run(used, "SELECT k FROM t").first_frame().rows_size(), 3);
  pb::ConnectionRequest first;
  first.set_connection_id("c1");
  EXPECT_EQ(ErrorIn(Post("CreateStatement", first)).error_code(), 1U);  // NoSuchConnectionException
}

TEST_F(AvaticaTest, AStatementEndsWithItsClient) {
  OpenConnection(/*auto_commit=*/true);
  Fill(3000);
  const uint32_t id = CreateStatement();
  pb::WireMessage message;
  message.set_name("org.apache.calcite.avatica.proto.Requests$PrepareAndExecuteRequest");
  message.set_wrapped_message(
      Statement(id, "SELECT COUNT(*) FROM t a, t b, t c WHERE a.k + b.k + c.k < 0").SerializeAsString());
  const auto running = [] {
    const auto list = sql::ServedStatement::List();
    return std::ranges::any_of(list, [](const auto& one) { return one.text.starts_with("SELECT COUNT"); });
  };
  httplib::Client leaving("127.0.0.1", gateway_->port());
  std::thread client([&] { (void)leaving.Post("/", message.SerializeAsString(), "application/x-google-protobuf"); });
  while (!running()) {
    std::this_thread::yield();
  }
  leaving.stop();
  client.join();
  while (running()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(Run(id, "SELECT k FROM t WHERE k = 7").first_frame().rows_size(), 1);
}

TEST_F(AvaticaTest, ClosingAStatementEndsIt) {
  OpenConnection(/*auto_commit=*/true);
  Fill(3000);
  const uint32_t id = CreateStatement();
  std::thread client([&] {
    const pb::WireMessage answer =
        Post("PrepareAndExecute", Statement(id, "SELECT COUNT(*) FROM t a, t b, t c WHERE a.k + b.k + c.k < 0"));
    EXPECT_NE(ErrorIn(answer).error_message().find("Cancelled"), std::string::npos) << ErrorIn(answer).error_message();
  });
  while (sql::ServedStatement::List().empty()) {
    std::this_thread::yield();
  }
  pb::CloseStatementRequest close;
  close.set_connection_id("c");
  close.set_statement_id(id);
  pb::WireMessage message;
  message.set_name("org.apache.calcite.avatica.proto.Requests$CloseStatementRequest");
  message.set_wrapped_message(close.SerializeAsString());
  httplib::Client other("127.0.0.1", gateway_->port());
  EXPECT_EQ(other.Post("/", message.SerializeAsString(), "application/x-google-protobuf")->status, 200);
  client.join();
}

TEST_F(AvaticaTest, AClientMayAllowLessTime) {
  OpenConnection(/*auto_commit=*/true);
  Fill(3000);
  pb::OpenConnectionRequest open;
  open.set_connection_id("hasty");
  pb::InfoEntry* timeout = open.add_info();
  timeout->set_key("phoenix.query.timeoutMs");
  timeout->set_value("1");
  Call<pb::DoneResponse>("OpenConnection", open);
  pb::PrepareAndExecuteRequest request = Statement(0, "SELECT COUNT(*) FROM t a, t b, t c WHERE a.k + b.k + c.k < 0");
  request.set_connection_id("hasty");
  pb::ConnectionRequest on;
  on.set_connection_id("hasty");
  request.set_statement_id(Call<pb::CreateStatementResponse>("CreateStatement", on).statement_id());
  EXPECT_EQ(ErrorIn(Post("PrepareAndExecute", request)).error_code(), 6000U);
  timeout->set_value("soon");
  open.set_connection_id("wrong");
  EXPECT_NE(ErrorIn(Post("OpenConnection", open)).error_message().find("phoenix.query.timeoutMs"), std::string::npos);
}

TEST_F(AvaticaTest, EndsABatchWithItsConnection) {
  constexpr int kRows = 300'000;
  OpenConnection(/*auto_commit=*/true);
  Fill(1);
  pb::PrepareRequest prepare;
  prepare.set_connection_id("c");
  prepare.set_sql("UPSERT INTO t VALUES (?, 'x')");
  pb::ExecuteBatchRequest batch;
  batch.set_connection_id("c");
  batch.set_statement_id(Call<pb::PrepareResponse>("Prepare", prepare).statement().id());
  for (int i = 0; i < kRows; ++i) {
    *batch.add_updates()->add_parameter_values() = TypedOf(pb::INTEGER, i);
  }
  std::thread client([&] {
    EXPECT_NE(ErrorIn(Post("ExecuteBatch", batch)).error_message().find("the connection was closed"),
              std::string::npos);
  });
  auto session = *sql::Session::Open(connection_.get());
  auto count = [&](const std::string& rows_of) {
    auto rows = *session->Execute("SELECT COUNT(*) FROM " + rows_of);
    EXPECT_TRUE(*rows->Next());
    return rows->value(0).integer();
  };
  while (count("(SELECT * FROM t LIMIT 2)") < 2) {
  }
  pb::WireMessage message;
  message.set_name("org.apache.calcite.avatica.proto.Requests$CloseConnectionRequest");
  message.set_wrapped_message(OnConnection().SerializeAsString());
  httplib::Client other("127.0.0.1", gateway_->port());
  EXPECT_EQ(other.Post("/", message.SerializeAsString(), "application/x-google-protobuf")->status, 200);
  client.join();
  EXPECT_LT(count("t"), kRows);
}

TEST_F(AvaticaTest, ClosesIdleConnectionsWithoutBeingAsked) {
  ConnectionTable table(connection_.get(), {.idle_ms = 1});
  ASSERT_TRUE(table.Open("forgotten", {.auto_commit = false}, "", /*timeout_ms=*/0).ok());
  ASSERT_TRUE(table.Open("busy", {.auto_commit = false}, "", /*timeout_ms=*/0).ok());
  const std::weak_ptr<avatica::OpenConnection> forgotten = table.Find("forgotten");
  const std::shared_ptr<avatica::OpenConnection> busy = table.Find("busy");  // as a running call has it
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!forgotten.expired() && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(forgotten.expired());
  EXPECT_EQ(table.Find("busy"), busy);
  EXPECT_FALSE(table.Open("busy", {.auto_commit = false}, "", /*timeout_ms=*/0).ok());
  EXPECT_TRUE(table.Open("forgotten", {.auto_commit = false}, "", /*timeout_ms=*/0).ok());
}

// Any bytes get an answer.
TEST(AvaticaService, TakesAnyBytes) {
  TempDirectory directory;
  auto connection = Connection::Open("klip:" + directory.Sub("store"), {});
  ASSERT_TRUE(connection.ok());
  Service service(connection->get());
  std::mt19937 random(7);
  pb::WireMessage message;
  for (int i = 0; i < 5'000; ++i) {
    static const char* const kNames[] = {"OpenConnection", "ConnectionSync", "Prepare", "PrepareAndExecute", "Execute",
                                         "ExecuteBatch",   "Fetch",          "Tables",  "SyncResults",       "Schemas"};
    message.set_name("org.apache.calcite.avatica.proto.Requests$" + std::string(kNames[random() % 10]) + "Request");
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 64);
    }
    message.set_wrapped_message(bytes);
    EXPECT_FALSE(service.Answer(i % 10 == 0 ? bytes : message.SerializeAsString(), "here:1", "there:2").body.empty());
  }
}

}  // namespace
}  // namespace klip::avatica
