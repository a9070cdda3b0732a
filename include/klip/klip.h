/* klip's C interface: stores and clusters, tables, rows and row-key schemas, for C and for bindings of other languages. docs/c.md
 * is the introduction; the names and their meanings are those of the C++ headers beside this one (klip/table.h, klip/query.h, ...).
 *
 * Ownership. What you pass in is yours and borrowed for the call. What a klip_X** argument gives you is freed by klip_X_free, a
 * char** by klip_free; each free takes NULL. Views (klip_bytes, klip_cell, klip_row) point into the handle they came from and live
 * as long as it says there.
 *
 * Errors. Calls that can fail return a code, KLIP_OK on success. With a code other than KLIP_OK, and unless `error` is NULL, *error
 * becomes a new klip_error, and other outputs are left as they were. A row that does not exist, a condition that is not met and the
 * end of a scan are not errors. No C++ exception comes out, and only memory that is exhausted ends the process.
 *
 * Threads. Connections, tables, schemas and errors may be used by many threads at once; scanners, rows, loaders, lists
 * and transactions with their tables by one at a time. (A scanner or loader that two threads use at once answers one of them with KLIP_INVALID_ARGUMENT.) No handle may be used
 * during or after its own free.
 *
 * A callback (klip_scan.interrupted) may make any call but those on the handle that asks it.
 *
 * Closing. klip_connection_close closes the store or cluster even if tables, scanners and loaders made from it are still there. Every
 * call on those then fails with KLIP_INVALID_ARGUMENT; they still have to be freed.
 *
 * Structs that begin with `struct_size` are made by the function below them, which sets HBase's defaults, so that a program goes on
 * working with a klip that knows more fields. In arrays of them all struct_size are equal. Other structs stay as they are. */
#ifndef KLIP_KLIP_H
#define KLIP_KLIP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "klip/arrow_abi.h"

#if defined(__GNUC__)
#define KLIP_API __attribute__((visibility("default")))
#else
#define KLIP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library of the same major and of this or a higher minor version fits this header. */
#define KLIP_ABI_MAJOR 1
#define KLIP_ABI_MINOR 4

/* The library's: KLIP_ABI_MAJOR * 1000 + KLIP_ABI_MINOR. */
KLIP_API int klip_abi_version(void);

/* klip's release, e.g. "0.1.0". */
KLIP_API const char* klip_version(void);

/* ------------------------------------------------------------------------------------------------------------------ Bytes, errors */

/* Any bytes; not ended by a zero. `data` may be NULL when `size` is 0. */
typedef struct klip_bytes {
  const char* data;
  size_t size;
} klip_bytes;

/* The bytes of a C string, without its zero. */
static inline klip_bytes klip_str(const char* text) {
  klip_bytes bytes;
  bytes.data = text;
  bytes.size = text == NULL ? 0 : strlen(text);
  return bytes;
}

/* Each code is an exception of HBase (klip_error_java_class). */
typedef enum klip_code {
  KLIP_OK = 0,
  KLIP_INVALID_ARGUMENT = 1,
  KLIP_DO_NOT_RETRY = 2, /* the request can never succeed */
  KLIP_TABLE_NOT_FOUND = 3,
  KLIP_TABLE_EXISTS = 4,
  KLIP_TABLE_NOT_ENABLED = 5,
  KLIP_TABLE_NOT_DISABLED = 6,
  KLIP_NO_SUCH_COLUMN_FAMILY = 7,
  KLIP_INVALID_FAMILY_OPERATION = 8,
  KLIP_NAMESPACE_NOT_FOUND = 9,
  KLIP_NAMESPACE_EXISTS = 10,
  KLIP_CONSTRAINT_VIOLATION = 11,
  KLIP_SNAPSHOT_EXISTS = 12,
  KLIP_SNAPSHOT_NOT_FOUND = 13,
  KLIP_WRONG_ROW = 14,
  KLIP_ROW_TOO_BIG = 15,
  KLIP_INCOMPATIBLE_FILTER = 16,
  KLIP_OPERATION_CONFLICT = 17,
  KLIP_REGION_TOO_BUSY = 18,
  KLIP_NOT_SERVING_REGION = 19,
  KLIP_UNSUPPORTED = 20,
  KLIP_TIMED_OUT = 21,
  KLIP_CANCELLED = 22,
  KLIP_READ_ONLY = 23,    /* the store stopped taking writes after a failed fsync; reads go on */
  KLIP_STORE_IN_USE = 24, /* another process has the store open */
  KLIP_NEWER_FORMAT = 25, /* the store was written by a newer klip */
  KLIP_CORRUPTION = 26,
  KLIP_IO_ERROR = 27,
  KLIP_TRANSACTION_CONFLICT = 28
} klip_code;

typedef struct klip_error klip_error;

KLIP_API klip_code klip_error_code(const klip_error* error);
/* Lives as long as the error, as the next. */
KLIP_API const char* klip_error_message(const klip_error* error);
/* "org.apache.hadoop.hbase.TableNotFoundException" */
KLIP_API const char* klip_error_java_class(const klip_error* error);
/* 1: the same call may succeed later. */
KLIP_API int klip_error_retryable(const klip_error* error);
KLIP_API void klip_error_free(klip_error* error);

