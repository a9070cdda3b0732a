// The key lab: the cost of a table's row keys, and other keys that would serve its queries better.
//
//   KLIP_ASSIGN_OR_RETURN(auto queries, ParseQueryLog("3 day=20140628\nuser=alice\n", "logins"));
//   KLIP_ASSIGN_OR_RETURN(Advice advice, Advise(*connection, "logins", {.queries = queries}));
//   std::cout << advice.ToText();
//
// All figures come from a sample of the table's rows and from the planner that scans use. The lab writes nothing to the table.
// docs/advise.md explains the figures.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/connection.h"
#include "klip/index.h"
#include "klip/plan.h"
#include "klip/query_log.h"
#include "klip/status.h"

namespace klip {

// A query that the keys should serve.
struct LoggedQuery {
  std::string where;          // for Table::ParseQuery
  double weight = 1;          // its frequency, relative to the other queries
  std::string order_by = {};  // "day, user": fields by which its rows must be ordered; empty: any order
  int64_t limit_rows = 0;  // the query ends after this many rows, which must be the same with other keys; 0: no limit

  bool operator==(const LoggedQuery&) const = default;
};

// Parses the queries on `table`: one per line, `[WEIGHT] WHERE [ORDER BY field, ...] [LIMIT n]`. A line may begin with a table and a
// tab; lines of other tables are skipped. Equal queries are added up. Empty lines and lines that start with # are skipped.
// Errors: kInvalidArgument naming the line, for a weight or limit that is not a positive number.
Expected<std::vector<LoggedQuery>> ParseQueryLog(std::string_view text, std::string_view table);

// A query log that appends lines for ParseQueryLog to a file: `table TAB times where [LIMIT n]`, one per distinct query, every ten
// seconds. It renames a file larger than 16 MB to `path`.1, replacing the previous one. Only the file's owner can read it, because
// queries contain key values. When a write fails, a background thread calls `on_error`, and the log keeps up to 4,096 distinct
// queries for the next write. Destroying the last copy of the log writes the rest. Errors: kIoError: the file cannot be opened.
Expected<QueryLog> WriteQueryLog(std::string path, std::function<void(const Status&)> on_error);

enum class KeyPrinciple : uint8_t { kConciseness, kUniqueness, kDistribution, kAccessibility, kShape };
std::string_view KeyPrincipleName(KeyPrinciple principle);  // "conciseness"; kShape is "tall or wide"

struct KeyFinding {
  KeyPrinciple principle = KeyPrinciple::kConciseness;
  bool problem = false;      // false: a measurement without a problem
  std::string measure;       // the figure, with its unit or base
  std::string reason = {};   // why it matters
  std::string remedy = {};   // what to do: a schema or a command, if there is one
  std::string formula = {};  // how the measure was computed, with its inputs
};

// One query on one design of the keys.
struct QueryOutcome {
  size_t query = 0;  // index in Advice::queries
  PlanKind kind = PlanKind::kFullWalk;
  std::string index = {};  // the index that finds the rows; empty: the table's own keys
  PlanCost predicted;
  std::optional<ScanStatistics> measured = std::nullopt;  // with verify
};

// A row-key schema, perhaps with more indexes than the table has, and its cost.
struct KeyDesign {
  std::string schema;
  std::vector<IndexDescriptor> indexes = {};  // that would be created
  std::string what;                           // "the present keys", "day first", ...
  bool present = false;                       // the table as it is
  bool pareto = false;  // no other design is better in one of the four measures and as good in the others
  double time_us = 0;   // weighted average per query
  std::optional<double> hot_share = std::nullopt;  // newest rows in the fullest of 16 key ranges; 1/16 is even
  double key_bytes = 0;                            // average length of a row key and of its entries in `indexes`
  double write_us = 0;                             // to put a row, in a batch that is not synced
  double write_bytes = 0;                          // of a row's cells and its entries, keys included
  double entries = 0;                              // further writes per row: entries in all indexes
  std::optional<double> measured_write_us = std::nullopt;  // with verify
  std::vector<QueryOutcome> queries = {};
  std::vector<std::string> commands = {};  // create the table or indexes, and copy the rows; none for the present keys
};

struct Advice {
  std::string table;
  std::string schema;        // the schema that was examined
  int64_t rows = 0;          // of the table
  int64_t sampled_rows = 0;  // rows in the sample
  int64_t unfit_rows = 0;    // sampled rows that do not fit the schema
  std::vector<LoggedQuery> queries;
  std::vector<std::string> left_out = {};  // queries and indexes that could not be tried, and why
  std::vector<KeyFinding> findings;
  std::vector<KeyDesign> designs;  // the present one first, then the Pareto set by time, then others by time
  // In microseconds. seek_us is a jump right after another jump, far_seek_us one after 256 or more cells.
  struct Costs {
    bool measured = false;  // on this machine; otherwise fixed
    double seek_us = 0;
    double far_seek_us = 0;
    double step_us = 0;
    double return_us = 0;
    double look_us = 0;   // at a row that is read between wanted ones, besides its cells
    double put_us = 0;    // a row as it is now, without entries of indexes
    double byte_us = 0;   // each further byte of it
    double entry_us = 0;  // an entry of an index
  };
  Costs costs;

  // Readable text. `explain`: also formulas, inputs, every query on every design, and designs outside the Pareto set.
  std::string ToText(bool explain = false) const;
  std::string ToJson() const;  // one object, for programs; keys are the names above
};

struct AdviseOptions {
  std::vector<LoggedQuery> queries = {};
  std::string schema = {};       // replaces the table's schema
  int64_t max_rows = 1'000'000;  // limit of the sample; for larger tables, numbers of distinct values are extrapolated
  size_t max_queries = 32;       // limit of distinct queries; if there are more, a random choice represents the others
  uint64_t seed = 1;             // seed of that choice
  // Uses fixed costs of operations, those of bench/RESULTS.md, instead of measuring them: the same rows, options and seed then give the
  // same advice on any machine. Samples of fewer than 500 rows always do.
  bool fixed_costs = false;
  bool verify = false;      // load the sample into temporary stores with the Pareto designs, and measure
  std::string target = {};  // name of the new table in `commands`; empty: the table's name and "_new"
};

// Reads the keys and sizes of a table's rows. `uri`: the store's address, for the commands.
// Errors: kTableNotFound; kInvalidArgument for an invalid schema; those of reading.
Expected<Advice> Advise(Connection& connection, std::string_view uri, std::string_view table,
                        const AdviseOptions& options);

// Records of a table that does not exist yet: values by column, in the order in which they would be written.
struct RecordSample {
  std::vector<std::string> columns;               // the names of the key fields in options.schema; others are values
  std::vector<std::vector<std::string>> records;  // a value per column
  std::string file = {};                          // where the records come from, for errors; may be empty
  std::vector<int64_t> lines = {};                // of the file, in which the records begin; empty if it is
};
// Errors: kInvalidArgument: a missing or invalid schema, a field without a column, a record with another number of values.
Expected<Advice> AdviseOnRecords(const RecordSample& sample, std::string_view uri, std::string_view table,
                                 const AdviseOptions& options);

}  // namespace klip
