// A view AS SELECT: its base under another name, with more columns and fewer rows.
//
// As in Phoenix, it can be written if its condition only requires constants of columns, one of each: then each row
// written through the view gets them, and is visible in it, unless it has a value where the condition requires NULL.
// Worked example: CREATE VIEW ann AS SELECT * FROM visits WHERE username = 'ann' AND note IS NULL. UPSERT INTO ann
// (day) VALUES (7) writes the row ('ann', 7), UPSERT INTO ann (username, day) VALUES ('bob', 7) is an error. A view
// WHERE day > 7 is read-only.
#pragma once

#include "klip/status.h"
#include "sql/catalog/table_definition.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// Errors: 1045 (43A02), the condition is constant; 1132 (XCL32), it uses a column that the view does not name; those of
// AddViewColumns; kUnsupported, what views cannot have.
Expected<TableDefinition> DefineSelectView(const TableDefinition& base, const CreateTable& view);

bool NamesColumn(const Expression& expression, std::string_view column);

}  // namespace klip::sql