/* "TableNotFound"; NULL for a number that is no code. */
KLIP_API const char* klip_code_name(int code);

/* Frees what a char** argument gave. */
KLIP_API void klip_free(char* text);

/* A list of byte strings. */
typedef struct klip_list klip_list;

KLIP_API size_t klip_list_size(const klip_list* list);
/* Lives as long as the list. No bytes (data NULL) for an index that is not below its size. */
KLIP_API klip_bytes klip_list_get(const klip_list* list, size_t index);
KLIP_API void klip_list_free(klip_list* list);

/* HBase's printable form of bytes, Bytes.toStringBinary: each byte that is not printable as \xNN. Ended by a zero. */
KLIP_API char* klip_to_string_binary(klip_bytes bytes);
/* The inverse. *size bytes, and a zero behind them. */
KLIP_API char* klip_from_string_binary(const char* text, size_t* size);

/* ------------------------------------------------------------------------------------------------------------------ Connections */

typedef struct klip_connection klip_connection;

typedef struct klip_options {
  size_t struct_size;
  /* Of an embedded store. */
  int create_if_missing; /* 1 */
  int sync_wal;          /* 1: acknowledged writes are fsynced; 0: handed to the operating system, HBase's default */
  int64_t block_cache_bytes;  /* 256 MiB */
  int64_t memtable_bytes;     /* 128 MiB, of all tables together */
  int64_t max_cell_bytes;     /* 10 MiB; 0: no limit (hbase.server.keyvalue.maxsize) */
  int64_t max_row_read_bytes; /* 1 GiB (hbase.table.max.rowsize) */
  int table_sanity_checks;    /* 1: reject unsafe table settings (hbase.table.sanity.checks) */
  /* Of a cluster. */
  int64_t rpc_timeout_ms;       /* 60,000: of one call (hbase.rpc.timeout) */
  int64_t operation_timeout_ms; /* 120,000: of all tries of an operation, of each step of a scan */
} klip_options;

static inline klip_options klip_options_default(void) {
  klip_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.create_if_missing = 1;
  options.sync_wal = 1;
  options.block_cache_bytes = (int64_t)256 << 20;
  options.memtable_bytes = (int64_t)128 << 20;
  options.max_cell_bytes = (int64_t)10 << 20;
  options.max_row_read_bytes = (int64_t)1 << 30;
  options.table_sanity_checks = 1;
  options.rpc_timeout_ms = 60000;
  options.operation_timeout_ms = 120000;
  return options;
}

/* Opens "klip:<directory>" (embedded: one process at a time) or a cluster: "hbase+rpc://host:port[,...]" or
 * "hbase+zk://host:port[,...][/znode]". `options` may be NULL. */
KLIP_API klip_code klip_connection_open(const char* uri, const klip_options* options, klip_connection** connection,
                                        klip_error** error);

/* Ends running scans with KLIP_CANCELLED, waits for other calls that are on their way, and closes. The handle is freed later. Closing
 * a second time does nothing. */
KLIP_API void klip_connection_close(klip_connection* connection);
/* Closes, if that was not done, and frees. */
KLIP_API void klip_connection_free(klip_connection* connection);

/* ------------------------------------------------------------------------------------------------------------------ Rows and cells */

/* As the timestamp of a write: "now". As the upper bound of a read: none. */
#define KLIP_LATEST_TIMESTAMP INT64_MAX
/* All versions that a family keeps. */
#define KLIP_ALL_VERSIONS INT32_MAX

typedef enum klip_cell_type {
  KLIP_CELL_PUT = 4,
  KLIP_CELL_DELETE = 8,                 /* one version: exactly this timestamp */
  KLIP_CELL_DELETE_FAMILY_VERSION = 10, /* every column of the family at exactly this timestamp */
  KLIP_CELL_DELETE_COLUMN = 12,         /* all versions of the column up to this timestamp */
  KLIP_CELL_DELETE_FAMILY = 14          /* all columns of the family up to this timestamp */
} klip_cell_type;

/* One version of one column. */
typedef struct klip_cell {
  klip_bytes row;
  klip_bytes family;
  klip_bytes qualifier;
  klip_bytes value;
  klip_bytes tags; /* HBase's tag bytes; empty for most cells */
  int64_t timestamp_ms;
  int32_t type; /* klip_cell_type */
  int32_t reserved;
} klip_cell;

/* A row's cells in HBase's order: family, qualifier, newest first. */
typedef struct klip_row {
  const klip_cell* cells;
  size_t cell_count;
  int exists;              /* 1: the row exists, or the condition was met. With existence_only there are no cells */
  int has_more_cells;      /* 1: further pieces of this row follow (batch, allow_partial_results) */
  const klip_error* error; /* of this action of a klip_table_batch; NULL: none */
} klip_row;

/* Rows that a call brought. */
typedef struct klip_rows klip_rows;

KLIP_API size_t klip_rows_size(const klip_rows* rows);
/* Lives as long as the rows, or until they are handed to a call to be filled again. NULL for an index that is not below the size. */
KLIP_API const klip_row* klip_rows_get(const klip_rows* rows, size_t index);
/* 1: a replica has answered, with possibly stale data (KLIP_TIMELINE). Since ABI 1.1. */
KLIP_API int klip_rows_stale(const klip_rows* rows, size_t index);
KLIP_API void klip_rows_free(klip_rows* rows);

