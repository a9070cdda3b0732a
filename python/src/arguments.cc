#include "arguments.h"

#include <cstring>
#include <limits>

namespace klip_python {
namespace {

bool TypeProblem(const char* wanted, PyObject* object) {
  PyErr_Format(PyExc_TypeError, "expected %s, not %R", wanted, Py_TYPE(object));
  return false;
}

// Splits at the first colon.
klip_column ColumnOf(klip_bytes text) {
  klip_column column;
  std::memset(&column, 0, sizeof(column));
  const void* colon = text.size == 0 ? nullptr : std::memchr(text.data, ':', text.size);
  if (colon == nullptr) {
    column.family = text;
    column.whole_family = 1;
    return column;
  }
  const size_t before = static_cast<size_t>(static_cast<const char*>(colon) - text.data);
  column.family = {text.data, before};
  column.qualifier = {text.data + before + 1, text.size - before - 1};
  return column;
}

}  // namespace

bool Keeper::Bytes(PyObject* object, klip_bytes* out) {
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    out->data = PyUnicode_AsUTF8AndSize(object, &size);
    out->size = static_cast<size_t>(size);
    kept_.push_back(Ref::Borrowed(object));
    return out->data != nullptr;
  }
  if (PyLong_Check(object)) {  // bytes(5) would be five zeros
    return TypeProblem("bytes or str", object);
  }
  Ref bytes = PyBytes_Check(object) ? Ref::Borrowed(object) : Ref(PyBytes_FromObject(object));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) {
    return TypeProblem("bytes or str", object);
  }
  *out = {data, static_cast<size_t>(size)};
  kept_.push_back(std::move(bytes));
  return true;
}

bool Keeper::Column(PyObject* object, klip_column* out) {
  if (!PyTuple_Check(object)) {
    klip_bytes text;
    if (!Bytes(object, &text)) {
      return false;
    }
    *out = ColumnOf(text);
    return true;
  }
  if (PyTuple_Size(object) != 2) {
    PyErr_SetString(PyExc_ValueError, "a column must be 'family:qualifier' or (family, qualifier)");
    return false;
  }
  std::memset(out, 0, sizeof(*out));
  PyObject* qualifier = PyTuple_GetItem(object, 1);
  out->whole_family = qualifier == Py_None;
  return Bytes(PyTuple_GetItem(object, 0), &out->family) &&
         (out->whole_family != 0 || Bytes(qualifier, &out->qualifier));
}

bool ToInt(PyObject* object, int64_t* out) {
  *out = PyLong_AsLongLong(object);
  return *out != -1 || PyErr_Occurred() == nullptr;
}

bool ToInt(PyObject* object, int32_t* out) {
  int64_t number = 0;
  if (!ToInt(object, &number)) {
    return false;
  }
  if (number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max()) {
    PyErr_Format(PyExc_OverflowError, "%lld does not fit into 32 bits", static_cast<long long>(number));
    return false;
  }
  *out = static_cast<int32_t>(number);
  return true;
}

bool ToInt(PyObject* object, int64_t otherwise, int64_t* out) {
  *out = otherwise;
  return object == Py_None || ToInt(object, out);
}

bool ToFlag(PyObject* object, int* out) {
  *out = PyObject_IsTrue(object);
  return *out >= 0;
}

std::optional<Items> Items::Of(PyObject* sequence) {
  Items items;
  if (sequence == Py_None) {
    return items;
  }
  if (PyUnicode_Check(sequence) || PyBytes_Check(sequence)) {
    TypeProblem("a list", sequence);
    return std::nullopt;
  }
  items.tuple_ = Ref(PySequence_Tuple(sequence));
  if (!items.tuple_) {
    return std::nullopt;
  }
  items.size_ = PyTuple_Size(items.tuple_.get());
  return items;
}

template <typename Request>
bool ReadArguments::Fill(PyObject* tuple, Keeper* keeper, Request* request) {
  const std::optional<Items> items = Items::Of(tuple);
  if (!items.has_value() || !CheckCount(items->size(), 10)) {
    return false;
  }
  const std::optional<Items> columns = Items::Of((*items)[0]);
  if (!columns.has_value()) {
    return false;
  }
  columns_.resize(static_cast<size_t>(columns->size()));
  for (Py_ssize_t i = 0; i < columns->size(); ++i) {
    if (!keeper->Column((*columns)[i], &columns_[static_cast<size_t>(i)])) {
      return false;
    }
  }
  request->columns = columns_.data();
  request->column_count = columns_.size();
  return ToInt((*items)[1], 0, &request->time_range.min_ms) &&
         ToInt((*items)[2], KLIP_LATEST_TIMESTAMP, &request->time_range.max_ms) &&
         ToInt((*items)[3], &request->max_versions) && ToInt((*items)[4], &request->max_results_per_family) &&
         ToInt((*items)[5], &request->row_offset_per_family) &&
         ((*items)[6] == Py_None || keeper->Bytes((*items)[6], &request->filter)) &&
         ToFlag((*items)[7], &request->cache_blocks) && ToFlag((*items)[8], &request->consistency) &&
         ToInt((*items)[9], &request->replica_id);
}
template bool ReadArguments::Fill(PyObject* tuple, Keeper* keeper, klip_get* request);
template bool ReadArguments::Fill(PyObject* tuple, Keeper* keeper, klip_scan* request);

