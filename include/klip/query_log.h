// The query log: queries on row keys and columns, as conditions on the fields of the table's row-key schema. klip advise reads it.
//
//   options.query_log = [](const AskedQuery& query) { std::cout << query.table << ": " << query.where << "\n"; };
//
// WriteQueryLog (klip/advise.h) creates one that writes a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace klip {

// A get or scan of some rows of a table with a row-key schema.
struct AskedQuery {
  std::string table;
  std::string where;       // for Table::ParseQuery; matches all requested rows, maybe more
  int64_t limit_rows = 0;  // 0: no limit
  int64_t times = 1;       // how many reads it stands for: under heavy load, the log samples
};
// Called by the reading threads, several at a time, so it must be fast and thread-safe.
using QueryLog = std::function<void(const AskedQuery&)>;

}  // namespace klip
