// Start here: Connection::Open, then GetTable and admin.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/caller.h"
#include "klip/cell.h"
#include "klip/coprocessor.h"
#include "klip/mutation.h"
#include "klip/query_log.h"
#include "klip/status.h"
#include "klip/table.h"
#include "klip/transaction.h"

namespace klip {

struct ConnectionOptions {
  bool create_if_missing = true;
  // Changes nothing in the directory, not even after a crash, and refuses writes with kReadOnly. Several processes may read a store at
  // the same time, also on a file system that is mounted read-only, but not while it is open for writing.
  // Same as klip:<directory>?read-only.
  bool read_only = false;
  int64_t block_cache_bytes = 256 << 20;
  int64_t memtable_bytes = 128 << 20;  // of all tables together
  bool sync_wal = true;  // Durability::kSyncWal fsyncs; false: passes the log to the OS, as HBase does by default
  bool table_sanity_checks = true;    // reject unsafe settings, e.g. tiny blocks (hbase.table.sanity.checks)
  int64_t max_cell_bytes = 10 << 20;  // hbase.server.keyvalue.maxsize; 0: no limit
  int64_t max_row_read_bytes = int64_t{1} << 30;  // hbase.table.max.rowsize
  // Milliseconds since 1970. Null: the system's clock. Writes to one row then keep their order within a millisecond: a put after
  // a delete in the same millisecond gets the next one. If this is set, its time is used unchanged.
  std::function<int64_t()> clock_ms = nullptr;
  // Called for each operation that took slow_operation_ms, on the thread of the operation, which waits for it. Null: no timing.
  SlowOperationLog slow_operation_log = nullptr;
  int64_t slow_operation_ms = 10'000;  // hbase.ipc.warn.response.time
  QueryLog query_log = nullptr;        // receives the queries on row keys; null: none are logged
  // The program's own coprocessors (klip/coprocessor.h). The servers of a cluster load theirs themselves.
  std::vector<ObserverRegistration> observers = {};
  std::vector<EndpointRegistration> endpoints = {};
  // Path of wasmtime's C library (libwasmtime.so), for tables that name WebAssembly modules. Empty: the path in the environment
  // variable KLIP_WASM_RUNTIME, or where pip and the system's packages install it.
  std::string wasm_runtime = {};
  // Opens tables without the coprocessors that they name. Otherwise tables with Java coprocessors, which only klip serve runs,
  // are read-only, and compactions drop none of their cells.
  bool ignore_coprocessors = false;

  // For a connection to a cluster; all options above are for an embedded store.
  int64_t rpc_timeout_ms = 60'000;         // of one call (hbase.rpc.timeout)
  int64_t operation_timeout_ms = 120'000;  // of an operation with its retries, or of one Next of a scan
  // How long a read with Consistency::kTimeline waits for the primary before it also asks the replicas.
  int64_t primary_get_timeout_ms = 10;      // hbase.client.primaryCallTimeout.get, .multiget
  int64_t primary_scan_timeout_ms = 1'000;  // hbase.client.replicaCallTimeout.scan
};

// Writes a table's sorted files directly: many times faster than Put for initial loads. Not thread-safe; one per key range.
class BulkLoader {
 public:
  virtual ~BulkLoader() = default;

  // Rows in ascending order. REQUIRES: the row is above that of the previous call.
  // Errors: kInvalidArgument if it is not.
  virtual Status Add(const Put& put) = 0;

  // Adds cells of one row unchanged, with delete markers and tags, in HBase's order. A row may come in several pieces.
  // REQUIRES: they are above the cells of the previous call; of equal cells the first one counts.
  // Errors: kInvalidArgument if they are not.
  virtual Status Add(std::span<const Cell> cells) = 0;

  // Makes all added rows visible atomically. Without this call, nothing is loaded.
  virtual Status Finish() = 0;
};

// Thread-safe. Must outlive every Table, Admin, scanner and loader created from it.
class Connection {
 public:
  virtual ~Connection() = default;

  // Opens a store in a directory, "klip:<directory>" (for one process) or "klip:<directory>?read-only" (for several to read), or connects
  // to an HBase 2 cluster or klip serve: "hbase+rpc://host:port[,host:port...]" with the addresses of masters or region servers,
  // "hbase+zk://host:port[,...][/znode]" with those of ZooKeeper.
  // Errors: kInvalidArgument (bad URI, bad registration of a coprocessor), kStoreInUse, kNewerFormat (a newer klip wrote the store),
  // kCorruption with the name of the file, kIoError.
  static Expected<std::unique_ptr<Connection>> Open(std::string_view uri, const ConnectionOptions& options = {});

  // Errors: kTableNotFound.
  virtual Expected<std::unique_ptr<Table>> GetTable(std::string_view name) = 0;
  virtual Admin& admin() = 0;

  // Applies a change to many rows and tables atomically: after a crash, all of it exists or nothing. Returns false, and writes
  // nothing, if a condition does not hold.
  virtual Expected<bool> Apply(const AtomicBatch& batch) = 0;

  // Errors: kUnsupported on a cluster: HBase commits rows one by one, so other clients would see parts of a transaction.
  virtual Expected<std::unique_ptr<Transaction>> Begin(const TransactionOptions& options = {}) = 0;

  virtual Expected<std::unique_ptr<BulkLoader>> NewBulkLoader(std::string_view table) = 0;
};

}  // namespace klip