bool ScanArguments::Fill(Arguments arguments, Py_ssize_t count) {
  return CheckCount(count, kCount) && read_.Fill(arguments[0], &keeper_, &scan) &&
         keeper_.Bytes(arguments[1], &scan.start_row) && keeper_.Bytes(arguments[2], &scan.stop_row) &&
         ToFlag(arguments[3], &scan.include_start) && ToFlag(arguments[4], &scan.include_stop) &&
         keeper_.Bytes(arguments[5], &scan.prefix) && ToFlag(arguments[6], &scan.reversed) &&
         ToInt(arguments[7], &scan.limit_rows) && ToInt(arguments[8], &scan.batch) && ToFlag(arguments[9], &scan.raw) &&
         keeper_.Bytes(arguments[10], &scan.where) && ToInt(arguments[11], &scan.threads);
}

bool Mutations::AddValues(PyObject* dict, int32_t kind, Keeper* keeper, std::vector<klip_change>* changes) {
  if (!PyDict_Check(dict)) {
    return TypeProblem("a dict of columns", dict);
  }
  changes->reserve(static_cast<size_t>(PyDict_Size(dict)));
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &key, &value) != 0) {
    klip_column column;
    if (!keeper->Column(key, &column)) {
      return false;
    }
    if (column.whole_family != 0) {
      PyErr_Format(PyExc_ValueError, "expected family:qualifier, found %R", key);
      return false;
    }
    klip_change change = klip_change_default(column.family, column.qualifier, {nullptr, 0});
    if (PyTuple_Check(value)) {
      if (PyTuple_Size(value) != 2) {
        PyErr_SetString(PyExc_ValueError, "a value is bytes or (bytes, timestamp)");
        return false;
      }
      if (!ToInt(PyTuple_GetItem(value, 1), KLIP_LATEST_TIMESTAMP, &change.timestamp_ms)) {
        return false;
      }
      value = PyTuple_GetItem(value, 0);
    }
    if (kind == KLIP_INCREMENT ? !ToInt(value, &change.amount) : !keeper->Bytes(value, &change.value)) {
      return false;
    }
    changes->push_back(change);
  }
  return true;
}

bool Mutations::AddMarkers(PyObject* list, Keeper* keeper, std::vector<klip_change>* changes) {
  const std::optional<Items> markers = Items::Of(list);
  if (!markers.has_value()) {
    return false;
  }
  for (Py_ssize_t i = 0; i < markers->size(); ++i) {
    const std::optional<Items> marker = Items::Of((*markers)[i]);
    klip_column column;
    klip_change change = klip_change_default({nullptr, 0}, {nullptr, 0}, {nullptr, 0});
    int exact = 0;
    if (!marker.has_value() || !CheckCount(marker->size(), 3) || !keeper->Column((*marker)[0], &column) ||
        !ToInt((*marker)[1], KLIP_LATEST_TIMESTAMP, &change.timestamp_ms) || !ToFlag((*marker)[2], &exact)) {
      return false;
    }
    change.family = column.family;
    change.qualifier = column.qualifier;
    if (column.whole_family != 0) {
      change.type = exact != 0 ? KLIP_CELL_DELETE_FAMILY_VERSION : KLIP_CELL_DELETE_FAMILY;
    } else {
      change.type = exact != 0 ? KLIP_CELL_DELETE : KLIP_CELL_DELETE_COLUMN;
    }
    changes->push_back(change);
  }
  return true;
}

bool Mutations::Add(PyObject* tuple, Keeper* keeper) {
  const std::optional<Items> items = Items::Of(tuple);
  klip_mutation mutation = klip_mutation_default(KLIP_PUT, {nullptr, 0});
  if (!items.has_value() || !CheckCount(items->size(), 7) || !ToInt((*items)[0], &mutation.kind) ||
      !keeper->Bytes((*items)[1], &mutation.row) ||
      !ToInt((*items)[3], KLIP_LATEST_TIMESTAMP, &mutation.timestamp_ms) || !ToInt((*items)[4], &mutation.ttl_ms) ||
      !ToInt((*items)[5], &mutation.durability) || !ToFlag((*items)[6], &mutation.return_results)) {
    return false;
  }
  std::vector<klip_change>& changes = changes_.emplace_back();
  const bool added = mutation.kind == KLIP_DELETE ? AddMarkers((*items)[2], keeper, &changes)
                                                  : AddValues((*items)[2], mutation.kind, keeper, &changes);
  if (!added) {
    return false;
  }
  mutation.changes = changes.data();
  mutation.change_count = changes.size();
  mutations_.push_back(mutation);
  return true;
}

bool Mutations::AddAll(PyObject* list, Keeper* keeper) {
  const std::optional<Items> items = Items::Of(list);
  if (!items.has_value()) {
    return false;
  }
  mutations_.reserve(static_cast<size_t>(items->size()));
  for (Py_ssize_t i = 0; i < items->size(); ++i) {
    if (!Add((*items)[i], keeper)) {
      return false;
    }
  }
  return true;
}

bool ToCondition(PyObject* tuple, Keeper* keeper, klip_condition* condition) {
  *condition = klip_condition_default({nullptr, 0}, {nullptr, 0}, {nullptr, 0});
  const std::optional<Items> items = Items::Of(tuple);
  if (!items.has_value() || !CheckCount(items->size(), 4)) {
    return false;
  }
  if ((*items)[0] != Py_None) {
    klip_column column;
    if (!keeper->Column((*items)[0], &column)) {
      return false;
    }
    condition->family = column.family;
    condition->qualifier = column.qualifier;
  }
  return ToInt((*items)[1], &condition->op) &&
         ((*items)[2] == Py_None || keeper->Bytes((*items)[2], &condition->value)) &&
         ((*items)[3] == Py_None || keeper->Bytes((*items)[3], &condition->filter));
}

}  // namespace klip_python
