// Scanners: Python iterators that fetch rows many at a time without the GIL, and end when Python has a signal to handle.
#include <algorithm>
#include <memory>

#include "objects.h"
#include "rows.h"
#include "signals.h"

namespace klip_python {
namespace {

PyTypeObject* scanner_type = nullptr;

// TUNING: the first rows come soon; from some thousand cells on, taking and leaving the GIL costs nothing per row.
constexpr size_t kFirstRows = 16;
constexpr size_t kMostRows = 1024;
// The state of a Python scanner. All members are used with the GIL, except those that next() passes to klip.
struct State {
  explicit State(RowForm form) : maker(form) {}
  ~State() {
    const WithoutGil released;
    klip_scanner_free(scanner);
  }

  RowMaker maker;
  Signals signals;
  klip_scanner* scanner = nullptr;  // null: closed
  const klip_rows* rows = nullptr;  // being handed out
  size_t next = 0;
  size_t most = kFirstRows;
  bool at_end = false;
  bool busy = false;     // a thread is fetching
  bool closing = false;  // it frees the scanner when it is done
};

void FreeState(State* state) { delete state; }

void Close(State* state) {
  if (state->busy) {
    state->closing = true;
    klip_scanner_cancel(state->scanner);
    return;
  }
  klip_scanner* scanner = std::exchange(state->scanner, nullptr);
  state->rows = nullptr;
  state->at_end = true;
  const WithoutGil released;
  klip_scanner_free(scanner);
}

bool CheckFree(const State& state) {
  if (state.busy) {
    PyErr_SetString(PyExc_ValueError, "another thread is using the scanner");
  }
  return !state.busy;
}

// The next rows; none at the end.
bool Fetch(State* state) {
  state->busy = true;
  state->signals.BeginCall();
  klip_error* error = nullptr;
  klip_code code;
  {
    const WithoutGil released;
    code = klip_scanner_next(state->scanner, state->most, &state->rows, &error);
  }
  state->busy = false;
  state->next = 0;
  state->most = std::min(state->most * 2, kMostRows);
  if (code != KLIP_OK) {
    state->rows = nullptr;
    state->at_end = true;
  }
  if (state->closing) {
    Close(state);
  }
  if (code == KLIP_OK) {
    return true;
  }
  if (state->signals.raised()) {  // Python's exception is set already: KeyboardInterrupt, most often
    klip_error_free(error);
    return false;
  }
  return Raise(error);
}

PyObject* Next(PyObject* self) {
  State* state = HandleOf<State>(self);
  if (!CheckFree(*state)) {
    return nullptr;
  }
  if (state->rows == nullptr || state->next == klip_rows_size(state->rows)) {
    if (state->at_end || !Fetch(state)) {
      return nullptr;
    }
    if (klip_rows_size(state->rows) == 0) {
      state->at_end = true;
      return nullptr;
    }
  }
  const size_t index = state->next++;
  const Ref key = FromBytes(klip_rows_get(state->rows, index)->cells[0].row);
  const Ref made = state->maker.Make(state->rows, index);
  return key && made ? PyTuple_Pack(2, key.get(), made.get()) : nullptr;
}

Ref CloseScanner(PyObject* self, Arguments, Py_ssize_t) {
  Close(HandleOf<State>(self));
  return None();
}

Ref Enter(PyObject* self, Arguments, Py_ssize_t) { return Ref::Borrowed(self); }

// explain(text) -> str
Ref ExplainScanner(PyObject* self, Arguments arguments, Py_ssize_t count) {
  State* state = HandleOf<State>(self);
  int text = 0;
  char* out = nullptr;
  if (!CheckCount(count, 1) || !ToFlag(arguments[0], &text) || !CheckFree(*state)) {
    return Ref();
  }
  if (state->scanner == nullptr) {
    PyErr_SetString(PyExc_ValueError, "the scanner is closed");
    return Ref();
  }
  if (!Run([&](klip_error** error) { return klip_scanner_explain(state->scanner, text, &out, error); })) {
    return Ref();
  }
  Ref result(PyUnicode_DecodeUTF8(out, static_cast<Py_ssize_t>(std::strlen(out)), "replace"));
  klip_free(out);
  return result;
}

PyMethodDef scanner_methods[] = {
    Define<CloseScanner>("close"),
    Define<Enter>("__enter__"),
    Define<CloseScanner>("__exit__"),
    Define<ExplainScanner>("explain"),
    {},
};

}  // namespace

Ref Scan(PyObject* self, Arguments arguments, Py_ssize_t count) {
  RowForm form;
  ScanArguments wanted;
  if (count < 1) {
    CheckCount(count, 1 + ScanArguments::kCount);
    return Ref();
  }
  if (!ToForm(arguments[0], &form) || !wanted.Fill(arguments + 1, count - 1)) {
    return Ref();
  }
  auto state = std::make_unique<State>(form);
  wanted.scan.interrupted = &Signals::Look;
  wanted.scan.interrupted_argument = &state->signals;
  state->signals.BeginCall();
  if (!Run([&](klip_error** error) {
        return klip_table_scan(HandleOf<klip_table>(self), &wanted.scan, &state->scanner, error);
      })) {
    return Ref();
  }
  return Wrap<State, FreeState>(scanner_type, state.release(), self);
}

Ref CountRows(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Signals signals;
  ScanArguments wanted;
  if (!wanted.Fill(arguments, count)) {
    return Ref();
  }
  wanted.scan.interrupted = &Signals::Look;
  wanted.scan.interrupted_argument = &signals;
  int64_t rows = 0;
  const bool ok = RunInterruptibly(&signals, [&](klip_error** error) {
    return klip_table_count_rows(HandleOf<klip_table>(self), &wanted.scan, &rows, error);
  });
  return ok ? Ref(PyLong_FromLongLong(rows)) : Ref();
}

Ref ExplainScan(PyObject* self, Arguments arguments, Py_ssize_t count) {
  int text = 0;
  char* out = nullptr;
  ScanArguments wanted;
  if (count < 1) {
    CheckCount(count, 1 + ScanArguments::kCount);
    return Ref();
  }
  if (!ToFlag(arguments[0], &text) || !wanted.Fill(arguments + 1, count - 1) || !Run([&](klip_error** error) {
        return klip_table_explain(HandleOf<klip_table>(self), &wanted.scan, text, &out, error);
      })) {
    return Ref();
  }
  Ref result(PyUnicode_DecodeUTF8(out, static_cast<Py_ssize_t>(std::strlen(out)), "replace"));
  klip_free(out);
  return result;
}

bool AddScannerType(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<State, FreeState>)},
                         {Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                         {Py_tp_iternext, reinterpret_cast<void*>(&Next)},
                         {Py_tp_methods, scanner_methods},
                         {}};
  scanner_type = MakeType(module, "klip.Scanner", sizeof(Object<State>), slots);
  return scanner_type != nullptr;
}

}  // namespace klip_python
