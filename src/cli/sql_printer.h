// Prints the result of a SQL statement: as an aligned table, as CSV, or as JSON lines.
#pragma once

#include "cli/arguments.h"
#include "cli/console.h"
#include "klip/sql.h"

namespace klip::cli {

// Prints each row as soon as it arrives; the first rows set the widths of a table's columns. Returns the number of rows.
// Errors: those of Rows::Next, after the rows before.
Expected<int64_t> PrintSqlRows(const Console& console, OutputForm form, sql::Rows* rows);

}  // namespace klip::cli
