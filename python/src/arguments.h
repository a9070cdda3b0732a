// Converts Python's objects to the arguments of klip.h. The results point into Python's objects, so each conversion keeps a reference
// to them: the caller may change its dicts and lists while the call runs without the GIL.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "py.h"

namespace klip_python {

class Keeper {
 public:
  // bytes, bytearray and other buffers; text as UTF-8.
  bool Bytes(PyObject* object, klip_bytes* out);
  // "family:qualifier" or (family, qualifier); a family alone when there is no colon, or None for a qualifier.
  bool Column(PyObject* object, klip_column* out);

  void Keep(PyObject* object) { kept_.push_back(Ref::Borrowed(object)); }

 private:
  std::vector<Ref> kept_;
};

bool ToInt(PyObject* object, int64_t* out);
bool ToInt(PyObject* object, int32_t* out);
// None: `otherwise`.
bool ToInt(PyObject* object, int64_t otherwise, int64_t* out);
bool ToFlag(PyObject* object, int* out);

// Items of a tuple or list.
class Items {
 public:
  // None: no items.
  static std::optional<Items> Of(PyObject* sequence);
  Py_ssize_t size() const { return size_; }
  PyObject* operator[](Py_ssize_t index) const { return PyTuple_GetItem(tuple_.get(), index); }

 private:
  Ref tuple_;
  Py_ssize_t size_ = 0;
};

// What a get and a scan have in common, from a tuple:
//   (columns, min_ms, max_ms, max_versions, max_results_per_family, row_offset_per_family, filter, cache_blocks,
//    timeline, replica_id)
class ReadArguments {
 public:
  template <typename Request>  // klip_get or klip_scan
  bool Fill(PyObject* tuple, Keeper* keeper, Request* request);

 private:
  std::vector<klip_column> columns_;
};

// The arguments of a scan:
//   (read, start_row, stop_row, include_start, include_stop, prefix, reversed, limit, batch, raw, where, threads)
class ScanArguments {
 public:
  static constexpr Py_ssize_t kCount = 12;
  bool Fill(Arguments arguments, Py_ssize_t count);

  klip_scan scan = klip_scan_default();

 private:
  Keeper keeper_;
  ReadArguments read_;
};

// Mutations, each from a tuple:
//   (kind, row, changes, timestamp, ttl_ms, durability, return_results)
// `changes`: of a put, append or increment a dict of columns to values or (value, timestamp); of a delete a list of
// (column, timestamp, exact), or None for the whole row.
class Mutations {
 public:
  bool Add(PyObject* tuple, Keeper* keeper);
  // All items of the list.
  bool AddAll(PyObject* list, Keeper* keeper);

  const klip_mutation* data() const { return mutations_.data(); }
  size_t size() const { return mutations_.size(); }

 private:
  bool AddValues(PyObject* dict, int32_t kind, Keeper* keeper, std::vector<klip_change>* changes);
  bool AddMarkers(PyObject* list, Keeper* keeper, std::vector<klip_change>* changes);

  std::vector<klip_mutation> mutations_;
  std::deque<std::vector<klip_change>> changes_;  // stay where they are
};

// A condition from a tuple (column, op, value, filter); a filter or a column is None.
bool ToCondition(PyObject* tuple, Keeper* keeper, klip_condition* condition);

}  // namespace klip_python
