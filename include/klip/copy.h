// Copying a table from one store or cluster to another, and comparing two tables cell by cell.
//
// A copy carries the descriptor, the region borders and all cells that a raw scan shows: every version, delete markers,
// timestamps, cell TTLs. It reads while others write, so it is no snapshot; where that matters, copy a snapshot's clone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/connection.h"
#include "klip/query.h"
#include "klip/status.h"

namespace klip {

struct CopyCounts {
  int64_t rows = 0;
  int64_t cells = 0;           // delete markers included
  int64_t delete_markers = 0;  // among the cells
  int64_t bytes = 0;           // of keys and values
  int64_t tags_left_out = 0;   // cells that had tags which a write to the target cannot carry (all but a TTL)

  CopyCounts& operator+=(const CopyCounts& other);
};

struct CopyProgress {
  CopyCounts counts;       // so far, what a resumed copy did before included
  double fraction = 0;     // of the key range, 0 to 1
  int64_t elapsed_us = 0;  // of this run
};

struct CopyOptions {
  std::string start_row = {};  // rows in [start_row, stop_row); empty: open
  std::string stop_row = {};
  std::vector<std::string> families = {};  // empty: all
  TimeRange time_range = {};
  std::string compression = {};  // of a table that is made; empty: as the source's
  // A row-key schema for the target, whose fields are those of the source's: each row gets the key that its fields have there. Empty:
  // rows keep their keys. Errors: kInvalidArgument: the source has no schema, or not these fields; naming a row that does not fit.
  std::string row_key = {};
  int threads = 2;
  int64_t chunk_bytes = 64 << 20;  // written and noted as one: what an interruption costs at most, per thread
  int64_t max_bytes_per_s = 0;     // 0: no limit
  int64_t max_rows_per_s = 0;

  // Finished key ranges are noted here, so that the same call after an interruption does only what is left; it is removed
  // at the end. Empty: nothing is noted. Errors: kInvalidArgument for a file that another `job` wrote.
  std::string state_file = {};
  std::string job = {};  // what the copy is, in one line

  std::function<void(const CopyProgress&)> progress = nullptr;  // some times a second, never from two threads at once
};

// What a copy would do.
struct CopyPlan {
  TableDescriptor descriptor;           // of the table to be made
  std::vector<std::string> split_keys;  // of the table to be made
  bool creates_table = false;           // else it is there already
  int64_t size_bytes = 0;               // of the source, approximate; 0: unknown
};

// Errors: kTableNotFound; kNoSuchColumnFamily for a family that either table does not have.
Expected<CopyPlan> PlanCopy(Connection& source, std::string_view source_table, Connection& target,
                            std::string_view target_table, const CopyOptions& options);

// Copies source_table into target_table, which is made if it is not there and added to if it is. What was there stays, but for
// cells at the same row, column, timestamp and type.
// Errors: those of PlanCopy and of reading and writing. What was copied until then stays; see CopyOptions::state_file.
Expected<CopyCounts> CopyTable(Connection& source, std::string_view source_table, Connection& target,
                               std::string_view target_table, const CopyOptions& options);

// Writes the table into files of `directory`: all that CopyTable carries, tags too, packed and with checksums. docs/copy.md has
// the form. An interrupted export goes on when it is called again (its state is in the directory, unless options say where).
// Errors: kInvalidArgument for a directory that holds an export already, kIoError.
Expected<CopyCounts> ExportTable(Connection& source, std::string_view table, const std::string& directory,
                                 const CopyOptions& options);

// The other way. An empty `table` is the one that was exported. As with CopyTable the table is made or added to, and
// CopyOptions::state_file lets it go on after an interruption.
// Errors: kCorruption naming the file for one that is not what was written; cells read before that may be in the table.
Expected<CopyCounts> ImportTable(const std::string& directory, Connection& target, std::string_view table,
                                 const CopyOptions& options);
Expected<CopyPlan> PlanImport(const std::string& directory, Connection& target, std::string_view table,
                              const CopyOptions& options);

// Reads all files of an export and checks them.
Expected<CopyCounts> CheckExport(const std::string& directory, const CopyOptions& options);

// A row whose cells are not the same on both sides.
struct RowDifference {
  std::string row;
  std::string what;  // "only in source", "only in target", or the first cell that differs
};

struct CompareReport {
  CopyCounts source;
  CopyCounts target;
  int64_t differing_rows = 0;
  std::vector<RowDifference> differences;  // the first of them, in key order
};

struct CompareOptions {
  // False: what readers see, in all versions. True: delete markers and hidden cells as well, which two equal tables may
  // have dropped at different times.
  bool raw = false;
  size_t max_differences = 20;  // to be named; all are counted
};

// Reads both tables, side by side and over the rows, families and times of `options`. A row that differs is read again on both
// sides before it counts, so that a row written meanwhile on both is not named.
Expected<CompareReport> CompareTables(Connection& source, std::string_view source_table, Connection& target,
                                      std::string_view target_table, const CopyOptions& options,
                                      const CompareOptions& compare = {});

}  // namespace klip