/* ------------------------------------------------------------------------------------------------------------------ Reading */

/* A column; a whole family when `whole_family` is 1. */
typedef struct klip_column {
  klip_bytes family;
  klip_bytes qualifier;
  int whole_family;
} klip_column;

/* Timestamps in [min_ms, max_ms). */
typedef struct klip_time_range {
  int64_t min_ms;
  int64_t max_ms;
} klip_time_range;

/* In place of the time range, for one family. */
typedef struct klip_family_time_range {
  klip_bytes family;
  klip_time_range range;
} klip_family_time_range;

typedef enum klip_consistency {
  KLIP_STRONG = 0,   /* the primary alone */
  KLIP_TIMELINE = 1, /* region replicas too, where a table has them (REGION_REPLICATION): the first answer counts */
} klip_consistency;

typedef struct klip_get {
  size_t struct_size;
  klip_bytes row;
  const klip_column* columns; /* none: all */
  size_t column_count;
  klip_time_range time_range;
  const klip_family_time_range* family_time_ranges;
  size_t family_time_range_count;
  int32_t max_versions;           /* 1 */
  int32_t max_results_per_family; /* -1: all cells */
  int32_t row_offset_per_family;  /* 0: cells of each family to pass over first */
  klip_bytes filter;              /* "PrefixFilter('a') AND PageFilter(5)"; docs/filters.md */
  int existence_only;             /* 0 */
  int cache_blocks;               /* 1 */
  /* klip_consistency, since ABI 1.1. What a replica has answered may be old (klip_rows_stale). */
  int32_t consistency;
  int32_t replica_id; /* -1: any. With KLIP_TIMELINE this replica and no other, 0 is the primary */
} klip_get;

static inline klip_get klip_get_default(klip_bytes row) {
  klip_get get;
  memset(&get, 0, sizeof(get));
  get.struct_size = sizeof(get);
  get.row = row;
  get.time_range.max_ms = KLIP_LATEST_TIMESTAMP;
  get.max_versions = 1;
  get.max_results_per_family = -1;
  get.cache_blocks = 1;
  get.replica_id = -1;
  return get;
}

typedef struct klip_scan {
  size_t struct_size;
  klip_bytes start_row; /* empty: the first row (reversed: the last) */
  klip_bytes stop_row;  /* empty: to the end */
  int include_start;    /* 1 */
  int include_stop;     /* 0 */
  klip_bytes prefix;    /* only rows that start with it; start_row and stop_row are then left empty */
  int reversed;         /* 0 */
  int64_t limit_rows;   /* 0: no limit */
  const klip_column* columns;
  size_t column_count;
  klip_time_range time_range;
  const klip_family_time_range* family_time_ranges;
  size_t family_time_range_count;
  int32_t max_versions;
  int32_t max_results_per_family;
  int32_t row_offset_per_family;
  int32_t batch;             /* at most this many cells in a klip_row; 0: whole rows */
  int64_t max_result_bytes;  /* with allow_partial_results: a klip_row is cut once it holds this many; 0: never */
  int allow_partial_results; /* 0 */
  int raw;                   /* 1: delete markers and masked cells too */
  klip_bytes filter;
  klip_bytes where; /* conditions on key fields and columns, "date=20140628 f:city=berlin" */
  int32_t threads;  /* 1. 0: one per core. Rows still come in key order */
  int cache_blocks; /* 1 */
  /* Asked now and then while klip_scanner_next works, on its thread and on those of the scan: other than 0 ends the scan with
   * KLIP_CANCELLED. Lives as long as the scanner. NULL: nobody is asked. */
  int (*interrupted)(void* argument);
  void* interrupted_argument;
  int32_t consistency; /* since ABI 1.1, as klip_get's */
  int32_t replica_id;  /* -1 */
} klip_scan;

static inline klip_scan klip_scan_default(void) {
  klip_scan scan;
  memset(&scan, 0, sizeof(scan));
  scan.struct_size = sizeof(scan);
  scan.include_start = 1;
  scan.time_range.max_ms = KLIP_LATEST_TIMESTAMP;
  scan.max_versions = 1;
  scan.max_results_per_family = -1;
  scan.threads = 1;
  scan.cache_blocks = 1;
  scan.replica_id = -1;
  return scan;
}

typedef struct klip_table klip_table;
typedef struct klip_scanner klip_scanner;

/* Fails with KLIP_TABLE_NOT_FOUND. */
KLIP_API klip_code klip_table_open(klip_connection* connection, const char* name, klip_table** table,
                                   klip_error** error);
KLIP_API const char* klip_table_name(const klip_table* table);
KLIP_API void klip_table_free(klip_table* table);

/* Reads one row; a row that does not exist has no cells. *rows must be NULL, or rows to be filled again, which saves memory being
 * allocated; so it is with all calls that bring rows. */
KLIP_API klip_code klip_table_get(klip_table* table, const klip_get* get, klip_rows** rows, klip_error** error);
/* One row per get, in order. */
KLIP_API klip_code klip_table_multi_get(klip_table* table, const klip_get* gets, size_t count, klip_rows** rows,
                                        klip_error** error);
