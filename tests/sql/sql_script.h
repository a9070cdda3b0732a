// Statements of SQL as compat/sql/src/RunScript.java runs them with Phoenix, with answers in the same words: the count of
// changed rows, columns with types and rows, or the number of the error.
//
// Some statements are the script's own:
//   TENANT name   opens a session of that tenant; without a name, of none
//   MARK          notes the time
//   SCN           opens a session as of then; SCN ms, as of this time
//   SESSION name  continues with the session of this name, or opens it; without a name, with the first one
//   REOPEN        closes the connection, and opens it and a session again
//   FLUSH table   writes the memory of the table of this stored name into a file; COMPACT table joins its files
//   JDBC autocommit off, JDBC autocommit on, JDBC commit, JDBC rollback    what a Connection of JDBC has methods for
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "klip/connection.h"
#include "klip/sql.h"

namespace klip::ops {

class SqlScript {
 public:
  // `schema`: of tables named without one.
  static Expected<std::unique_ptr<SqlScript>> Open(std::string uri, std::string schema = "");

  // The lines of the answer; none is empty.
  std::vector<std::string> Run(const std::string& sql);

  // The text of the error, without its number, as one line; empty if the last statement did not fail.
  const std::string& message() const { return message_; }

 private:
  SqlScript(std::string uri, std::string schema) : uri_(std::move(uri)), schema_(std::move(schema)) {}

  Status Reopen(sql::SessionOptions session);
  std::string Stored(const std::string& table) const;
  Expected<bool> RunOwn(const std::string& sql);
  Status RunJdbc(const std::string& method);
  Status Answer(const std::string& sql, std::vector<std::string>* lines);

  std::string uri_;
  std::string schema_;
  std::unique_ptr<Connection> connection_;
  std::map<std::string, std::unique_ptr<sql::Session>> sessions_;  // by the name that SESSION gave it
  std::string current_;
  int64_t marked_ms_ = 0;
  std::string message_;
};

}  // namespace klip::ops
