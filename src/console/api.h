// The console's calls: each takes a connection and returns one JSON value. Bytes are shown as text if they are text, and
// in HBase's printable form otherwise. Keys always have that form, also as parameters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "klip/connection.h"
#include "klip/plan.h"
#include "klip/status.h"
#include "net/memory.h"

namespace klip::console {

using Json = nlohmann::json;

class RegionCounts;  // region_counts.h

// --- Limits of an answer ---
inline constexpr int64_t kMaxRows = 500;
inline constexpr size_t kMaxAnswerBytes = 1 << 20;
inline constexpr size_t kMaxShownBytes = 1024;  // of a value
inline constexpr int32_t kMaxRowCells = 200;

// The parameters of a request: the query of its target, or the fields of a JSON body.
using Parameters = std::map<std::string, std::string, std::less<>>;

// "" if it is missing.
std::string Text(const Parameters& parameters, std::string_view name);
// Errors: kInvalidArgument: not a number, or out of bounds.
Expected<int64_t> Number(const Parameters& parameters, std::string_view name, int64_t otherwise, int64_t least,
                         int64_t most);

// Readable bytes: UTF-8 without control characters as it is, else as ToStringBinary.
std::string Shown(std::string_view bytes);
Json ToJson(const Explain& explain);

// --- The calls. Errors: those of the connection; kInvalidArgument for a parameter. ---
using Call = Expected<Json> (*)(Connection* connection, const Parameters& parameters);

// No parameters: the names and descriptors of all tables.
Expected<Json> Tables(Connection* connection, const Parameters& parameters);
// table: descriptor, regions, statistics, indexes.
Expected<Json> OneTable(Connection* connection, const Parameters& parameters);
// table: the most common values of each key field, and the limits of its tenths, from a sample.
Expected<Json> KeyValues(Connection* connection, const Parameters& parameters);
// table, where, run=1: the plan; with `run`, the work for reading all rows, as far as time allowed.
Expected<Json> ExplainQuery(Connection* connection, const Parameters& parameters);
// table, where, after (a key), limit: a page of rows, and the plan.
Expected<Json> Rows(Connection* connection, const Parameters& parameters);
// table, metric (accesses, reads, writes, bytes, latency), start and stop (keys), from and to (ms), ranges: the heat map and findings.
Expected<Json> Heat(Connection* connection, const Parameters& parameters);
// The same; `counts`, unless null, has the maps of a cluster's tables.
Expected<Json> HeatWith(Connection* connection, const Parameters& parameters, RegionCounts* counts);
// No parameters: servers with their load, the store's memory and files, slow calls, peers.
Expected<Json> Servers(Connection* connection, const Parameters& parameters);
// No parameters: SQL's tables and views.
Expected<Json> SqlTables(Connection* connection, const Parameters& parameters);
// statement, schema, limit: the rows of a SELECT or EXPLAIN. Errors: kReadOnly for other statements, and for those that
// would write.
Expected<Json> Sql(Connection* connection, const Parameters& parameters);
// The same for any statement. One that returns no rows gives the number of rows that it changed.
Expected<Json> SqlWithChanges(Connection* connection, const Parameters& parameters);
// One of these; `memory`, unless null, is what statements may hold together.
Expected<Json> SqlWith(Connection* connection, const Parameters& parameters, bool changes, net::MemoryBudget* memory);

// table, queries (text for ParseQueryLog), schema (instead of the table's): the output of klip advise.
Expected<Json> KeyAdvice(Connection* connection, const Parameters& parameters);

// --- Changes. A row is given by `row` (a key), or by its key fields: "field NAME". ---

// table, row, column (family:qualifier), value (in printable form).
Expected<Json> PutCell(Connection* connection, const Parameters& parameters);
// table, row, column: deletes all versions of a column; without one, the row.
Expected<Json> DeleteCells(Connection* connection, const Parameters& parameters);
// table, families (names), key (a row-key schema).
Expected<Json> CreateOneTable(Connection* connection, const Parameters& parameters);
// table, action (flush, compact, split with key, enable, disable; truncate and drop, if `confirm` is the table's name).
Expected<Json> ChangeTable(Connection* connection, const Parameters& parameters);
// table, index, on (its declaration; empty: drops the index).
Expected<Json> ChangeIndex(Connection* connection, const Parameters& parameters);

}  // namespace klip::console