/* The first or last row of the table. */
KLIP_API klip_code klip_table_edge_row(klip_table* table, int last, klip_rows** rows, klip_error** error);

/* `scan` may be NULL: the whole table. */
KLIP_API klip_code klip_table_scan(klip_table* table, const klip_scan* scan, klip_scanner** scanner,
                                   klip_error** error);

/* Reads on: up to `max_rows` rows, fewer when they come slowly or are large. None: the end. The rows belong to the scanner and live
 * until its next call. What is read before an error is returned first. */
KLIP_API klip_code klip_scanner_next(klip_scanner* scanner, size_t max_rows, const klip_rows** rows,
                                     klip_error** error);
/* From any thread: klip_scanner_next fails with KLIP_CANCELLED, soon. */
KLIP_API void klip_scanner_cancel(klip_scanner* scanner);
KLIP_API void klip_scanner_free(klip_scanner* scanner);

/* What the scan did so far, and what was planned, as JSON (klip::Explain): {"table": ..., "kind": "skip scan", "fields": [...],
 * "actual": {"rows_returned": ..., ...}, ...}. With `text` 1 for people, several lines. */
KLIP_API klip_code klip_scanner_explain(klip_scanner* scanner, int text, char** out, klip_error** error);
/* How `scan` would run. Reads statistics, no rows. */
KLIP_API klip_code klip_table_explain(klip_table* table, const klip_scan* scan, int text, char** out,
                                      klip_error** error);

/* What the table knows about its keys: {"rows": ..., "cells": ..., "fields": [{"name": ..., "distinct_prefixes": ...}], ...}
 * (klip::TableStatistics). */
KLIP_API klip_code klip_table_statistics(klip_table* table, char** json, klip_error** error);
/* The different values of the first `fields` key fields, in key order: [{"values": ["alice", ...], "rows": 3}, ...]. `rows` is 0
 * unless `count_rows` is 1, which reads the keys of all rows. */
