// From rows of klip to Python's.
#pragma once

#include <vector>

#include "py.h"

namespace klip_python {

// What a row looks like.
enum class RowForm : int {
  kValues = 0,      // {b"family:qualifier": value}, the newest ones
  kTimestamps = 1,  // {b"family:qualifier": (value, timestamp)}, likewise
  kCells = 2,       // [Cell, ...], all of them
};

bool ToForm(PyObject* object, RowForm* form);

// Makes rows of one form. Rows of a table mostly have the same columns, so the previous row's column names are reused.
class RowMaker {
 public:
  explicit RowMaker(RowForm form) : form_(form) {}

  // REQUIRES: there is a row of that number.
  Ref Make(const klip_rows* rows, size_t index);
  // All of them: (row key, row) or, where the row failed, the exception.
  Ref MakeAll(const klip_rows* rows);
  // The only one, or None.
  Ref MakeOne(const klip_rows* rows);

 private:
  // b"family:qualifier" of the cell that is number `index` of its row.
  PyObject* ColumnName(size_t index, const klip_cell& cell);
  Ref MakeDict(const klip_row& row);
  Ref MakeCells(const klip_row& row, bool stale);

  const RowForm form_;
  std::vector<Ref> names_;
};

// Makes the type klip.Cell, a tuple with named fields.
bool AddCellType(PyObject* module);

// The exception of a klip_error, as an object.
Ref ExceptionOf(const klip_error* error);

}  // namespace klip_python
