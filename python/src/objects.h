// The types of the module, and the functions that they use of each other.
#pragma once

#include "handle.h"
#include "py.h"

namespace klip_python {

bool AddConnectionType(PyObject* module);
bool AddTableType(PyObject* module);
bool AddScannerType(PyObject* module);
bool AddLoaderType(PyObject* module);
bool AddSchemaType(PyObject* module);
bool AddSqlTypes(PyObject* module);
bool AddTransactionType(PyObject* module);

// New objects; the handles are theirs from then on. `parent` is kept alive.
Ref WrapConnection(klip_connection* handle);
Ref WrapTable(klip_table* handle, PyObject* parent);
Ref WrapLoader(klip_loader* handle, PyObject* parent);
Ref WrapSchema(klip_schema* handle);

// table.scan(form, read, start_row, stop_row, include_start, include_stop, prefix, reversed, limit, batch, raw, where, threads)
Ref Scan(PyObject* self, Arguments arguments, Py_ssize_t count);
// table.count(read, start_row, ..., threads) -> rows
Ref CountRows(PyObject* self, Arguments arguments, Py_ssize_t count);
// table.explain(text, ...): how that would run.
Ref ExplainScan(PyObject* self, Arguments arguments, Py_ssize_t count);

// connection.begin(serializable, max_age_ms, max_bytes) -> Transaction
Ref BeginTransaction(PyObject* self, Arguments arguments, Py_ssize_t count);

// connection.sql(auto_commit, schema, threads, memory_bytes) -> Sql
Ref OpenSql(PyObject* self, Arguments arguments, Py_ssize_t count);

}  // namespace klip_python
