// The console's calls: each reads a connection and returns one JSON value. Bytes are shown as text where they are text, and in HBase's
// printable form otherwise; keys always in that form, in which calls take them too.
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

namespace klip::console {

using Json = nlohmann::json;

// --- Limits of an answer ---
inline constexpr int64_t kMaxRows = 500;
inline constexpr size_t kMaxAnswerBytes = 1 << 20;
inline constexpr size_t kMaxShownBytes = 1024;  // of a value
inline constexpr int32_t kMaxRowCells = 200;

// What a request asked: the query of its target, or the fields of a JSON body.
using Parameters = std::map<std::string, std::string, std::less<>>;

// "" when there is none.
std::string Text(const Parameters& parameters, std::string_view name);
// Errors: kInvalidArgument: no number, or not within the bounds.
Expected<int64_t> Number(const Parameters& parameters, std::string_view name, int64_t otherwise, int64_t least,
                         int64_t most);

// The bytes as one reads them: UTF-8 without control characters as it is, else as ToStringBinary.
std::string Shown(std::string_view bytes);
Json ToJson(const Explain& explain);

// --- The calls. Errors: those of the connection; kInvalidArgument for a parameter. ---
using Call = Expected<Json> (*)(Connection* connection, const Parameters& parameters);

// No parameters: the names of all tables with what their descriptors say.
Expected<Json> Tables(Connection* connection, const Parameters& parameters);
// table: descriptor, regions, statistics, indexes.
Expected<Json> OneTable(Connection* connection, const Parameters& parameters);
// table: for each key field, its most common values and where its tenths end, from a sample.
Expected<Json> KeyValues(Connection* connection, const Parameters& parameters);
// table, where, run=1: the plan; with `run`, what reading all the rows did, as far as the time allowed.
Expected<Json> ExplainQuery(Connection* connection, const Parameters& parameters);
// table, where, after (a key), limit: a page of rows, and the plan.
Expected<Json> Rows(Connection* connection, const Parameters& parameters);
// table, metric (accesses, reads, writes, bytes, latency), start and stop (keys), from and to (ms), ranges: the heat map and findings.
Expected<Json> Heat(Connection* connection, const Parameters& parameters);
// No parameters: servers with their load, the store's memory and files, slow calls, peers.
Expected<Json> Servers(Connection* connection, const Parameters& parameters);
// No parameters: the tables and views that SQL knows.
Expected<Json> SqlTables(Connection* connection, const Parameters& parameters);
// statement, schema, limit: the rows of a SELECT or EXPLAIN. Errors: kReadOnly for other statements, and where it would write.
Expected<Json> Sql(Connection* connection, const Parameters& parameters);

// table, queries (text as ParseQueryLog takes it), schema (in place of the table's): what klip advise says.
Expected<Json> KeyAdvice(Connection* connection, const Parameters& parameters);

}  // namespace klip::console
