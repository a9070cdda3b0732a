// SQL: sessions, statements, results.
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "capi/arrow_stream.h"
#include "capi/call.h"
#include "capi/json.h"
#include "capi/requests.h"

using klip::Status;
using klip::capi::Missing;

namespace {

// Runs `work(session)` for a session, a statement or a result, which one thread uses at a time.
template <typename Handle, typename Work>
klip_code CallSession(Handle* handle, klip_error** error, Work work) {
  return klip::capi::CallChild(handle, error, [&](klip_session& session) -> Status {
    const klip::capi::Turnstile::Turn turn(&session.turnstile);
    const klip::CancelScope scope(session.NewToken());
    return turn.ok() ? work(*session.session) : klip::capi::Busy();
  });
}

template <typename Made>
void Give(Made* made, Made** out) {
  made->gate->Enlist(made);
  *out = made;
}

klip_value Kind(klip_value_type type) {
  klip_value value = {};
  value.type = type;
  return value;
}

klip_bytes Keep(std::string text, klip_result* result) {
  return klip::capi::Bytes(result->texts.emplace_back(std::move(text)));
}

klip_value ToC(const klip::sql::Value& value, klip_result* result);

// By what the value holds.
struct Converter {
  const klip::sql::Value& value;
  klip_result* result;

  klip_value operator()(std::monostate /*null*/) const { return Kind(KLIP_VALUE_NULL); }
  klip_value operator()(bool held) const {
    klip_value out = Kind(KLIP_VALUE_BOOLEAN);
    out.integer = held ? 1 : 0;
    return out;
  }
  klip_value operator()(int64_t held) const {
    using klip::sql::Type;
    const Type type = value.type();
    klip_value out = Kind(type == Type::kDate || type == Type::kUnsignedDate   ? KLIP_VALUE_DATE
                          : type == Type::kTime || type == Type::kUnsignedTime ? KLIP_VALUE_TIME
                                                                               : KLIP_VALUE_INTEGER);
    out.integer = held;
    return out;
  }
  klip_value operator()(double held) const {
    klip_value out = Kind(KLIP_VALUE_REAL);
    out.real = held;
    return out;
  }
  klip_value operator()(const klip::sql::Decimal& held) const {
    klip_value out = Kind(KLIP_VALUE_DECIMAL);
    out.bytes = Keep(held.ToString(), result);
    return out;
  }
  klip_value operator()(const std::string& held) const {
    using klip::sql::Type;
    const bool text = value.type() == Type::kVarchar || value.type() == Type::kChar;
    klip_value out = Kind(text ? KLIP_VALUE_TEXT : KLIP_VALUE_BYTES);
    out.bytes = value.type() == Type::kChar ? Keep(value.ToString(), result) : Keep(held, result);
    return out;
  }
  klip_value operator()(const klip::sql::Value::Timestamp& held) const {
    klip_value out = Kind(KLIP_VALUE_TIMESTAMP);
    out.integer = held.ms;
    out.nanos = held.nanos;
    return out;
  }
  klip_value operator()(const klip::sql::Value::Array& held) const {
    std::vector<klip_value> items;
    items.reserve(held.size());
    for (const klip::sql::Value& item : held) {
      items.push_back(ToC(item, result));
    }
    klip_value out = Kind(KLIP_VALUE_ARRAY);
    out.integer = static_cast<int64_t>(items.size());
    out.items = result->items.emplace_back(std::move(items)).data();
    return out;
  }
};

klip_value ToC(const klip::sql::Value& value, klip_result* result) {
  return std::visit(Converter{value, result}, value.data());
}

Status Fetch(klip_result* result, size_t max_rows, size_t* rows) {
  result->values.clear();
  result->texts.clear();
  result->items.clear();
  const size_t columns = result->rows->columns().size();
  for (*rows = 0; columns > 0 && *rows < max_rows; ++*rows) {
    KLIP_ASSIGN_OR_RETURN(const bool more, result->rows->Next());
    if (!more) {
      break;
    }
    for (size_t i = 0; i < columns; ++i) {
      result->values.push_back(ToC(result->rows->value(i), result));
    }
  }
  return Status::Ok();
}

// Runs `execute(values)` and returns its rows. REQUIRES: inside a call on the handle.
template <typename Handle, typename Execute>
Status Run(Handle* handle, const klip_value* values, size_t count, klip_result** result, Execute execute) {
  if (result == nullptr) {
    return Missing("result");
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<klip::sql::Value> bound, klip::capi::ToValues(values, count));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<klip::sql::Rows> rows, execute(bound));
  Give(new klip_result(handle->gate, handle->inner, std::move(rows)), result);
  return Status::Ok();
}

}  // namespace

