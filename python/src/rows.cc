#include "rows.h"

#include <cstring>
#include <iterator>

namespace klip_python {
namespace {

PyTypeObject* cell_type = nullptr;

bool Holds(PyObject* name, const klip_cell& cell) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  PyBytes_AsStringAndSize(name, &data, &size);
  return static_cast<size_t>(size) == cell.family.size + 1 + cell.qualifier.size &&
         std::memcmp(data, cell.family.data, cell.family.size) == 0 && data[cell.family.size] == ':' &&
         (cell.qualifier.size == 0 ||
          std::memcmp(data + cell.family.size + 1, cell.qualifier.data, cell.qualifier.size) == 0);
}

bool Same(klip_bytes a, klip_bytes b) {
  return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
}

PyObject* NewName(const klip_cell& cell) {
  PyObject* name =
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(cell.family.size + 1 + cell.qualifier.size));
  if (name != nullptr) {
    char* data = PyBytes_AsString(name);
    std::memcpy(data, cell.family.data, cell.family.size);
    data[cell.family.size] = ':';
    if (cell.qualifier.size > 0) {
      std::memcpy(data + cell.family.size + 1, cell.qualifier.data, cell.qualifier.size);
    }
  }
  return name;
}

}  // namespace

bool ToForm(PyObject* object, RowForm* form) {
  const long number = PyLong_AsLong(object);
  if (number < 0 || number > 2) {
    PyErr_SetString(PyExc_ValueError, "no form of rows");
    return false;
  }
  *form = static_cast<RowForm>(number);
  return true;
}

PyObject* RowMaker::ColumnName(size_t index, const klip_cell& cell) {
  constexpr size_t kMostNames = 1024;
  if (index < names_.size() && Holds(names_[index].get(), cell)) {
    PyObject* name = names_[index].get();
    Py_INCREF(name);
    return name;
  }
  PyObject* name = NewName(cell);
  if (name != nullptr && index < kMostNames) {
    if (index >= names_.size()) {
      names_.resize(index + 1);
    }
    names_[index] = Ref::Borrowed(name);
  }
  return name;
}

Ref RowMaker::MakeDict(const klip_row& row) {
  Ref dict(PyDict_New());
  for (size_t i = 0; dict && i < row.cell_count; ++i) {
    const klip_cell& cell = row.cells[i];
    if (i > 0 && Same(cell.qualifier, row.cells[i - 1].qualifier) && Same(cell.family, row.cells[i - 1].family)) {
      continue;  // an older version of the column
    }
    const Ref name(ColumnName(i, cell));
    Ref value = FromBytes(cell.value);
    if (value && form_ == RowForm::kTimestamps) {
      value = Ref(Py_BuildValue("(OL)", value.get(), static_cast<long long>(cell.timestamp_ms)));
    }
    if (!name || !value || PyDict_SetItem(dict.get(), name.get(), value.get()) != 0) {
      return Ref();
    }
  }
  return dict;
}

Ref RowMaker::MakeCells(const klip_row& row, bool stale) {
  Ref list(PyList_New(static_cast<Py_ssize_t>(row.cell_count)));
  for (size_t i = 0; list && i < row.cell_count; ++i) {
    const klip_cell& cell = row.cells[i];
    Ref made(PyStructSequence_New(cell_type));
    PyObject* fields[] = {PyBytes_FromStringAndSize(cell.family.data, static_cast<Py_ssize_t>(cell.family.size)),
                          PyBytes_FromStringAndSize(cell.qualifier.data, static_cast<Py_ssize_t>(cell.qualifier.size)),
                          PyBytes_FromStringAndSize(cell.value.data, static_cast<Py_ssize_t>(cell.value.size)),
                          PyLong_FromLongLong(cell.timestamp_ms),
                          PyLong_FromLong(cell.type),
                          PyBytes_FromStringAndSize(cell.tags.data, static_cast<Py_ssize_t>(cell.tags.size)),
                          PyBool_FromLong(stale)};
    bool whole = static_cast<bool>(made);
    for (Py_ssize_t field = 0; field < std::ssize(fields); ++field) {
      whole = whole && fields[field] != nullptr;
      if (made) {
        PyStructSequence_SetItem(made.get(), field, fields[field]);
      }
    }
    if (!whole) {
      return Ref();
    }
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), made.release());
  }
  return list;
}

Ref RowMaker::Make(const klip_rows* rows, size_t index) {
  const klip_row& row = *klip_rows_get(rows, index);
  return form_ == RowForm::kCells ? MakeCells(row, klip_rows_stale(rows, index) != 0) : MakeDict(row);
}

Ref RowMaker::MakeOne(const klip_rows* rows) { return klip_rows_size(rows) == 0 ? None() : Make(rows, 0); }

Ref RowMaker::MakeAll(const klip_rows* rows) {
  const size_t count = klip_rows_size(rows);
  Ref list(PyList_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; list && i < count; ++i) {
    const klip_row& row = *klip_rows_get(rows, i);
    Ref made = row.error != nullptr ? ExceptionOf(row.error) : Make(rows, i);
    if (!made) {
      return Ref();
    }
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), made.release());
  }
  return list;
}

bool AddCellType(PyObject* module) {
  PyStructSequence_Field fields[] = {{"family", nullptr},    {"qualifier", nullptr}, {"value", nullptr},
                                     {"timestamp", nullptr}, {"type", nullptr},      {"tags", nullptr},
                                     {"stale", nullptr},  // by its name only: the tuple has six items
                                     {nullptr, nullptr}};
  PyStructSequence_Desc description = {"klip.Cell", "One version of one column.", fields, 6};
  cell_type = PyStructSequence_NewType(&description);
  return cell_type != nullptr && PyModule_AddObjectRef(module, "Cell", reinterpret_cast<PyObject*>(cell_type)) == 0;
}

Ref ExceptionOf(const klip_error* error) {
  const Ref errors(PyImport_ImportModule("klip.errors"));
  return errors ? Ref(PyObject_CallMethod(errors.get(), "make", "iszOis", static_cast<int>(klip_error_code(error)),
                                          klip_error_message(error), klip_error_java_class(error),
                                          klip_error_retryable(error) != 0 ? Py_True : Py_False,
                                          klip_error_sql_number(error), klip_error_sql_state(error)))
                : Ref();
}

bool Raise(klip_error* error) {
  const Ref exception = ExceptionOf(error);
  klip_error_free(error);
  if (exception) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  }
  return false;
}

bool CheckCount(Py_ssize_t count, Py_ssize_t wanted) {
  if (count != wanted) {
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, count);
  }
  return count == wanted;
}

}  // namespace klip_python
