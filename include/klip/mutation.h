// Put, Delete, Increment, Append and their atomic combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/query.h"

namespace klip {

// Which failures an acknowledged write survives.
enum class Durability : uint8_t {
  kUseDefault,  // the table's DURABILITY attribute, else kSyncWal
  kSkipWal,     // none: lost with the process unless flushed. A write to several families is logged as kAsyncWal
  kAsyncWal,    // in the log's buffers: lost after a power failure; the last moments also after kill -9
  kSyncWal,     // per ConnectionOptions::sync_wal: fsynced (default), or passed to the operating system as HBase does
  kFsyncWal,    // fsynced
};

struct Put {
  struct Column {
    std::string family;
    std::string qualifier;
    std::string value;
    int64_t timestamp_ms = kLatestTimestamp;  // kLatestTimestamp: Put::timestamp_ms
    std::string tags = {};  // see Cell::tags; Put::ttl_ms overrides a TTL among them. Not sent to clusters
  };

  std::string row;
  std::vector<Column> columns = {};
  int64_t timestamp_ms = kLatestTimestamp;
  int64_t ttl_ms = 0;  // 0: only the family's TTL. Otherwise the smaller of the two counts
  Durability durability = Durability::kUseDefault;
  OperationAttributes attributes = {};

  Put& Add(std::string family, std::string qualifier, std::string value, int64_t at_ms = kLatestTimestamp) & {
    columns.push_back({std::move(family), std::move(qualifier), std::move(value), at_ms});
    return *this;
  }
  Put&& Add(std::string family, std::string qualifier, std::string value, int64_t at_ms = kLatestTimestamp) && {
    return std::move(Add(std::move(family), std::move(qualifier), std::move(value), at_ms));
  }
};

// Without markers: deletes the whole row, up to timestamp_ms.
struct Delete {
  struct Marker {
    CellType type = CellType::kDeleteFamily;
    std::string family;
    std::string qualifier = {};
    int64_t timestamp_ms = kLatestTimestamp;
  };

  std::string row;
  std::vector<Marker> markers = {};
  int64_t timestamp_ms = kLatestTimestamp;
  Durability durability = Durability::kUseDefault;
  OperationAttributes attributes = {};

  // All columns of the family, up to the timestamp.
  Delete& AddFamily(std::string family, int64_t at_ms = kLatestTimestamp);
  // All columns of the family at exactly the timestamp.
  Delete& AddFamilyVersion(std::string family, int64_t at_ms);
  // All versions of the column, up to the timestamp.
  Delete& AddColumns(std::string family, std::string qualifier, int64_t at_ms = kLatestTimestamp);
  // One version of the column; kLatestTimestamp: the newest one.
  Delete& AddColumn(std::string family, std::string qualifier, int64_t at_ms = kLatestTimestamp);
};

// Adds to 8-byte big-endian counters. An absent counter is 0; overflow wraps around.
struct Increment {
  struct Column {
    std::string family;
    std::string qualifier;
    int64_t amount = 1;
    int64_t timestamp_ms = kLatestTimestamp;  // of the new cell if there was none; otherwise newer than the old one
  };

  std::string row;
  std::vector<Column> columns = {};
  TimeRange time_range = {};
  int64_t ttl_ms = 0;
  bool return_results = true;
  Durability durability = Durability::kUseDefault;
  OperationAttributes attributes = {};

  Increment& Add(std::string family, std::string qualifier, int64_t amount = 1);
};

// Appends to the newest values. An absent value is empty.
struct Append {
  struct Column {
    std::string family;
    std::string qualifier;
    std::string value;
    int64_t timestamp_ms = kLatestTimestamp;  // as in Increment
  };

  std::string row;
  std::vector<Column> columns = {};
  TimeRange time_range = {};
  int64_t ttl_ms = 0;
  bool return_results = true;
  Durability durability = Durability::kUseDefault;
  OperationAttributes attributes = {};

  Append& Add(std::string family, std::string qualifier, std::string value);
};

using Mutation = std::variant<Put, Delete, Increment, Append>;

// Mutations of one row, applied in order as one atomic step.
struct RowMutations {
  std::string row;
  std::vector<Mutation> mutations = {};
};

// The condition of a CheckAndMutate on one row. Exactly one form:
//  - a column compared with a value. Note: as in HBase the test is "`value` OP cell", so kGreater holds if `value` is
//    above the cell. An absent cell passes only kEqual with an empty `value`;
//  - a column that must not exist (or is empty): kEqual with an empty value, see IfNotExists;
//  - a filter: holds if the filtered row has any cell.
struct RowCondition {
  std::string family = {};
  std::string qualifier = {};
  CompareOp op = CompareOp::kEqual;
  std::string value = {};
  ComparatorPtr comparator = nullptr;  // replaces `value`
  FilterPtr filter = nullptr;          // replaces the column
  TimeRange time_range = {};

  static RowCondition IfNotExists(std::string family, std::string qualifier);
  static RowCondition IfEquals(std::string family, std::string qualifier, std::string value);
};

struct CheckAndMutate {
  std::string row;
  RowCondition condition;
  std::variant<Put, Delete, Increment, Append, RowMutations> action;
};

struct CheckAndMutateResult {
  bool success = false;
  Result result = {};  // of an Increment or Append; otherwise empty
};

// One step of Table::Batch.
using Action = std::variant<Get, Put, Delete, Increment, Append, RowMutations, CheckAndMutate>;

// Atomic changes to many rows and tables of one connection (Connection::Apply).
struct AtomicBatch {
  struct Condition {
    std::string table;
    std::string row;
    RowCondition condition;
  };
  struct Step {
    std::string table;
    Mutation mutation;
  };

  std::vector<Condition> conditions = {};  // all must hold
  std::vector<Step> steps = {};
  Durability durability = Durability::kUseDefault;
};

}  // namespace klip