extern "C" {

klip_code klip_sql_open(klip_connection* connection, const klip_sql_options* options, klip_sql** sql,
                        klip_error** error) {
  return klip::capi::CallConnection(connection, error, [&](klip::Connection& inner) -> Status {
    if (sql == nullptr) {
      return Missing("sql");
    }
    KLIP_ASSIGN_OR_RETURN(const klip_sql_options given, klip::capi::ToSqlOptions(options));
    klip::sql::SessionOptions from = {.auto_commit = given.auto_commit != 0,
                                      .schema = given.schema == nullptr ? "" : given.schema,
                                      .tenant = given.tenant == nullptr ? "" : given.tenant,
                                      .as_of_ms = given.as_of_ms,
                                      .threads = given.threads,
                                      .memory_bytes = given.memory_bytes};
    auto session = std::make_shared<klip_session>();
    session->interrupted = given.interrupted;
    session->interrupted_argument = given.interrupted_argument;
    KLIP_ASSIGN_OR_RETURN(session->session, klip::sql::Session::Open(&inner, std::move(from)));
    Give(new klip_sql(connection->gate, std::move(session)), sql);
    return Status::Ok();
  });
}

void klip_sql_free(klip_sql* sql) { klip::capi::FreeChild(sql); }

klip_code klip_sql_execute(klip_sql* sql, klip_bytes text, const klip_value* values, size_t value_count,
                           klip_result** result, klip_error** error) {
  return CallSession(sql, error, [&](klip::sql::Session& session) -> Status {
    KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(text, "text"));
    return Run(sql, values, value_count, result, [&](const std::vector<klip::sql::Value>& bound) {
      return session.Execute(klip::capi::View(text), bound);
    });
  });
}

klip_code klip_sql_prepare(klip_sql* sql, klip_bytes text, klip_statement** statement, klip_error** error) {
  return CallSession(sql, error, [&](klip::sql::Session& session) -> Status {
    if (statement == nullptr) {
      return Missing("statement");
    }
    KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(text, "text"));
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<klip::sql::Statement> prepared, session.Prepare(klip::capi::View(text)));
    Give(new klip_statement(sql->gate, sql->inner, std::move(prepared)), statement);
    return Status::Ok();
  });
}

klip_code klip_statement_execute(klip_statement* statement, const klip_value* values, size_t value_count,
                                 klip_result** result, klip_error** error) {
  return CallSession(statement, error, [&](klip::sql::Session&) {
    return Run(statement, values, value_count, result,
               [&](const std::vector<klip::sql::Value>& bound) { return statement->statement->Execute(bound); });
  });
}

void klip_statement_free(klip_statement* statement) { klip::capi::FreeChild(statement); }

klip_code klip_sql_set_auto_commit(klip_sql* sql, int on, klip_error** error) {
  return CallSession(sql, error, [&](klip::sql::Session& session) { return session.SetAutoCommit(on != 0); });
}

klip_code klip_sql_commit(klip_sql* sql, klip_error** error) {
  return CallSession(sql, error, [](klip::sql::Session& session) { return session.Commit(); });
}

klip_code klip_sql_rollback(klip_sql* sql, klip_error** error) {
  return CallSession(sql, error, [](klip::sql::Session& session) { return session.Rollback(); });
}

void klip_sql_cancel(klip_sql* sql) {
  klip::capi::CallChild(sql, nullptr, [](klip_session& session) {
    session.session->Cancel();
    return Status::Ok();
  });
}

klip_code klip_result_columns(klip_result* result, char** json, klip_error** error) {
  return CallSession(result, error, [&](klip::sql::Session&) {
    return result->rows == nullptr ? klip::capi::RowsAreGone()
                                   : klip::capi::GiveText(klip::capi::ToJson(result->rows->columns()), json);
  });
}

int64_t klip_result_updated(const klip_result* result) { return result == nullptr ? 0 : result->updated; }

klip_code klip_result_fetch(klip_result* result, size_t max_rows, const klip_value** values, size_t* rows,
                            klip_error** error) {
  return CallSession(result, error, [&](klip::sql::Session&) -> Status {
    if (values == nullptr || rows == nullptr) {
      return Missing(values == nullptr ? "values" : "rows");
    }
    if (max_rows == 0) {
      return {klip::Code::kInvalidArgument, "max_rows is 0"};
    }
    if (result->rows == nullptr) {
      return klip::capi::RowsAreGone();
    }
    size_t fetched = 0;
    KLIP_RETURN_IF_ERROR(Fetch(result, max_rows, &fetched));
    *values = result->values.data();
    *rows = fetched;
    return Status::Ok();
  });
}

klip_code klip_result_arrow(klip_result* result, int batch_rows, struct ArrowArrayStream* stream, klip_error** error) {
  return CallSession(result, error, [&](klip::sql::Session&) -> Status {
    if (stream == nullptr) {
      return Missing("stream");
    }
    if (result->rows == nullptr) {
      return klip::capi::RowsAreGone();
    }
    ArrowArrayStream inner;
    KLIP_RETURN_IF_ERROR(klip::SqlArrow(std::move(result->rows), batch_rows, &inner));
    klip::capi::GiveStream(result->gate, result->inner, inner, stream);
    return Status::Ok();
  });
}

void klip_result_free(klip_result* result) { klip::capi::FreeChild(result); }

int klip_error_sql_number(const klip_error* error) { return error == nullptr ? 0 : error->sql.number; }

const char* klip_error_sql_state(const klip_error* error) {
  return error == nullptr ? "" : error->sql.sql_state.c_str();
}

}  // extern "C"
