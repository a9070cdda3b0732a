// SQL on any Connection: an embedded store, `klip serve`, an HBase cluster. The language is that of Apache Phoenix 5.2:
// docs/sql.md.
//
//   KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Session> session, sql::Session::Open(connection));
//   KLIP_ASSIGN_OR_RETURN(std::unique_ptr<sql::Rows> rows,
//                         session->Execute("SELECT name, visits FROM people WHERE day = ?", {sql::Value::Integer(7)}));
//   while (true) {
//     KLIP_ASSIGN_OR_RETURN(bool more, rows->Next());
//     if (!more) break;
//     std::cout << rows->value(0).ToString() << '\n';
//   }
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/connection.h"
#include "klip/sql_value.h"
#include "klip/status.h"

namespace klip::sql {

// A column of a result.
struct Column {
  std::string label;  // the alias, or the text of the expression as Phoenix writes it: "COUNT(1)"
  DataType type;
  bool nullable = true;
  std::string table = {};  // of a plain column: the table's name, its schema and the column's name; else empty
  std::string schema = {};
  std::string name = {};
  std::string source =
      {};  // of any column of a SELECT: the alias of its first table, or the table's name with its schema
  std::string expression = {};  // of an item that is no plain column: its text, which an alias as label hides
  bool case_sensitive = false;  // as JDBC says it: a name with lower-case letters, or an expression without names
};

// The result of a statement: rows, or the number of rows that it changed. Not thread-safe. Must not outlive its Session.
class Rows {
 public:
  virtual ~Rows() = default;

  // Empty for a statement that returns no rows.
  virtual const std::vector<Column>& columns() const = 0;
  // Rows upserted or deleted; -1 for a statement that returns rows. DDL: 0.
  virtual int64_t updated() const = 0;

  // Moves to the next row; false at the end.
  virtual Expected<bool> Next() = 0;

  // The value in the current row. Valid until Next. REQUIRES: 0 <= column < columns().size().
  virtual const Value& value(size_t column) const = 0;

  // Bytes of intermediate rows that were written to a temporary file, because memory_bytes did not suffice.
  virtual int64_t temporary_bytes() const { return 0; }
};

// A prepared statement, which can run any number of times. Not thread-safe. Must not outlive its Session.
class Statement {
 public:
  virtual ~Statement() = default;

  virtual const std::vector<Column>& columns() const = 0;  // empty: returns no rows
  // The types of the parameters (`?` in their order, or `:1`); kNull: any.
  virtual const std::vector<DataType>& parameters() const = 0;

  // Errors: kInvalidArgument: too few values; a value that does not convert to its parameter's type.
  virtual Expected<std::unique_ptr<Rows>> Execute(std::span<const Value> values = {}) = 0;
};

struct SessionOptions {
  bool auto_commit = true;  // false: Commit writes the changes, as by default in JDBC
  std::string schema = {};  // for table names without one; empty: the schema without a name
  // As with Phoenix's TenantId: the session sees only this tenant's rows of MULTI_TENANT tables, and has views and sequences
  // of its own. Empty: all rows. This is not access control.
  std::string tenant = {};
  // As with Phoenix's CurrentSCN: the session reads what was written before this time, in milliseconds since 1970, and writes with
  // this timestamp. It sees data that has since been overwritten or deleted as long as the table keeps that: VERSIONS,
  // KEEP_DELETED_CELLS. 0: now.
  int64_t as_of_ms = 0;
  int threads = 0;  // maximum of threads for a scan of all rows; 0: one per core
  int64_t memory_bytes =
      int64_t{256} << 20;  // for groups, sorted rows and joins of one statement; more goes to a temporary file
  std::string temporary_directory = {};         // of this file; empty: $TMPDIR, or /var/tmp
  int64_t temporary_bytes = int64_t{16} << 30;  // limit of this file; a statement that needs more fails with error 999
};

// An error in JDBC's terms, with Phoenix's numbers: 1012 (42M03) is an undefined table.
struct Error {
  int number = 0;         // 0: not an error of SQL
  std::string sql_state;  // five characters
};

// Parses a Status that a call of this API returned; its message begins with "ERROR 1012 (42M03): ".
Error ErrorOf(const Status& status);

// For programs that open stores without sessions: links SQL, which computes indexes on SQL expressions. Without it, writes to a table with
// such an index fail. A program that calls Session::Open needs no call.
void MaintainIndexes();

// Selects tables in the catalog. Patterns as in LIKE; nullopt: all.
struct TablePattern {
  std::optional<std::string> catalog = std::nullopt;  // a tenant; "": of none
  std::optional<std::string> schema = std::nullopt;
  std::optional<std::string> table = std::nullopt;
  std::optional<std::string> column = std::nullopt;
  std::vector<std::string> types = {};  // "TABLE", "VIEW", "SYSTEM TABLE", "INDEX", "SEQUENCE"; empty: all
};

// Not thread-safe, except for Cancel and rows_read. Must not outlive the Connection.
class Session {
 public:
  // Errors: kInvalidArgument: a tenant with a zero byte; as_of_ms below 0.
  static Expected<std::unique_ptr<Session>> Open(Connection* connection, SessionOptions options = {});
  virtual ~Session() = default;

  // Errors: kInvalidArgument with Phoenix's number and text: a syntax error with line and column, an unknown name, types that
  // do not fit.
  virtual Expected<std::unique_ptr<Statement>> Prepare(std::string_view sql) = 0;

  // Prepares and runs one statement.
  virtual Expected<std::unique_ptr<Rows>> Execute(std::string_view sql, std::span<const Value> values = {}) = 0;
  Expected<std::unique_ptr<Rows>> Execute(std::string_view sql, std::initializer_list<Value> values) {
    return Execute(sql, std::span(values.begin(), values.size()));
  }

  // --- Transactions (docs/transactions.md) ---
  // Commit and Rollback end the transaction that BEGIN or the session began. With auto_commit off, they also write or discard the waiting
  // changes of tables that are not TRANSACTIONAL; these are written in batches.
  virtual bool auto_commit() const = 0;
  virtual Status SetAutoCommit(bool on) = 0;  // on: commits waiting changes
  // Errors of a transaction: kTransactionConflict, Phoenix's 523: nothing is written, and the transaction has ended.
  virtual Status Commit() = 0;
  virtual Status Rollback() = 0;
  // For transactions that begin later. If it is set and auto_commit is off, all statements belong to transactions. nullopt, the default,
  // means READ COMMITTED: only statements on TRANSACTIONAL tables do, with kSnapshot.
  virtual void SetIsolation(std::optional<IsolationLevel> isolation) = 0;

  // --- The catalog, with the columns of JDBC's DatabaseMetaData.getTables, getColumns, getPrimaryKeys, getIndexInfo, getSchemas ---
  virtual Expected<std::unique_ptr<Rows>> Tables(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> Columns(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> PrimaryKeys(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> Indexes(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> Schemas(const TablePattern& pattern) = 0;

  // Rows that scans have returned to the running statement, or else to the last one. May be called from any thread.
  virtual int64_t rows_read() const = 0;
  // Cancels the running statement, which fails with kCancelled. May be called from any thread.
  virtual void Cancel() = 0;
};

}  // namespace klip::sql
