// Prints what a SQL statement gave: as an aligned table, as CSV, or as JSON lines.
#pragma once

#include "cli/arguments.h"
#include "cli/console.h"
#include "klip/sql.h"

namespace klip::cli {

// Prints all rows, each as soon as it is there; a table's columns are as wide as its first rows want. Returns their number.
// Errors: those of Rows::Next, after the rows before.
Expected<int64_t> PrintSqlRows(const Console& console, OutputForm form, sql::Rows* rows);

}  // namespace klip::cli
