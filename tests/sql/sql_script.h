// Statements of SQL as compat/sql/src/RunScript.java runs them with Phoenix, with answers in the same words: the count of
// changed rows, columns with types and rows, or the number of the error.
//
// Some statements are the script's own:
//   TENANT name   opens a session of that tenant; without a name, of none
//   MARK          notes the time
//   SCN           opens a session as of then
//   REOPEN        closes the connection, and opens it and a session again
//   FLUSH table   writes the memory of the table of this stored name into a file
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "klip/connection.h"
#include "klip/sql.h"

namespace klip::ops {

class SqlScript {
 public:
  struct Options {
    std::string schema;     // of tables named without one
    bool messages = false;  // behind the numbers of errors, which Phoenix words otherwise
  };

  static Expected<std::unique_ptr<SqlScript>> Open(std::string uri, Options options);

  // The lines of the answer; none is empty.
  std::vector<std::string> Run(const std::string& sql);

  // Of the last error.
  const std::string& message() const { return message_; }

 private:
  SqlScript(std::string uri, Options options) : uri_(std::move(uri)), options_(std::move(options)) {}

  Status Reopen(sql::SessionOptions session);
  Expected<bool> RunOwn(const std::string& sql);
  Status Answer(const std::string& sql, std::vector<std::string>* lines);

  std::string uri_;
  Options options_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<sql::Session> session_;
  int64_t marked_ms_ = 0;
  std::string message_;
};

}  // namespace klip::ops
