#include "sql/sql_script.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <utility>

namespace klip::ops {
namespace {

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A millisecond in which nothing is written.
int64_t Mark() {
  const auto pass = [](int64_t moment) {
    while (NowMs() <= moment) {
    }
  };
  pass(NowMs());
  const int64_t now = NowMs();
  pass(now);
  return now;
}

// As one line that is not empty.
std::string Line(std::string_view text) {
  if (text.empty()) {
    return "(empty)";
  }
  std::string line;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      std::array<char, 8> escaped;
      snprintf(escaped.data(), escaped.size(), "\\x%02X", static_cast<unsigned>(c));
      line += escaped.data();
    } else {
      line += c;
    }
  }
  return line;
}

// What a ResultSet of JDBC shows: what klip prints, but for the width of types.
Status Print(sql::Rows* rows, std::vector<std::string>* lines) {
  if (rows->updated() >= 0) {
    lines->push_back(std::to_string(rows->updated()) + " changed");
    return Status::Ok();
  }
  std::string line = "columns";
  for (size_t i = 0; i < rows->columns().size(); ++i) {
    sql::DataType type = rows->columns()[i].type;
    type.max_length = type.precision = 0;
    line += (i == 0 ? " " : " | ") + rows->columns()[i].label + ' ' + ToString(type);
  }
  lines->push_back(Line(line));
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next());
    if (!more) {
      return Status::Ok();
    }
    line.clear();
    for (size_t i = 0; i < rows->columns().size(); ++i) {
      line += (i == 0 ? "" : " | ") + rows->value(i).ToString();
    }
    lines->push_back(Line(line));
  }
}

// The rest of a statement `WORD rest`.
bool IsOwn(const std::string& sql, std::string_view word, std::string* rest) {
  if (sql != word && !(sql.starts_with(word) && sql[word.size()] == ' ')) {
    return false;
  }
  *rest = sql == word ? "" : sql.substr(word.size() + 1);
  return true;
}

}  // namespace

Expected<std::unique_ptr<SqlScript>> SqlScript::Open(std::string uri, std::string schema) {
  std::unique_ptr<SqlScript> script(new SqlScript(std::move(uri), std::move(schema)));
  KLIP_RETURN_IF_ERROR(script->Reopen({}));
  return script;
}

Status SqlScript::Reopen(sql::SessionOptions session) {
  if (connection_ == nullptr) {
    KLIP_ASSIGN_OR_RETURN(connection_, Connection::Open(uri_, {.sync_wal = false}));
  }
  session.schema = schema_;
  KLIP_ASSIGN_OR_RETURN(sessions_[current_], sql::Session::Open(connection_.get(), session));
  return Status::Ok();
}

// The stored name of a table.
std::string SqlScript::Stored(const std::string& table) const {
  return schema_.empty() ? table : schema_ + "." + table;
}

// A statement of the script's own; false: of SQL.
Expected<bool> SqlScript::RunOwn(const std::string& sql) {
  std::string rest;
  if (IsOwn(sql, "MARK", &rest)) {
    marked_ms_ = Mark();
  } else if (IsOwn(sql, "SCN", &rest)) {
    KLIP_RETURN_IF_ERROR(Reopen({.as_of_ms = rest.empty() ? marked_ms_ : std::stoll(rest)}));
  } else if (IsOwn(sql, "TENANT", &rest)) {
    KLIP_RETURN_IF_ERROR(Reopen({.tenant = rest}));
  } else if (IsOwn(sql, "SESSION", &rest)) {
    current_ = rest;
    KLIP_RETURN_IF_ERROR(sessions_.contains(rest) ? Status::Ok() : Reopen({}));
  } else if (IsOwn(sql, "REOPEN", &rest)) {
    sessions_.clear();
    current_.clear();
    connection_.reset();
    KLIP_RETURN_IF_ERROR(Reopen({}));
  } else if (IsOwn(sql, "FLUSH", &rest)) {
    KLIP_RETURN_IF_ERROR(connection_->admin().Flush(Stored(rest)));
  } else if (IsOwn(sql, "COMPACT", &rest)) {
    KLIP_RETURN_IF_ERROR(connection_->admin().MajorCompact(Stored(rest)));
  } else if (IsOwn(sql, "JDBC", &rest)) {
    KLIP_RETURN_IF_ERROR(RunJdbc(rest));
  } else {
    return false;
  }
  return true;
}

Status SqlScript::RunJdbc(const std::string& method) {
  sql::Session& session = *sessions_[current_];
  if (method == "commit") {
    return session.Commit();
  }
  if (method == "rollback") {
    return session.Rollback();
  }
  if (method == "autocommit on" || method == "autocommit off") {
    return session.SetAutoCommit(method == "autocommit on");
  }
  return Status(Code::kInvalidArgument, "JDBC " + method + ": autocommit on, autocommit off, commit or rollback");
}

Status SqlScript::Answer(const std::string& sql, std::vector<std::string>* lines) {
  KLIP_ASSIGN_OR_RETURN(const bool own, RunOwn(sql));
  if (own) {
    lines->emplace_back("ok");
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Rows> rows, sessions_[current_]->Execute(sql, {}));
  return Print(rows.get(), lines);
}

std::vector<std::string> SqlScript::Run(const std::string& sql) {
  std::vector<std::string> lines;
  const Status status = Answer(sql, &lines);
  message_.clear();
  if (status.ok()) {
    return lines;
  }
  const sql::Error error = sql::ErrorOf(status);
  const std::string& text = status.message();
  message_ = Line(error.number == 0 ? text : text.substr(std::min(text.size(), text.find("): ") + 3)));
  // Without the rows before it, whose number depends on when a client asks for them.
  return {"error " + std::to_string(error.number) + ' ' + (error.sql_state.empty() ? "null" : error.sql_state)};
}

}  // namespace klip::ops
