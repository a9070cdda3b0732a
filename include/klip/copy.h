// Copying a table from one store or cluster to another, and comparing two tables cell by cell.
//
// A copy transfers the descriptor, the region boundaries and all cells that a raw scan shows: every version, delete markers,
// timestamps, cell TTLs. It runs while others write, so it does not show the table at one moment; for that, copy a clone of a snapshot.
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
  int64_t tags_left_out = 0;   // cells with tags that a write to the target cannot contain (all tags except a TTL)

  CopyCounts& operator+=(const CopyCounts& other);
};

struct CopyProgress {
  CopyCounts counts;       // so far, including those before a resume
  double fraction = 0;     // of the key range, 0 to 1
  int64_t elapsed_us = 0;  // of this run
};

struct CopyOptions {
  std::string start_row = {};  // rows in [start_row, stop_row); empty: no bound
  std::string stop_row = {};
  std::vector<std::string> families = {};  // empty: all
  TimeRange time_range = {};
  std::string compression = {};  // of a new table; empty: that of the source
  // A row-key schema for the target, with the same fields as the source's schema: each row key is decoded by the source's schema and
  // encoded by this one. Empty: rows keep their keys.
  // Errors: kInvalidArgument: the source has no schema, or not these fields; naming a row that does not fit.
  std::string row_key = {};
  int threads = 2;
  int64_t chunk_bytes = 64 << 20;  // the unit of recording: an interruption repeats at most this much per thread
  int64_t max_bytes_per_s = 0;     // 0: no limit
  int64_t max_rows_per_s = 0;

  // Finished key ranges are recorded in this file, so that the same call after an interruption copies only the rest. The copy
  // removes it at the end. Empty: no record. Errors: kInvalidArgument for a file that another `job` wrote.
  std::string state_file = {};
  std::string job = {};  // the copy's description, in one line

  std::function<void(const CopyProgress&)> progress = nullptr;  // called several times a second by one thread at a time
};

// The plan of a copy.
struct CopyPlan {
  TableDescriptor descriptor;           // of the new table
  std::vector<std::string> split_keys;  // of the new table
  bool creates_table = false;           // false: the table exists
  int64_t size_bytes = 0;               // of the source, approximate; 0: unknown
};

// Errors: kTableNotFound; kNoSuchColumnFamily for a family that one of the tables lacks.
Expected<CopyPlan> PlanCopy(Connection& source, std::string_view source_table, Connection& target,
                            std::string_view target_table, const CopyOptions& options);

// Copies source_table into target_table, which is created if it does not exist. Existing cells of the target remain, except
// those at the same row, column, timestamp and type.
// Errors: those of PlanCopy and of reading and writing. Cells copied before the error remain; see CopyOptions::state_file.
Expected<CopyCounts> CopyTable(Connection& source, std::string_view source_table, Connection& target,
                               std::string_view target_table, const CopyOptions& options);

// Exports the table into files in `directory`: all that CopyTable copies, and tags, compressed and with checksums. docs/copy.md
// describes the format. Call it again to resume an interrupted export (its state is in the directory, unless options say where).
// Errors: kInvalidArgument for a directory that already contains an export, kIoError.
Expected<CopyCounts> ExportTable(Connection& source, std::string_view table, const std::string& directory,
                                 const CopyOptions& options);

// Imports an export. An empty `table` means the exported table's name. Like CopyTable, it creates the table or adds to it, and
// resumes with CopyOptions::state_file after an interruption.
// Errors: kCorruption naming a file that differs from what was exported; cells read before that may be in the table.
Expected<CopyCounts> ImportTable(const std::string& directory, Connection& target, std::string_view table,
                                 const CopyOptions& options);
Expected<CopyPlan> PlanImport(const std::string& directory, Connection& target, std::string_view table,
                              const CopyOptions& options);

// Reads all files of an export and checks them.
Expected<CopyCounts> CheckExport(const std::string& directory, const CopyOptions& options);

// A row whose cells differ.
struct RowDifference {
  std::string row;
  std::string what;  // "only in source", "only in target", or the first cell that differs
};

struct CompareReport {
  CopyCounts source;
  CopyCounts target;
  int64_t differing_rows = 0;
  std::vector<RowDifference> differences;  // the first ones, in key order
};

struct CompareOptions {
  // False: compares what readers see, in all versions. True: also delete markers and hidden cells, which two equal tables may
  // have dropped at different times.
  bool raw = false;
  size_t max_differences = 20;  // limit of listed differences; all are counted
};

// Reads both tables side by side, restricted to the rows, families and times of `options`. Before it counts a row that differs, it reads
// the row again on both sides, so that a concurrent write to both is not reported.
Expected<CompareReport> CompareTables(Connection& source, std::string_view source_table, Connection& target,
                                      std::string_view target_table, const CopyOptions& options,
                                      const CompareOptions& compare = {});

}  // namespace klip
