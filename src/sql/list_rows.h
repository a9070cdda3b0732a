// Rows that are all there already: of EXPLAIN, of questions about the catalog.
#pragma once

#include <memory>
#include <vector>

#include "klip/sql.h"

namespace klip::sql {

std::unique_ptr<Rows> MakeListRows(std::vector<Column> columns, std::vector<std::vector<Value>> rows);
// Of a statement that gives no rows.
std::unique_ptr<Rows> MakeUpdated(int64_t rows);

}  // namespace klip::sql
