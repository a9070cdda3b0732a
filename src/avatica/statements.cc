#include "avatica/statements.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "avatica/wire.h"
#include "base/errors.h"

namespace klip::avatica {

Status OpenStatement::Begin(std::unique_ptr<sql::Rows> from) {
  rows = std::move(from);
  sent = 0;
  done = rows->columns().empty();
  waiting = false;
  return Advance();
}

Status OpenStatement::Advance() {
  if (done || waiting) {
    return Status::Ok();
  }
  waiting = false;
  done = true;  // also after an error
  if (most > 0 && sent >= most) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(waiting, rows->Next());
  done = !waiting;
  return Status::Ok();
}

Status OpenStatement::WriteFrame(int64_t rows_wanted, pb::Frame* frame) {
  int64_t limit = std::min(rows_wanted > 0 ? rows_wanted : kDefaultFrameRows, kMaxFrameRows);
  const std::vector<sql::Column>& columns = rows->columns();
  frame->set_offset(sent);
  size_t bytes = 0;
  while (waiting && frame->rows_size() < limit && bytes < kMaxFrameBytes) {
    pb::Row* row = frame->add_rows();
    for (size_t i = 0; i < columns.size(); ++i) {
      WriteValue(rows->value(i), columns[i].type, row->add_value());
    }
    bytes += row->ByteSizeLong();
    ++sent;
    waiting = false;
    KLIP_RETURN_IF_ERROR(Advance());
  }
  frame->set_done(done);
  return Status::Ok();
}

Status OpenStatement::Skip(uint64_t rows_passed) {
  while (waiting && sent < rows_passed) {
    ++sent;
    waiting = false;
    KLIP_RETURN_IF_ERROR(Advance());
  }
  return Status::Ok();
}

void OpenConnection::Close() {
  closed = true;
  session->Cancel();
}

uint32_t OpenConnection::AddStatement() {
  if (statements.size() >= kMaxStatements) {
    statements.erase(
        std::ranges::min_element(statements, {}, [](const auto& statement) { return statement.second.used; }));
  }
  statements[next_statement].used = ++uses;
  return next_statement++;
}

OpenStatement* OpenConnection::Find(uint32_t id) {
  const auto found = statements.find(id);
  if (found == statements.end()) {
    return nullptr;
  }
  found->second.used = ++uses;
  return &found->second;
}

Status ConnectionTable::Open(const std::string& id, sql::SessionOptions options, const std::string& user,
                             int64_t timeout_ms) {
  auto connection = std::make_shared<OpenConnection>(limits_.memory);
  connection->user = user;
  if (limits_.memory != nullptr) {
    options.memory_bytes = std::min(options.memory_bytes, static_cast<int64_t>(limits_.memory->largest()));
  }
  const bool less = timeout_ms > 0 && (limits_.timeout_ms == 0 || timeout_ms < limits_.timeout_ms);
  KLIP_ASSIGN_OR_RETURN(
      connection->session,
      sql::ServedSession::Open(connection_, options,
                               {.memory = &connection->memory, .timeout_ms = less ? timeout_ms : limits_.timeout_ms}));
  connection->properties.set_transaction_isolation(2);  // read committed
  connection->properties.set_schema(options.schema);
  while (true) {
    switch (open_.Add(id, connection)) {
      case decltype(open_)::Added::kTaken:
        return base::Invalid("Connection already exists: " + id);
      case decltype(open_)::Added::kFull:
        if (!open_.CloseOldest()) {
          return base::Invalid("there are " + std::to_string(kMaxConnections) + " connections with running statements");
        }
        break;
      case decltype(open_)::Added::kYes:
        return Status::Ok();
    }
  }
}

void ConnectionTable::Close(const std::string& id) {
  if (const std::shared_ptr<OpenConnection> connection = open_.Take(id); connection != nullptr) {
    connection->Close();
  }
}

void ConnectionTable::CloseAll() {
  for (const std::shared_ptr<OpenConnection>& connection : open_.TakeAll()) {
    connection->Close();
  }
}

}  // namespace klip::avatica
