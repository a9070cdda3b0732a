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
};

// What a statement gives: rows, or a number of rows that it changed. Not thread-safe. Must not outlive its Session.
class Rows {
 public:
  virtual ~Rows() = default;

  // Empty for a statement that gives no rows.
  virtual const std::vector<Column>& columns() const = 0;
  // Rows upserted or deleted; -1 for a statement that gives rows. DDL: 0.
  virtual int64_t updated() const = 0;

  // Moves to the next row; false at the end.
  virtual Expected<bool> Next() = 0;

  // The value in the current row. Valid until Next. REQUIRES: 0 <= column < columns().size().
  virtual const Value& value(size_t column) const = 0;
};

// A statement that was parsed and checked, to be run any number of times. Not thread-safe. Must not outlive its Session.
class Statement {
 public:
  virtual ~Statement() = default;

  virtual const std::vector<Column>& columns() const = 0;  // empty: gives no rows
  // The types that the parameters (`?` in their order, or `:1`) are taken as; kNull: any.
  virtual const std::vector<DataType>& parameters() const = 0;

  // Errors: kInvalidArgument: too few values; a value that does not convert to its parameter's type.
  virtual Expected<std::unique_ptr<Rows>> Execute(std::span<const Value> values = {}) = 0;
};

struct SessionOptions {
  bool auto_commit = true;                    // false: changes are written by Commit, as JDBC's Phoenix does by default
  std::string schema = {};                    // of tables named without one; empty: the schema without a name
  int threads = 0;                            // that a scan of all rows may use; 0: one per core
  int64_t memory_bytes = int64_t{256} << 20;  // of groups, sorted rows and join tables of one statement
};

// What went wrong, in the terms of JDBC. Phoenix's numbers: 1012 (42M03) is an undefined table.
struct Error {
  int number = 0;         // 0: not an error of SQL
  std::string sql_state;  // five characters
};

// Of a Status that a call of this API returned; the message begins with "ERROR 1012 (42M03): ".
Error ErrorOf(const Status& status);

// Which tables a question about the catalog means. Patterns as in LIKE, nullopt: all.
struct TablePattern {
  std::optional<std::string> schema = std::nullopt;
  std::optional<std::string> table = std::nullopt;
  std::optional<std::string> column = std::nullopt;
  std::vector<std::string> types = {};  // "TABLE", "VIEW", "SYSTEM TABLE", "INDEX", "SEQUENCE"; empty: all
};

// Not thread-safe, but for Cancel. Must not outlive the Connection.
class Session {
 public:
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
  // A transaction that BEGIN or this session has begun; or, auto_commit off, changes of tables that are not TRANSACTIONAL, which wait and are
  // written in batches.
  virtual bool auto_commit() const = 0;
  virtual Status SetAutoCommit(bool on) = 0;  // on: commits what waits
  // Errors of a transaction: kTransactionConflict, Phoenix's 523: nothing is written, and it is over.
  virtual Status Commit() = 0;
  virtual Status Rollback() = 0;
  // Of transactions that begin after it. Set, with auto_commit off, all statements are parts of transactions. nullopt, which is the
  // default, stands for READ COMMITTED: only those on TRANSACTIONAL tables are, by snapshots.
  virtual void SetIsolation(std::optional<IsolationLevel> isolation) = 0;

  // --- The catalog, with the columns of JDBC's DatabaseMetaData.getTables, getColumns, getPrimaryKeys, getIndexInfo, getSchemas ---
  virtual Expected<std::unique_ptr<Rows>> Tables(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> Columns(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> PrimaryKeys(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> Indexes(const TablePattern& pattern) = 0;
  virtual Expected<std::unique_ptr<Rows>> Schemas(const TablePattern& pattern) = 0;

  // Ends the statement that runs, which fails with kCancelled. Any thread.
  virtual void Cancel() = 0;
};

}  // namespace klip::sql
