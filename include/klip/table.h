// Table and ResultScanner: reads and writes of one table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cancel.h"
#include "klip/cell.h"
#include "klip/heat.h"
#include "klip/mutation.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/row_batch.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip {

// Not thread-safe. Each row is complete and as of one moment; different rows may be of different moments, as in HBase. Holds no lock, so
// an open scanner blocks nobody. The CancelToken under which it was opened cancels it, on whatever thread Next is called.
class ResultScanner {
 public:
  virtual ~ResultScanner() = default;

  // Moves to the next row (or piece of a row) and fills *result; false at the end, and *result is then empty.
  // Reusing one Result for the whole scan saves allocations.
  virtual Expected<bool> Next(Result* result) = 0;

  virtual ScanStatistics statistics() const = 0;

  // The plan, with the figures of the scan so far.
  virtual klip::Explain explain() const = 0;
};

// Not thread-safe. Sees rows as a ResultScanner does.
class BatchScanner {
 public:
  virtual ~BatchScanner() = default;

  // The next rows, at least one, valid until the next call; nullptr at the end.
  virtual Expected<const RowBatch*> Next() = 0;
};

// Inserts a row before the first row of a table whose keys are 8-byte big-endian numbers counting down.
struct Prepend {
  uint64_t last_key = 0x7fffffffffffffff;  // key of the first row ever inserted, which stays the table's last row
  std::string family;                      // `check` column: absent in a row that does not exist
  std::string qualifier;
  std::vector<Put::Column> columns;  // the columns to insert; must contain the check column
  Durability durability = Durability::kUseDefault;
};

// A value of the leading key fields and how many rows have it.
struct KeyCount {
  std::vector<std::string> values;
  int64_t rows = 0;  // 0 if only distinct values were requested
};

// A call of an endpoint's method (klip/coprocessor.h), in every region that has rows from start_row to stop_row, both
// included. To call one region, set both to a row of it.
struct EndpointRequest {
  std::string service;
  std::string method;
  std::string request;         // the request's bytes
  std::string start_row = {};  // empty: from the first row
  std::string stop_row = {};   // empty: to the end
};

struct EndpointAnswer {
  std::string start_key;  // of the region
  std::string bytes;
};

// Thread-safe. Must not outlive its Connection. All calls also fail with kTableNotFound if the table was dropped, with
// kTableNotEnabled while it is disabled, and with kNoSuchColumnFamily for an unknown family.
class Table {
 public:
  virtual ~Table() = default;

  virtual const std::string& name() const = 0;

  // --- Reading ---

  // A row that does not exist is not an error: the Result is empty.
  virtual Expected<Result> Get(const klip::Get& get) = 0;

  // One result per Get, in order.
  virtual Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) = 0;

  virtual Expected<bool> Exists(const klip::Get& get) = 0;

  virtual Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) = 0;

  // The rows of `scan` in batches, each with its key and the newest visible values of these columns: for programs that read many rows by
  // columns. A row that has none of the columns is returned, too. Errors: those of Scan and Next; kInvalidArgument for a raw scan.
  virtual Expected<std::unique_ptr<BatchScanner>> ScanBatches(const klip::Scan& scan,
                                                              const std::vector<ColumnName>& columns);

  // How many rows `scan` would return. Does not build Results if the store can count the rows by their keys. A row that is
  // returned in pieces counts once. Errors: those of Scan and Next.
  virtual Expected<int64_t> CountRows(const klip::Scan& scan);

  // Parses conditions on key fields and columns for Scan::where; docs/keys.md describes the syntax. A column is family:qualifier. Its
  // values have the type written after it ("f:visits::i64>9"), else the one that an index declares, else they are text.
  // Errors: kInvalidArgument naming the offset, and the known fields or families; those of reading the table's description.
  virtual Expected<KeyQuery> ParseQuery(std::string_view text) const = 0;

  // The plan of `scan`. Takes some ms, as it reads what statistics lack: rows that are only in memory, and some hundred others, to test
  // its conditions on them; on a cluster, samples.
  virtual Expected<klip::Explain> Explain(const klip::Scan& scan) = 0;
  // The number of rows that `scan` returns, as far as statistics show, for callers that plan scans of several tables; nullopt: unknown.
  // Takes some 10 to 100 us; on a cluster, as long as Explain.
  virtual Expected<std::optional<double>> EstimateRows(const klip::Scan& scan) {
    KLIP_ASSIGN_OR_RETURN(const klip::Explain plan, Explain(scan));
    return plan.has_statistics ? std::optional(plan.estimated.rows_returned) : std::nullopt;
  }

  // The first or last row, in one seek; an empty Result for an empty table.
  virtual Expected<Result> FirstRow() = 0;
  virtual Expected<Result> LastRow() = 0;

  // The distinct values of the first `fields` key fields, in key order, found by jumps from one to the next.
  // With `count_rows`, also the number of rows of each, which reads the keys of all rows.
  // Errors: kInvalidArgument if the table has no row-key schema or fewer fields.
  virtual Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) = 0;

  // --- Writing; every call is atomic per row ---

  virtual Status Put(const klip::Put& put) = 0;
  virtual Status Delete(const klip::Delete& del) = 0;

  // Increment and Append return the new values, unless return_results is false.
  virtual Expected<Result> Increment(const klip::Increment& increment) = 0;
  virtual Expected<Result> Append(const klip::Append& append) = 0;

  // Returns the cells written by increments and appends among the mutations.
  virtual Expected<Result> Mutate(const RowMutations& mutations) = 0;

  virtual Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) = 0;

  // One outcome per action, in order. A failed action does not stop the others. Actions on different rows run in any order.
  // A CheckAndMutate whose condition does not hold gives a Result with exists() == false, otherwise exists() == true.
  virtual std::vector<Expected<Result>> Batch(std::span<const Action> actions) = 0;

  // Writes all puts in a few large commits: the fast way to load. Each row is atomic. After an error, the puts before the
  // failed one may have been written.
  virtual Status Put(std::span<const klip::Put> puts) = 0;

  // Inserts one row before the first row and returns its key. Safe with any number of concurrent callers: keys are
  // consecutive, and none is lost.
  virtual Expected<uint64_t> Prepend(const klip::Prepend& prepend) = 0;

  // --- Endpoints ---

  // The responses of the regions, in order. Regions are called one after the other; the first error ends the call,
  // regardless of earlier results. Errors: those of the endpoint; kUnsupported if a region has no such service.
  virtual Expected<std::vector<EndpointAnswer>> CallEndpoint(const EndpointRequest& call) {
    return Status(Code::kUnsupported, "table '" + name() + "' has no endpoint " + call.service);
  }

  // --- About the table ---

  // The row-key schema, or nullopt if the table has none.
  virtual std::optional<RowKeySchema> row_key_schema() const = 0;
  virtual Expected<TableStatistics> Statistics() = 0;
  // A uniform sample of row keys, sorted: at most 2,048, with their first 128 bytes, from files only. Errors: kUnsupported
  // on a cluster.
  virtual Expected<std::vector<std::string>> SampleKeys() {
    return Status(Code::kUnsupported, "only the process that has the store open has samples of keys");
  }
  // Reads and writes since the store was opened, at most eight days back; in memory only. Errors: kUnsupported on
  // a cluster, whose servers count by region (Admin::GetRegionMetrics).
  virtual Expected<HeatMap> Heat(const HeatQuery& /*query*/) {
    return Status(Code::kUnsupported, "only the process that has the store open has heat maps: see klip serve");
  }
};

}  // namespace klip
