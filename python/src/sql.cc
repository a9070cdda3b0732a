// SQL: sessions, statements, results.
#include <memory>
#include <vector>

#include "arrow.h"
#include "objects.h"
#include "signals.h"

namespace klip_python {
namespace {

PyTypeObject* sql_type = nullptr;
PyTypeObject* statement_type = nullptr;
PyTypeObject* result_type = nullptr;

// A session, which all of its statements and results work through.
struct Session {
  ~Session() {
    const WithoutGil released;
    klip_sql_free(sql);
  }
  Signals signals;
  klip_sql* sql = nullptr;
};

void FreeSession(Session* session) { delete session; }

// Statements and results keep the session's object alive as their parent.
template <typename Handle>
Session* SessionOf(PyObject* self) {
  return HandleOf<Session>(reinterpret_cast<Object<Handle>*>(self)->parent);
}

// Parameters: None, bool, int, float, str, bytes, or (type, integer, nanos, text) for the others.
class Values {
 public:
  bool Fill(PyObject* list) {
    const std::optional<Items> items = Items::Of(list);
    for (Py_ssize_t i = 0; items.has_value() && i < items->size(); ++i) {
      klip_value value = {};
      if (!Read((*items)[i], &value)) {
        return false;
      }
      values_.push_back(value);
    }
    return items.has_value();
  }
  const klip_value* data() const { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  bool Read(PyObject* object, klip_value* out) {
    if (object == Py_None) {
      out->type = KLIP_VALUE_NULL;
      return true;
    }
    if (PyBool_Check(object)) {
      out->type = KLIP_VALUE_BOOLEAN;
      out->integer = object == Py_True ? 1 : 0;
      return true;
    }
    if (PyLong_Check(object)) {
      out->type = KLIP_VALUE_INTEGER;
      return ToInt(object, &out->integer);
    }
    if (PyFloat_Check(object)) {
      out->type = KLIP_VALUE_REAL;
      out->real = PyFloat_AsDouble(object);
      return true;
    }
    if (!PyTuple_Check(object)) {
      out->type = PyUnicode_Check(object) ? KLIP_VALUE_TEXT : KLIP_VALUE_BYTES;
      return keeper_.Bytes(object, &out->bytes);
    }
    const std::optional<Items> items = Items::Of(object);
    return items.has_value() && CheckCount(items->size(), 4) && ToInt((*items)[0], &out->type) &&
           ToInt((*items)[1], &out->integer) && ToInt((*items)[2], &out->nanos) &&
           keeper_.Bytes((*items)[3], &out->bytes);
  }

  Keeper keeper_;
  std::vector<klip_value> values_;
};

// bool, int, float, str, bytes, None; DECIMAL as str; DATE and TIME in milliseconds, TIMESTAMP as (ms, nanos); lists.
Ref FromValue(const klip_value& value) {
  switch (value.type) {
    case KLIP_VALUE_BOOLEAN:
      return Ref(PyBool_FromLong(static_cast<long>(value.integer)));
    case KLIP_VALUE_INTEGER:
    case KLIP_VALUE_DATE:
    case KLIP_VALUE_TIME:
      return Ref(PyLong_FromLongLong(value.integer));
    case KLIP_VALUE_REAL:
      return Ref(PyFloat_FromDouble(value.real));
    case KLIP_VALUE_DECIMAL:
    case KLIP_VALUE_TEXT:
      return Ref(PyUnicode_DecodeUTF8(value.bytes.data, static_cast<Py_ssize_t>(value.bytes.size), "surrogateescape"));
    case KLIP_VALUE_BYTES:
      return FromBytes(value.bytes);
    case KLIP_VALUE_TIMESTAMP:
      return Ref(Py_BuildValue("(Li)", static_cast<long long>(value.integer), static_cast<int>(value.nanos)));
    case KLIP_VALUE_ARRAY: {
      Ref list(PyList_New(static_cast<Py_ssize_t>(value.integer)));
      for (int64_t i = 0; list && i < value.integer; ++i) {
        Ref item = FromValue(value.items[i]);
        if (!item) {
          return Ref();
        }
        PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), item.release());
      }
      return list;
    }
    default:
      return None();
  }
}

// --- Sessions ---

// execute(text, values) -> Result
Ref Execute(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Session* session = HandleOf<Session>(self);
  Keeper keeper;
  klip_bytes text;
  Values values;
  klip_result* result = nullptr;
  if (!CheckCount(count, 2) || !keeper.Bytes(arguments[0], &text) || !values.Fill(arguments[1]) ||
      !RunInterruptibly(&session->signals, [&](klip_error** error) {
        return klip_sql_execute(session->sql, text, values.data(), values.size(), &result, error);
      })) {
    return Ref();
  }
  return Wrap<klip_result, Free<klip_result, klip_result_free>>(result_type, result, self);
}

// prepare(text) -> Statement
Ref Prepare(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Session* session = HandleOf<Session>(self);
  Keeper keeper;
  klip_bytes text;
  klip_statement* statement = nullptr;
  if (!CheckCount(count, 1) || !keeper.Bytes(arguments[0], &text) ||
      !RunInterruptibly(&session->signals,
                        [&](klip_error** error) { return klip_sql_prepare(session->sql, text, &statement, error); })) {
    return Ref();
  }
  return Wrap<klip_statement, Free<klip_statement, klip_statement_free>>(statement_type, statement, self);
}

Ref Commit(PyObject* self, Arguments, Py_ssize_t) {
  Session* session = HandleOf<Session>(self);
  return RunInterruptibly(&session->signals, [&](klip_error** error) { return klip_sql_commit(session->sql, error); })
             ? None()
             : Ref();
}

Ref Rollback(PyObject* self, Arguments, Py_ssize_t) {
  Session* session = HandleOf<Session>(self);
  return RunInterruptibly(&session->signals, [&](klip_error** error) { return klip_sql_rollback(session->sql, error); })
             ? None()
             : Ref();
}

// set_auto_commit(on)
Ref SetAutoCommit(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Session* session = HandleOf<Session>(self);
  int on = 0;
  if (!CheckCount(count, 1) || !ToFlag(arguments[0], &on) ||
      !RunInterruptibly(&session->signals,
                        [&](klip_error** error) { return klip_sql_set_auto_commit(session->sql, on, error); })) {
    return Ref();
  }
  return None();
}

Ref Cancel(PyObject* self, Arguments, Py_ssize_t) {
  const WithoutGil released;
  klip_sql_cancel(HandleOf<Session>(self)->sql);
  return None();
}

PyMethodDef sql_methods[] = {
    Define<Execute>("execute"),
    Define<Prepare>("prepare"),
    Define<Commit>("commit"),
    Define<Rollback>("rollback"),
    Define<SetAutoCommit>("set_auto_commit"),
    Define<Cancel>("cancel"),
    {},
};

// --- Statements ---

// execute(values) -> Result
Ref ExecuteStatement(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Values values;
  klip_result* result = nullptr;
  if (!CheckCount(count, 1) || !values.Fill(arguments[0]) ||
      !RunInterruptibly(&SessionOf<klip_statement>(self)->signals, [&](klip_error** error) {
        return klip_statement_execute(HandleOf<klip_statement>(self), values.data(), values.size(), &result, error);
      })) {
    return Ref();
  }
  return Wrap<klip_result, Free<klip_result, klip_result_free>>(
      result_type, result, reinterpret_cast<Object<klip_statement>*>(self)->parent);
}

PyMethodDef statement_methods[] = {
    Define<ExecuteStatement>("execute"),
    {},
};

// --- Results ---

Ref Updated(PyObject* self, Arguments, Py_ssize_t) {
  return Ref(PyLong_FromLongLong(klip_result_updated(HandleOf<klip_result>(self))));
}

// fetch(max_rows) -> [(value, ...), ...]
Ref FetchRows(PyObject* self, Arguments arguments, Py_ssize_t count) {
  int64_t max_rows = 0;
  int64_t columns = 0;
  const klip_value* values = nullptr;
  size_t rows = 0;
  if (!CheckCount(count, 2) || !ToInt(arguments[0], &max_rows) || !ToInt(arguments[1], &columns) ||
      !RunInterruptibly(&SessionOf<klip_result>(self)->signals, [&](klip_error** error) {
        return klip_result_fetch(HandleOf<klip_result>(self), static_cast<size_t>(max_rows), &values, &rows, error);
      })) {
    return Ref();
  }
  Ref list(PyList_New(static_cast<Py_ssize_t>(rows)));
  for (size_t i = 0; list && i < rows; ++i) {
    Ref row(PyTuple_New(static_cast<Py_ssize_t>(columns)));
    for (int64_t c = 0; row && c < columns; ++c) {
      Ref value = FromValue(*values++);
      if (!value) {
        return Ref();
      }
      PyTuple_SetItem(row.get(), static_cast<Py_ssize_t>(c), value.release());
    }
    if (!row) {
      return Ref();
    }
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), row.release());
  }
  return list;
}

