// Tables and results of SQL as Apache Arrow columns, and rows from such columns. pandas, Polars, DuckDB and others read these directly.
//
//   ArrowArrayStream stream;
//   KLIP_RETURN_IF_ERROR(ScanArrow(table, {.where = query}, {.columns = {{"d", "visits", "i64"}}}, &stream));
//   // pass &stream to a library that accepts the C stream interface; it calls stream.release
//
// docs/analytics.md is the introduction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "klip/arrow_abi.h"
#include "klip/query.h"
#include "klip/sql.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip {

// A column of a table, and the type of its values.
struct ArrowColumn {
  std::string family;
  std::string qualifier;
  // A type of row-key schemas: integers are stored as by HBase's Bytes.toBytes, the others as in a row key (docs/keys.md). Also
  // "boolean", "f32" and "f64", stored as by Bytes.toBytes.
  std::string type = "bytes";
  // The name of the Arrow column. Empty: the qualifier, or "family:qualifier" if another column or key field has that name.
  std::string name = {};

  bool operator==(const ArrowColumn&) const = default;
};

struct ArrowOptions {
  std::vector<ArrowColumn> columns = {};
  bool key_fields = true;  // columns for the fields of the row key; without a schema, a column "row" of bytes
  bool all_cells = false;  // a column "cells": a map from "family:qualifier", printable, to the bytes of all cells
  int batch_rows = 32768;  // limit of an array; arrays also end at 64 MB
};

// The rows of a scan as a stream of struct arrays, in the order of the scan. Each array is read on request. A missing cell is null.
// With columns, the scan reads only these, and only rows that have one of them; with neither columns nor all_cells it reads keys.
// The types: text is utf8; bytes and hashes are binary; digits of up to 18 are int64, longer ones utf8; dates are date32; ts and
// reverse_ts are timestamp[ms, UTC]. Computed fields (salt, hashes of other fields) and literals have no column.
// Only one thread at a time may use the stream. It must not outlive the Connection. The user of *out must call its release.
// Errors: those of Table::Scan; kInvalidArgument naming the column: an unknown type, two columns with the same name; scan.columns is
// not empty. While the stream is read: kInvalidArgument naming row and column, for bytes that do not fit the type.
Status ScanArrow(Table* table, const Scan& scan, const ArrowOptions& options, ArrowArrayStream* out);

// A result of SQL as a stream of struct arrays. DATE and TIME are timestamp[ms], TIMESTAMP timestamp[ns]. DECIMAL(p, s) is
// decimal128(p, s); a DECIMAL without a scale is float64: CAST it if more than 15 digits matter.
// The stream must not outlive the Session. Errors: kInvalidArgument: the statement returns no rows.
Status SqlArrow(std::unique_ptr<sql::Rows> rows, int batch_rows, ArrowArrayStream* out);

// How the columns of a stream become rows. Columns with the names of key fields form the row key; without a schema, the column "row"
// is the key. A column that is a map, as ArrowOptions::all_cells creates it, becomes the cells that it names.
struct ArrowWrite {
  std::vector<ArrowColumn> columns = {};  // the cell for the stream's column of that name; names as in ScanArrow
  int64_t timestamp_ms = kLatestTimestamp;
};

// Puts the rows of a stream, in batches, and always releases the stream, also after an error. A null writes no cell; a row that has
// only nulls is not written. Returns the number of rows put.
// Errors: kInvalidArgument naming the column: a key field without a column, a column that `write` does not name, a type that does not
// convert; with its row's number: a value out of range, a null in the key. Rows before it may have been written.
Expected<int64_t> WriteArrow(Table* table, const ArrowWrite& write, ArrowArrayStream* stream);

}  // namespace klip
