#pragma once

#include "py.h"

namespace klip_python {

// A capsule that releases the stream unless somebody takes it.
Ref MakeCapsule(const ArrowArrayStream& stream);

// table.scan_arrow(columns, key_fields, all_cells, batch_rows, read, ...) -> capsule; from `read` on as scan()
Ref ScanArrow(PyObject* self, Arguments arguments, Py_ssize_t count);
// table.write_arrow(capsule, columns) -> rows
Ref WriteArrow(PyObject* self, Arguments arguments, Py_ssize_t count);

}  // namespace klip_python