KLIP_API klip_code klip_table_distinct_keys(klip_table* table, int fields, int count_rows, char** json,
                                            klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Writing */

typedef enum klip_mutation_kind {
  KLIP_PUT = 1,
  KLIP_DELETE = 2,
  KLIP_INCREMENT = 3,
  KLIP_APPEND = 4
} klip_mutation_kind;

/* What an acknowledged write has survived. */
typedef enum klip_durability {
  KLIP_USE_DEFAULT = 0, /* the table's DURABILITY, else KLIP_SYNC_WAL */
  KLIP_SKIP_WAL = 1,    /* nothing: lost with the process unless flushed */
  KLIP_ASYNC_WAL = 2,
  KLIP_SYNC_WAL = 3, /* as klip_options.sync_wal says */
  KLIP_FSYNC_WAL = 4 /* power loss */
} klip_durability;

/* A column of a mutation. */
typedef struct klip_change {
  klip_bytes family;
  klip_bytes qualifier;
  klip_bytes value;     /* of a put or append */
  int64_t amount;       /* of an increment */
  int64_t timestamp_ms; /* KLIP_LATEST_TIMESTAMP: the mutation's */
  int32_t type;         /* of a delete: which klip_cell_type; 0: KLIP_CELL_DELETE_COLUMN */
  int32_t reserved;     /* 0 */
} klip_change;

typedef struct klip_mutation {
  size_t struct_size;
  int32_t kind; /* klip_mutation_kind */
  klip_bytes row;
  const klip_change* changes; /* a delete without any: the whole row, up to timestamp_ms */
  size_t change_count;
  int64_t timestamp_ms;       /* KLIP_LATEST_TIMESTAMP: now */
  int64_t ttl_ms;             /* 0: only the family's */
  klip_time_range time_range; /* of an increment or append: of the cells to build on */
  int return_results;         /* 1: an increment or append brings the new cells */
  int32_t durability;         /* klip_durability; KLIP_USE_DEFAULT */
} klip_mutation;

static inline klip_mutation klip_mutation_default(klip_mutation_kind kind, klip_bytes row) {
  klip_mutation mutation;
  memset(&mutation, 0, sizeof(mutation));
  mutation.struct_size = sizeof(mutation);
  mutation.kind = (int32_t)kind;
  mutation.row = row;
  mutation.timestamp_ms = KLIP_LATEST_TIMESTAMP;
  mutation.time_range.max_ms = KLIP_LATEST_TIMESTAMP;
  mutation.return_results = 1;
  return mutation;
}

static inline klip_change klip_change_default(klip_bytes family, klip_bytes qualifier, klip_bytes value) {
  klip_change change;
  memset(&change, 0, sizeof(change));
  change.family = family;
  change.qualifier = qualifier;
  change.value = value;
  change.timestamp_ms = KLIP_LATEST_TIMESTAMP;
  return change;
}

typedef enum klip_compare_op {
  KLIP_LESS = 0,
  KLIP_LESS_OR_EQUAL = 1,
  KLIP_EQUAL = 2,
  KLIP_NOT_EQUAL = 3,
  KLIP_GREATER_OR_EQUAL = 4,
  KLIP_GREATER = 5
} klip_compare_op;

/* What must hold of a row: a filter that lets a cell of it pass or, without one, a column. As in HBase the test is "value OP cell":
 * KLIP_GREATER holds when `value` is above the cell. An absent cell passes KLIP_EQUAL with an empty value, and nothing else. */
typedef struct klip_condition {
  size_t struct_size;
  klip_bytes family;
  klip_bytes qualifier;
  int32_t op; /* klip_compare_op; KLIP_EQUAL */
  klip_bytes value;
  klip_bytes filter;
  klip_time_range time_range;
} klip_condition;

static inline klip_condition klip_condition_default(klip_bytes family, klip_bytes qualifier, klip_bytes value) {
  klip_condition condition;
  memset(&condition, 0, sizeof(condition));
  condition.struct_size = sizeof(condition);
  condition.family = family;
  condition.qualifier = qualifier;
  condition.op = KLIP_EQUAL;
  condition.value = value;
  condition.time_range.max_ms = KLIP_LATEST_TIMESTAMP;
  return condition;
}

/* A put, delete, increment or append. `rows` may be NULL; else one row: the new cells of an increment or append. */
KLIP_API klip_code klip_table_mutate(klip_table* table, const klip_mutation* mutation, klip_rows** rows,
                                     klip_error** error);
/* Writes puts, grouped into few commits: the fast way to load. Each row is atomic. On an error, those before it may be written. */
KLIP_API klip_code klip_table_put_all(klip_table* table, const klip_mutation* puts, size_t count, klip_error** error);
/* HBase's RowMutations: mutations of one row, in order, as one atomic step. `rows` as above. */
KLIP_API klip_code klip_table_mutate_row(klip_table* table, const klip_mutation* mutations, size_t count,
                                         klip_rows** rows, klip_error** error);
/* HBase's CheckAndMutate: mutations of `row`, if the condition holds of it. *met: 1 when it did. `rows` as above. */
KLIP_API klip_code klip_table_check_and_mutate(klip_table* table, klip_bytes row, const klip_condition* condition,
                                               const klip_mutation* mutations, size_t count, int* met, klip_rows** rows,
                                               klip_error** error);

/* One step of klip_table_batch: either a get; or mutations, with a condition or without; several are one atomic step. */
typedef struct klip_action {
  const klip_get* get;
  const klip_mutation* mutations;
  size_t mutation_count;
  const klip_condition* condition; /* NULL: none */
  klip_bytes row;                  /* of the condition */
} klip_action;

/* One row per action, in order, each with its own error; a failed action does not stop the others. No order between different rows.
 * A condition that is not met gives a row with exists 0. */
KLIP_API klip_code klip_table_batch(klip_table* table, const klip_action* actions, size_t count, klip_rows** rows,
                                    klip_error** error);

/* Inserts one row before the first row of a table whose keys are 8-byte big-endian numbers counting down (klip/table.h). */
typedef struct klip_prepend {
  size_t struct_size;
  uint64_t last_key; /* 2^63-1: key of the first row ever inserted, which stays the table's last row */
  klip_bytes family; /* of the column that tells whether a row is there */
  klip_bytes qualifier;
  const klip_change* columns; /* what to insert; that column among them */
  size_t column_count;
  int32_t durability; /* klip_durability; KLIP_USE_DEFAULT */
  int32_t reserved;   /* 0 */
} klip_prepend;

static inline klip_prepend klip_prepend_default(klip_bytes family, klip_bytes qualifier) {
  klip_prepend prepend;
  memset(&prepend, 0, sizeof(prepend));
  prepend.struct_size = sizeof(prepend);
  prepend.last_key = (uint64_t)INT64_MAX;
  prepend.family = family;
  prepend.qualifier = qualifier;
  return prepend;
}

/* *key: the new row's. Safe with any number of callers at once: keys come out consecutive, none is lost. */
KLIP_API klip_code klip_table_prepend(klip_table* table, const klip_prepend* prepend, uint64_t* key,
                                      klip_error** error);

/* A mutation of a table, or a condition of a row of it, in klip_connection_apply. */
typedef struct klip_step {
  klip_bytes table;
  const klip_mutation* mutation;   /* or NULL, and: */
  const klip_condition* condition; /* that must hold of */
  klip_bytes row;
} klip_step;

/* Changes rows of several tables as one step: after a crash all of it is there or nothing. *met: 0, and nothing is written, when a
 * condition does not hold. Of embedded stores. */
KLIP_API klip_code klip_connection_apply(klip_connection* connection, const klip_step* steps, size_t count,
                                         klip_durability durability, int* met, klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Transactions */

/* Reads and writes of many rows and tables that happen as one step or not at all, on an embedded store (klip/transaction.h,
 * docs/transactions.md). A transaction, its tables and their scanners and streams are for one thread at a time, all together: a second
 * one gets KLIP_INVALID_ARGUMENT, and so does a callback of a scan that uses them. */
typedef struct klip_transaction klip_transaction;

typedef struct klip_transaction_options {
  size_t struct_size;
  int serializable;   /* 0: snapshot isolation; 1: as if transactions and single writes ran one after the other */
  int64_t max_age_ms; /* 300,000: then its calls fail with KLIP_TIMED_OUT */
  int64_t max_bytes;  /* 256 MiB, of what it has written */
} klip_transaction_options;

static inline klip_transaction_options klip_transaction_options_default(void) {
  klip_transaction_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.max_age_ms = 300000;
  options.max_bytes = (int64_t)256 << 20;
  return options;
}

/* `options` may be NULL. Fails with KLIP_UNSUPPORTED on a cluster. */
KLIP_API klip_code klip_transaction_begin(klip_connection* connection, const klip_transaction_options* options,
                                          klip_transaction** transaction, klip_error** error);
/* A table as the transaction sees it: all calls on tables but klip_table_prepend. Fails with KLIP_TABLE_NOT_FOUND. */
KLIP_API klip_code klip_transaction_table(klip_transaction* transaction, const char* name, klip_table** table,
                                          klip_error** error);
/* Remembers what is written so far. */
KLIP_API klip_code klip_transaction_savepoint(klip_transaction* transaction, int64_t* savepoint, klip_error** error);
/* Forgets what was written since, and later savepoints. */
KLIP_API klip_code klip_transaction_rollback_to(klip_transaction* transaction, int64_t savepoint, klip_error** error);
/* Writes everything as one step. Whatever comes back, the transaction is over. KLIP_TRANSACTION_CONFLICT: another commit came between,
 * nothing is written; run all of it again. */
KLIP_API klip_code klip_transaction_commit(klip_transaction* transaction, klip_error** error);
KLIP_API klip_code klip_transaction_rollback(klip_transaction* transaction, klip_error** error);
/* Rolls back one that is open. Its tables still have to be freed. */
KLIP_API void klip_transaction_free(klip_transaction* transaction);

/* ------------------------------------------------------------------------------------------------------------------ Loading */

/* Writes a table's sorted files directly: many times faster than puts for first loads. */
typedef struct klip_loader klip_loader;

KLIP_API klip_code klip_loader_open(klip_connection* connection, const char* table, klip_loader** loader,
                                    klip_error** error);
/* Puts of ascending rows, also from call to call. */
KLIP_API klip_code klip_loader_add(klip_loader* loader, const klip_mutation* puts, size_t count, klip_error** error);
/* Makes all rows visible as one step. Without it nothing was loaded. */
KLIP_API klip_code klip_loader_finish(klip_loader* loader, klip_error** error);
KLIP_API void klip_loader_free(klip_loader* loader);

/* ------------------------------------------------------------------------------------------------------------------ Tables */

/* Descriptors are JSON; attributes have the names of HBase's shell, and values may be texts, numbers or booleans:
 *   {"name": "logins", "families": [{"name": "d", "VERSIONS": 3, "COMPRESSION": "ZSTD"}],
 *    "attributes": {"KLIP_ROW_KEY": "username:text(10,'*') date:digits(8)"}, "configuration": {}}
 * A family may have a "configuration" as well. Lists are JSON arrays. Rows in JSON are in HBase's printable form
 * (klip_from_string_binary). */

/* `split_keys`: borders of the new table's regions, in any order. */
KLIP_API klip_code klip_create_table(klip_connection* connection, const char* descriptor, const klip_bytes* split_keys,
                                     size_t split_key_count, klip_error** error);
KLIP_API klip_code klip_describe_table(klip_connection* connection, const char* table, char** descriptor,
                                       klip_error** error);
/* Replaces the descriptor. Families that are missing are deleted with their data. */
KLIP_API klip_code klip_modify_table(klip_connection* connection, const char* descriptor, klip_error** error);
KLIP_API klip_code klip_add_family(klip_connection* connection, const char* table, const char* family,
                                   klip_error** error);
KLIP_API klip_code klip_modify_family(klip_connection* connection, const char* table, const char* family,
                                      klip_error** error);
KLIP_API klip_code klip_delete_family(klip_connection* connection, const char* table, const char* name,
                                      klip_error** error);
/* Names of all user tables; of those of one namespace when it is not NULL. */
KLIP_API klip_code klip_list_tables(klip_connection* connection, const char* name_space, klip_list** names,
                                    klip_error** error);
KLIP_API klip_code klip_table_exists(klip_connection* connection, const char* table, int* exists, klip_error** error);
KLIP_API klip_code klip_is_table_enabled(klip_connection* connection, const char* table, int* enabled,
                                         klip_error** error);
KLIP_API klip_code klip_enable_table(klip_connection* connection, const char* table, klip_error** error);
KLIP_API klip_code klip_disable_table(klip_connection* connection, const char* table, klip_error** error);
/* Must be disabled, as for the next. */
KLIP_API klip_code klip_delete_table(klip_connection* connection, const char* table, klip_error** error);
KLIP_API klip_code klip_truncate_table(klip_connection* connection, const char* table, int preserve_splits,
                                       klip_error** error);

KLIP_API klip_code klip_create_namespace(klip_connection* connection, const char* name, klip_error** error);
KLIP_API klip_code klip_delete_namespace(klip_connection* connection, const char* name, klip_error** error);
KLIP_API klip_code klip_list_namespaces(klip_connection* connection, klip_list** names, klip_error** error);

KLIP_API klip_code klip_flush(klip_connection* connection, const char* table, klip_error** error);
/* Reads, writes and memory since the store was opened: {"block_cache_hits": ..., ...} (klip::StoreMetrics). */
KLIP_API klip_code klip_metrics(klip_connection* connection, char** json, klip_error** error);
/* What the servers are doing, an embedded store being one: {"version": ..., "active_master": "host,port,startcode", "live_servers":
 * [{"name": ..., "requests": ..., "regions": [{"name": ..., "file_bytes": ...}, ...], ...}, ...], "dead_servers": [...],
 * "regions_in_transition": [...], ...}: all of klip::ClusterMetrics (klip/cluster_metrics.h), and "average_load", regions of a
 * live server. Times are ms since 1970. Since ABI 1.2. */
KLIP_API klip_code klip_cluster_metrics(klip_connection* connection, char** json, klip_error** error);
KLIP_API klip_code klip_compact(klip_connection* connection, const char* table, int major, klip_error** error);
/* [{"table": ..., "start_key": ..., "end_key": ..., "region_id": ..., "size_bytes": ..., "encoded_name": ..., "name": ...,
 *   "server": "host,port,startcode" or null: on none}, ...] */
KLIP_API klip_code klip_list_regions(klip_connection* connection, const char* table, char** json, klip_error** error);
/* Splits the region that holds the key; with an empty key every region at its middle. */
KLIP_API klip_code klip_split_table(klip_connection* connection, const char* table, klip_bytes split_key,
                                    klip_error** error);
/* Merges two neighbouring regions, given by encoded or full name. */
KLIP_API klip_code klip_merge_regions(klip_connection* connection, const char* first, const char* second, int forcible,
                                      klip_error** error);

KLIP_API klip_code klip_snapshot(klip_connection* connection, const char* snapshot, const char* table,
                                 klip_error** error);
/* [{"name": ..., "table": ..., "created_ms": ...}, ...] */
KLIP_API klip_code klip_list_snapshots(klip_connection* connection, char** json, klip_error** error);
KLIP_API klip_code klip_delete_snapshot(klip_connection* connection, const char* snapshot, klip_error** error);
KLIP_API klip_code klip_clone_snapshot(klip_connection* connection, const char* snapshot, const char* table,
                                       klip_error** error);
/* Its table must be disabled. */
KLIP_API klip_code klip_restore_snapshot(klip_connection* connection, const char* snapshot, klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Row keys */

/* The parts of a row key (klip/row_key.h has the language): "username:text(10,'*') date:digits(8) domain:text(20,'*')". */
typedef struct klip_schema klip_schema;

KLIP_API klip_code klip_schema_parse(const char* text, klip_schema** schema, klip_error** error);
/* The table's; *schema becomes NULL when it has none. */
KLIP_API klip_code klip_table_schema(klip_table* table, klip_schema** schema, klip_error** error);
KLIP_API void klip_schema_free(klip_schema* schema);
/* The canonical text. Lives as long as the schema. */
KLIP_API const char* klip_schema_text(const klip_schema* schema);
/* [{"name": "date", "type": "digits", "width_bytes": 8, "derived": false, "descending": false}, ...]. Types: text, bytes, digits,
 * date, unsigned, signed, timestamp, reverse_timestamp, hash, salt, literal. Derived fields take no value. */
KLIP_API klip_code klip_schema_fields(const klip_schema* schema, char** json, klip_error** error);
/* The row key of these texts, one for each field that is not derived, in order. *size bytes, and a zero behind them. */
KLIP_API klip_code klip_schema_encode(const klip_schema* schema, const klip_bytes* values, size_t count, char** row,
                                      size_t* size, klip_error** error);
/* The fields of a row key, one text for each, derived ones and literals too. */
KLIP_API klip_code klip_schema_decode(const klip_schema* schema, klip_bytes row, klip_list** values,
                                      klip_error** error);
/* Checks conditions on key fields, as klip_scan.where takes them; *canonical, unless NULL: as klip understands them. */
KLIP_API klip_code klip_schema_check_query(const klip_schema* schema, klip_bytes query, char** canonical,
                                           klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Arrow */

/* Rows as columns of Apache Arrow (klip/arrow_abi.h has its structs), and back: klip/arrow.h says which types become which. All since
 * ABI 1.3. Who takes a stream calls its release, before or after the handles that it came from are freed. */

typedef struct klip_arrow_column {
  klip_bytes family;
  klip_bytes qualifier;
  const char* type; /* "i64", "text", ...: docs/keys.md. NULL: bytes */
  const char* name; /* of the Arrow column. NULL: the qualifier */
} klip_arrow_column;

typedef struct klip_arrow_options {
  size_t struct_size;
  const klip_arrow_column* columns; /* none: keys alone */
  size_t column_count;
  int key_fields; /* 1: columns for the fields of the row key */
  int all_cells;  /* 0. 1: a column "cells", a map of all cells */
  int batch_rows; /* 32,768: of an array, at most */
} klip_arrow_options;

static inline klip_arrow_options klip_arrow_options_default(void) {
  klip_arrow_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.key_fields = 1;
  options.batch_rows = 32768;
  return options;
}

/* The rows of a scan, whose own columns are left empty. Both structs may be NULL: the keys of all rows. */
KLIP_API klip_code klip_scan_arrow_stream(klip_table* table, const klip_scan* scan, const klip_arrow_options* options,
                                          struct ArrowArrayStream* stream, klip_error** error);

/* Puts the rows of a stream, and releases it, whatever happens. Columns named as fields of the row key make the key; without a
 * row-key schema the column "row" is the key. *rows, unless NULL: how many were put. */
KLIP_API klip_code klip_table_write_arrow(klip_table* table, const klip_arrow_column* columns, size_t column_count,
                                          struct ArrowArrayStream* stream, int64_t* rows, klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ SQL */

/* SQL on any connection (docs/sql.md). All since ABI 1.3. A session, its statements and their results are for one thread at a time,
 * all together; klip_sql_cancel is for any. */
typedef struct klip_sql klip_sql;
typedef struct klip_statement klip_statement;
typedef struct klip_result klip_result;

typedef enum klip_value_type {
  KLIP_VALUE_NULL = 0,
  KLIP_VALUE_BOOLEAN = 1, /* integer: 0 or 1 */
  KLIP_VALUE_INTEGER = 2, /* integer; all widths */
  KLIP_VALUE_REAL = 3,    /* real; FLOAT and DOUBLE */
  KLIP_VALUE_DECIMAL = 4, /* bytes: the number as text, "-12.50" */
  KLIP_VALUE_TEXT = 5,    /* bytes: UTF-8 */
  KLIP_VALUE_BYTES = 6,   /* bytes */
  KLIP_VALUE_DATE = 7,    /* integer: milliseconds since 1970, also of the next two */
  KLIP_VALUE_TIME = 8,
  KLIP_VALUE_TIMESTAMP = 9, /* and nanos below the millisecond */
  KLIP_VALUE_ARRAY = 10     /* integer: how many; items. In results only */
} klip_value_type;

typedef struct klip_value {
  int32_t type; /* klip_value_type */
  int32_t nanos;
  int64_t integer;
  double real;
  klip_bytes bytes;
  const struct klip_value* items;
} klip_value;

typedef struct klip_sql_options {
  size_t struct_size;
  int auto_commit;      /* 1 */
  const char* schema;   /* of tables named without one; NULL: the schema without a name */
  int32_t threads;      /* 0: one per core */
  int64_t memory_bytes; /* 256 MiB, of one statement */
  /* Asked now and then while a statement works, as klip_scan's. */
  int (*interrupted)(void* argument);
  void* interrupted_argument;
} klip_sql_options;

static inline klip_sql_options klip_sql_options_default(void) {
  klip_sql_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.auto_commit = 1;
  options.memory_bytes = (int64_t)256 << 20;
  return options;
}

/* `options` may be NULL. */
KLIP_API klip_code klip_sql_open(klip_connection* connection, const klip_sql_options* options, klip_sql** sql,
                                 klip_error** error);
KLIP_API void klip_sql_free(klip_sql* sql);

/* Runs one statement; `values` are those of its parameters. */
KLIP_API klip_code klip_sql_execute(klip_sql* sql, klip_bytes text, const klip_value* values, size_t value_count,
                                    klip_result** result, klip_error** error);
/* Parses and plans a statement, to be run any number of times. */
KLIP_API klip_code klip_sql_prepare(klip_sql* sql, klip_bytes text, klip_statement** statement, klip_error** error);
/* Ends the rows of the execution before. */
KLIP_API klip_code klip_statement_execute(klip_statement* statement, const klip_value* values, size_t value_count,
                                          klip_result** result, klip_error** error);
KLIP_API void klip_statement_free(klip_statement* statement);

/* Changes wait for klip_sql_commit while auto-commit is off. Turning it on commits. */
KLIP_API klip_code klip_sql_set_auto_commit(klip_sql* sql, int on, klip_error** error);
KLIP_API klip_code klip_sql_commit(klip_sql* sql, klip_error** error);
KLIP_API klip_code klip_sql_rollback(klip_sql* sql, klip_error** error);
/* Ends the statement that runs, with KLIP_CANCELLED. From any thread. */
KLIP_API void klip_sql_cancel(klip_sql* sql);

/* [{"label": "NAME", "type": "VARCHAR(20)", "nullable": true, "table": "PEOPLE", "schema": "", "name": "NAME"}, ...]; [] for a
 * statement that gives no rows. */
KLIP_API klip_code klip_result_columns(klip_result* result, char** json, klip_error** error);
/* Rows that were changed; -1: the statement gives rows. */
KLIP_API int64_t klip_result_updated(const klip_result* result);
/* The next rows, at most max_rows: *rows times as many values as columns, row by row. *rows is 0 at the end. The values live until
 * the next call on the result. */
KLIP_API klip_code klip_result_fetch(klip_result* result, size_t max_rows, const klip_value** values, size_t* rows,
                                     klip_error** error);
/* The rows that were not fetched, as columns. The result has none from then on, and still has to be freed. */
KLIP_API klip_code klip_result_arrow(klip_result* result, int batch_rows, struct ArrowArrayStream* stream,
                                     klip_error** error);
KLIP_API void klip_result_free(klip_result* result);

/* Phoenix's number of an error of SQL, such as 1012 for an undefined table; 0: the error is none of SQL. */
KLIP_API int klip_error_sql_number(const klip_error* error);
/* Its SQLSTATE, "42M03"; "" if there is none. Lives as long as the error. */
KLIP_API const char* klip_error_sql_state(const klip_error* error);

#ifdef __cplusplus
}
#endif

#endif /* KLIP_KLIP_H */
