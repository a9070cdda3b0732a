// The query log: which row keys programs ask for, in the words of the table's row-key schema, so that klip advise can judge keys by it.
//
//   options.query_log = [](const AskedQuery& query) { std::cout << query.table << ": " << query.where << "\n"; };
//
// WriteQueryLog (klip/advise.h) makes one that writes a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace klip {

// A get or scan of a table with a row-key schema that asked for some of its rows.
struct AskedQuery {
  std::string table;
  std::string where;       // as RowKeySchema::ParseQuery takes it; at least the rows that were asked for
  int64_t limit_rows = 0;  // 0: no limit
  int64_t times = 1;       // it stands for so many: in a flood of reads, not all are looked at
};
// Called by the threads that read, so it must be quick. Thread-safe.
using QueryLog = std::function<void(const AskedQuery&)>;

}  // namespace klip