// arrow(batch_rows) -> capsule
Ref ResultArrow(PyObject* self, Arguments arguments, Py_ssize_t count) {
  int32_t batch_rows = 0;
  ArrowArrayStream stream;
  if (!CheckCount(count, 1) || !ToInt(arguments[0], &batch_rows) || !Run([&](klip_error** error) {
        return klip_result_arrow(HandleOf<klip_result>(self), batch_rows, &stream, error);
      })) {
    return Ref();
  }
  return MakeCapsule(stream);
}

PyMethodDef result_methods[] = {
    DefineFrom<klip_result_columns>("columns"),
    Define<Updated>("updated"),
    Define<FetchRows>("fetch"),
    Define<ResultArrow>("arrow"),
    {},
};

}  // namespace

Ref OpenSql(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> schema;
  Argument<const char*> tenant;
  Keeper keeper;
  klip_sql_options options = klip_sql_options_default();
  if (!CheckCount(count, 6) || !ToFlag(arguments[0], &options.auto_commit) || !schema.Read(arguments[1], &keeper) ||
      !ToInt(arguments[2], &options.threads) || !ToInt(arguments[3], options.memory_bytes, &options.memory_bytes) ||
      !tenant.Read(arguments[4], &keeper) || !ToInt(arguments[5], &options.as_of_ms)) {
    return Ref();
  }
  auto session = std::make_unique<Session>();
  options.schema = schema.value;
  options.tenant = tenant.value;
  options.interrupted = &Signals::Look;
  options.interrupted_argument = &session->signals;
  session->signals.BeginCall();
  if (!Run([&](klip_error** error) {
        return klip_sql_open(HandleOf<klip_connection>(self), &options, &session->sql, error);
      })) {
    return Ref();
  }
  return Wrap<Session, FreeSession>(sql_type, session.release(), self);
}

bool AddSqlTypes(PyObject* module) {
  PyType_Slot sql_slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<Session, FreeSession>)}, {Py_tp_methods, sql_methods}, {}};
  PyType_Slot statement_slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<klip_statement, Free<klip_statement, klip_statement_free>>)},
      {Py_tp_methods, statement_methods},
      {}};
  PyType_Slot result_slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<klip_result, Free<klip_result, klip_result_free>>)},
      {Py_tp_methods, result_methods},
      {}};
  sql_type = MakeType(module, "klip._klip.Sql", sizeof(Object<Session>), sql_slots);
  statement_type = MakeType(module, "klip._klip.Statement", sizeof(Object<klip_statement>), statement_slots);
  result_type = MakeType(module, "klip._klip.Result", sizeof(Object<klip_result>), result_slots);
  return sql_type != nullptr && statement_type != nullptr && result_type != nullptr;
}

}  // namespace klip_python
