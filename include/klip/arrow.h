// Tables and results of SQL as columns of Apache Arrow, and back: what pandas, Polars, DuckDB and others read without a connector.
//
//   ArrowArrayStream stream;
//   KLIP_RETURN_IF_ERROR(ScanArrow(table, {.where = query}, {.columns = {{"d", "visits", "i64"}}}, &stream));
//   // hand &stream to a library that takes the C stream interface; it calls stream.release
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

// A column of a table, and the type that its values are read or written as.
struct ArrowColumn {
  std::string family;
  std::string qualifier;
  // A type of row-key schemas, stored as the columns of an index are: integers as HBase's Bytes.toBytes, the others as in a row key
  // (docs/keys.md). Also "boolean", "f32" and "f64", as Bytes.toBytes.
  std::string type = "bytes";
  // Of the Arrow column. Empty: the qualifier, or "family:qualifier" where another column or key field has that name.
  std::string name = {};

  bool operator==(const ArrowColumn&) const = default;
};

struct ArrowOptions {
  std::vector<ArrowColumn> columns = {};
  bool key_fields = true;  // columns for the fields of the row key; without a schema one of bytes, "row"
  bool all_cells = false;  // a column "cells": a map of "family:qualifier", printable, to the bytes of all cells
  int batch_rows = 32768;  // of an array, at most; arrays also end once they hold 64 MB
};

// The rows of a scan as a stream of struct arrays, in the order of the scan. Each array is read when it is asked for. A cell that is
// not there is null. With columns, the scan reads these alone, and rows that have at least one of them; with neither columns nor all_cells it reads keys.
// The types: text is utf8; bytes and hashes are binary; digits of up to 18 are int64, of more utf8; dates are date32; ts and
// reverse_ts are timestamp[ms, UTC]. Computed fields (salt, hashes of other fields) and literals have no column.
// The stream, which one thread at a time may use, must not outlive the Connection. Whoever takes *out calls its release.
// Errors: those of Table::Scan; kInvalidArgument naming the column: an unknown type, two columns of one name; scan.columns is not
// empty. While the stream is read: kInvalidArgument naming row and column, for bytes that are none of the type.
Status ScanArrow(Table* table, const Scan& scan, const ArrowOptions& options, ArrowArrayStream* out);

// A result of SQL as a stream of struct arrays. DATE and TIME are timestamp[ms], TIMESTAMP timestamp[ns]. DECIMAL(p, s) is
// decimal128(p, s); a DECIMAL without a scale is float64: CAST it where more than 15 digits matter.
// The stream must not outlive the Session. Errors: kInvalidArgument: the statement gives no rows.
Status SqlArrow(std::unique_ptr<sql::Rows> rows, int batch_rows, ArrowArrayStream* out);

// How the columns of a stream become rows. Columns whose names are fields of the table's row-key schema make the row key; without a
// schema the column "row" is the key. A column that is a map, as ArrowOptions::all_cells makes it, becomes the cells that it names.
struct ArrowWrite {
  std::vector<ArrowColumn> columns = {};  // where the stream's column of that name goes; named as in ScanArrow
  int64_t timestamp_ms = kLatestTimestamp;
};

// Puts the rows of a stream, in batches, and releases the stream, whatever happens. A null writes no cell; a row of nulls alone is
// not written. Returns the number of rows put.
// Errors: kInvalidArgument naming the column: a key field without a column, a column that `write` does not name, a type that does not
// convert; with its row's number: a value out of range, a null in the key. Rows before it may have been written.
Expected<int64_t> WriteArrow(Table* table, const ArrowWrite& write, ArrowArrayStream* stream);

}  // namespace klip
