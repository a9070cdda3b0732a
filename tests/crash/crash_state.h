// The contents of the crash test's store as named items, which writer and checker share:
//
//   row:<r>   a row of table "base", one number in f:a, f:b and g:a alike; "-" if the row does not exist
//   cnt:<t>   counters f:n and g:n of row cnt<t>, incremented together
//   app:<t>   length of f:s of row app<t>
//   idx:<r>   f:k of row idx<r>, and the row <k>_idx<r> of table "index", changed atomically
//   tab:<n>   "yes" if table ddl<n> exists
//   and "base" has secondary indexes, which are created and dropped while rows are written
//   lax:<r>   like row:<r>, but written with SKIP_WAL or ASYNC_WAL: may be lost, but not in part
#pragma once

#include <map>
#include <memory>
#include <string>

#include "klip/connection.h"

namespace klip::crash {

inline constexpr int kThreads = 2;
inline constexpr int kRowsPerThread = 12;

using Items = std::map<std::string, std::string>;

// Creates the tables that do not exist.
Status CreateTables(Connection* connection);

// Reads all items. Errors: kCorruption when a row is torn, counters of one increment differ, base and index do not match,
// or a secondary index differs from its rows.
Expected<Items> ReadItems(Connection* connection);

}  // namespace klip::crash
