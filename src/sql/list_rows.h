// Rows that are complete already: of EXPLAIN and of catalog queries.
#pragma once

#include <memory>
#include <vector>

#include "klip/sql.h"

namespace klip::sql {

std::unique_ptr<Rows> MakeListRows(std::vector<Column> columns, std::vector<std::vector<Value>> rows);
// The result of a statement that returns no rows.
std::unique_ptr<Rows> MakeUpdated(int64_t rows);

}  // namespace klip::sql
