// EXPLAIN's description of the rows that a scan reads, in Phoenix's words.
#pragma once

#include <string>

#include "sql/exec/operator.h"
#include "sql/plan/key_ranges.h"

namespace klip::sql {

// "CLIENT 1-CHUNK PARALLEL 1-WAY SKIP SCAN ON 2 RANGES OVER T [...]", and "    SERVER FILTER BY ...". `sampled`: "0.5-SAMPLED " or
// empty.
void ExplainScan(const TableDefinition& table, const KeyBoxes& boxes, const std::string& sampled, bool reversed,
                 const std::string& condition, ExplainLines* lines);

// The same for a table with a row-key schema.
void ExplainKeyQuery(const TableDefinition& table, const std::optional<KeyQuery>& query, const std::string& sampled,
                     bool reversed, const std::string& condition, ExplainLines* lines);

}  // namespace klip::sql
