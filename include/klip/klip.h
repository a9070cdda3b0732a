/* klip's C interface: stores and clusters, tables, rows and row-key schemas, for C and for bindings of other languages. docs/c.md
 * is the introduction. Names and meanings are those of the C++ headers in this directory (klip/table.h, klip/query.h, ...).
 *
 * Ownership. You own what you pass in; klip borrows it for the call. Free the result of a klip_X** argument with klip_X_free, and that
 * of a char** with klip_free; each free accepts NULL. Views (klip_bytes, klip_cell, klip_row) point into the handle that they came
 * from, and live as long as the comments say.
 *
 * Errors. Calls that can fail return a code, KLIP_OK on success. On any other code, *error becomes a new klip_error unless `error` is
 * NULL, and other outputs do not change. A row that does not exist, a condition that is not met and the end of a scan are not
 * errors. klip throws no C++ exceptions, and ends the process only if memory is exhausted.
 *
 * Threads. Many threads at once may use connections, tables, schemas and errors. Only one at a time may use scanners, rows, loaders,
 * lists, and transactions with their tables. (If two threads use a scanner or loader at once, one gets KLIP_INVALID_ARGUMENT.) Do not
 * use a handle during or after its free.
 *
 * A callback (klip_scan.interrupted) may make any calls, except on the handle that calls it.
 *
 * Closing. klip_connection_close closes the store or cluster even if tables, scanners and loaders created from it still exist. Every
 * call on those then fails with KLIP_INVALID_ARGUMENT; you must still free them.
 *
 * Structs. The function below a struct with `struct_size` creates it with HBase's defaults, so that a program continues to work with
 * a later klip that has more fields. In an array, all struct_size must be equal. Other structs never change. */
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

/* The version of this interface. A library with the same major and this or a higher minor version works with this header. */
#define KLIP_ABI_MAJOR 1
#define KLIP_ABI_MINOR 6

/* The library's version: KLIP_ABI_MAJOR * 1000 + KLIP_ABI_MINOR. */
KLIP_API int klip_abi_version(void);

/* klip's release, e.g. "0.1.0". */
KLIP_API const char* klip_version(void);

/* ------------------------------------------------------------------------------------------------------------------ Bytes, errors */

/* Any bytes, without a terminating zero. `data` may be NULL if `size` is 0. */
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
  KLIP_READ_ONLY = 23,    /* the store refuses writes after a failed fsync; reads continue */
  KLIP_STORE_IN_USE = 24, /* another process has the store open */
  KLIP_NEWER_FORMAT = 25, /* the store was written by a newer klip */
  KLIP_CORRUPTION = 26,
  KLIP_IO_ERROR = 27,
  KLIP_TRANSACTION_CONFLICT = 28
} klip_code;

typedef struct klip_error klip_error;

KLIP_API klip_code klip_error_code(const klip_error* error);
/* Lives as long as the error; so does the result of the next call. */
KLIP_API const char* klip_error_message(const klip_error* error);
/* "org.apache.hadoop.hbase.TableNotFoundException" */
KLIP_API const char* klip_error_java_class(const klip_error* error);
/* 1: the same call may succeed later. */
KLIP_API int klip_error_retryable(const klip_error* error);
KLIP_API void klip_error_free(klip_error* error);

/* "TableNotFound"; NULL for an unknown code. */
KLIP_API const char* klip_code_name(int code);

/* Frees the result of a char** argument. */
KLIP_API void klip_free(char* text);

/* A list of byte strings. */
typedef struct klip_list klip_list;

KLIP_API size_t klip_list_size(const klip_list* list);
/* Lives as long as the list. Returns no bytes (data NULL) if the index is too large. */
KLIP_API klip_bytes klip_list_get(const klip_list* list, size_t index);
KLIP_API void klip_list_free(klip_list* list);

/* HBase's printable form of bytes, Bytes.toStringBinary: each byte that is not printable as \xNN. Zero-terminated. */
KLIP_API char* klip_to_string_binary(klip_bytes bytes);
/* The inverse. Returns *size bytes, followed by a zero. */
KLIP_API char* klip_from_string_binary(const char* text, size_t* size);

/* ------------------------------------------------------------------------------------------------------------------ Connections */

typedef struct klip_connection klip_connection;

typedef struct klip_options {
  size_t struct_size;
  /* For an embedded store. */
  int create_if_missing; /* 1 */
  int sync_wal;          /* 1: acknowledged writes are fsynced; 0: passed to the operating system, HBase's default */
  int64_t block_cache_bytes;  /* 256 MiB */
  int64_t memtable_bytes;     /* 128 MiB, of all tables together */
  int64_t max_cell_bytes;     /* 10 MiB; 0: no limit (hbase.server.keyvalue.maxsize) */
  int64_t max_row_read_bytes; /* 1 GiB (hbase.table.max.rowsize) */
  int table_sanity_checks;    /* 1: reject unsafe table settings (hbase.table.sanity.checks) */
  /* For a cluster. */
  int64_t rpc_timeout_ms;       /* 60,000: of one call (hbase.rpc.timeout) */
  int64_t operation_timeout_ms; /* 120,000: of an operation with its retries, or of one step of a scan */
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

/* Cancels running scans with KLIP_CANCELLED, waits for other running calls, and closes the connection. Does not free the handle. A
 * second call does nothing. */
KLIP_API void klip_connection_close(klip_connection* connection);
/* Closes the connection if it is open, and frees the handle. */
KLIP_API void klip_connection_free(klip_connection* connection);

/* ------------------------------------------------------------------------------------------------------------------ Rows and cells */

/* As the timestamp of a write: now. As the upper bound of a read: no bound. */
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

/* The rows that a call returned. */
typedef struct klip_rows klip_rows;

KLIP_API size_t klip_rows_size(const klip_rows* rows);
/* Lives as long as the rows, or until a call fills them again. NULL if the index is too large. */
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

/* Replaces the time range for one family. */
typedef struct klip_family_time_range {
  klip_bytes family;
  klip_time_range range;
} klip_family_time_range;

typedef enum klip_consistency {
  KLIP_STRONG = 0,   /* only the primary */
  KLIP_TIMELINE = 1, /* also region replicas, if a table has them (REGION_REPLICATION): the first answer counts */
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
  int32_t row_offset_per_family;  /* 0: number of cells of each family to skip */
  klip_bytes filter;              /* "PrefixFilter('a') AND PageFilter(5)"; docs/filters.md */
  int existence_only;             /* 0 */
  int cache_blocks;               /* 1 */
  /* klip_consistency, since ABI 1.1. Data from a replica may be stale (klip_rows_stale). */
  int32_t consistency;
  int32_t replica_id; /* -1: any. With KLIP_TIMELINE: read only this replica; 0 is the primary */
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
  klip_bytes prefix;    /* only rows that start with it; start_row and stop_row must then be empty */
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
  int64_t max_result_bytes;  /* with allow_partial_results: a klip_row is split at this size; 0: never */
  int allow_partial_results; /* 0 */
  int raw;                   /* 1: include delete markers and masked cells */
  klip_bytes filter;
  klip_bytes where; /* conditions on key fields and columns, "date=20140628 f:city=berlin" */
  int32_t threads;  /* 1. 0: one per core. Rows still come in key order */
  int cache_blocks; /* 1 */
  /* Called from time to time while klip_scanner_next works, on its thread and on those of the scan. A result other than 0 ends the
   * scan with KLIP_CANCELLED. Must live as long as the scanner. NULL: no callback. */
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

/* Reads one row; a row that does not exist has no cells. *rows must be NULL, or rows to fill again, which saves an allocation. This
 * holds for all calls that return rows. */
KLIP_API klip_code klip_table_get(klip_table* table, const klip_get* get, klip_rows** rows, klip_error** error);
/* One row per get, in order. */
KLIP_API klip_code klip_table_multi_get(klip_table* table, const klip_get* gets, size_t count, klip_rows** rows,
                                        klip_error** error);
/* The first or last row of the table. */
KLIP_API klip_code klip_table_edge_row(klip_table* table, int last, klip_rows** rows, klip_error** error);

/* `scan` may be NULL: the whole table. */
KLIP_API klip_code klip_table_scan(klip_table* table, const klip_scan* scan, klip_scanner** scanner,
                                   klip_error** error);

/* Reads up to `max_rows` more rows, or fewer if they arrive slowly or are large. No rows: the end. The rows belong to the scanner and
 * live until its next call. After an error, the call first returns the rows that were read before it. */
KLIP_API klip_code klip_scanner_next(klip_scanner* scanner, size_t max_rows, const klip_rows** rows,
                                     klip_error** error);
/* Makes klip_scanner_next fail with KLIP_CANCELLED soon. May be called from any thread. */
KLIP_API void klip_scanner_cancel(klip_scanner* scanner);
KLIP_API void klip_scanner_free(klip_scanner* scanner);

/* The plan of the scan and its figures so far, as JSON (klip::Explain): {"table": ..., "kind": "skip scan", "fields": [...],
 * "actual": {"rows_returned": ..., ...}, ...}. With `text` 1: several lines of readable text. */
KLIP_API klip_code klip_scanner_explain(klip_scanner* scanner, int text, char** out, klip_error** error);
/* How many rows `scan` would return; NULL: the rows of the table. Reads only keys if they suffice (klip::Table::CountRows). */
KLIP_API klip_code klip_table_count_rows(klip_table* table, const klip_scan* scan, int64_t* rows, klip_error** error);
/* The plan of `scan`. Reads only statistics, no rows. */
KLIP_API klip_code klip_table_explain(klip_table* table, const klip_scan* scan, int text, char** out,
                                      klip_error** error);

/* Statistics of the table's keys: {"rows": ..., "cells": ..., "fields": [{"name": ..., "distinct_prefixes": ...}], ...}
 * (klip::TableStatistics). */
KLIP_API klip_code klip_table_statistics(klip_table* table, char** json, klip_error** error);
/* The distinct values of the first `fields` key fields, in key order: [{"values": ["alice", ...], "rows": 3}, ...]. `rows` is 0
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

/* Which failures an acknowledged write survives. */
typedef enum klip_durability {
  KLIP_USE_DEFAULT = 0, /* the table's DURABILITY, else KLIP_SYNC_WAL */
  KLIP_SKIP_WAL = 1,    /* none: lost with the process unless flushed */
  KLIP_ASYNC_WAL = 2,
  KLIP_SYNC_WAL = 3, /* as klip_options.sync_wal says */
  KLIP_FSYNC_WAL = 4 /* power loss */
} klip_durability;

/* A column of a mutation. */
typedef struct klip_change {
  klip_bytes family;
  klip_bytes qualifier;
  klip_bytes value;     /* for a put or append */
  int64_t amount;       /* for an increment */
  int64_t timestamp_ms; /* KLIP_LATEST_TIMESTAMP: the mutation's */
  int32_t type;         /* for a delete: klip_cell_type; 0: KLIP_CELL_DELETE_COLUMN */
  int32_t reserved;     /* 0 */
} klip_change;

typedef struct klip_mutation {
  size_t struct_size;
  int32_t kind; /* klip_mutation_kind */
  klip_bytes row;
  const klip_change* changes; /* a delete without changes deletes the whole row, up to timestamp_ms */
  size_t change_count;
  int64_t timestamp_ms;       /* KLIP_LATEST_TIMESTAMP: now */
  int64_t ttl_ms;             /* 0: only the family's */
  klip_time_range time_range; /* for an increment or append: the cells to start from */
  int return_results;         /* 1: an increment or append returns the new cells */
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

/* A condition on a row: a filter that passes one of its cells or, without a filter, a comparison of a column. As in HBase the test is
 * "value OP cell": KLIP_GREATER holds if `value` is above the cell. An absent cell satisfies only KLIP_EQUAL with an empty value. */
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
/* Writes puts in a few large commits: the fast way to load. Each row is atomic. After an error, earlier puts may be written. */
KLIP_API klip_code klip_table_put_all(klip_table* table, const klip_mutation* puts, size_t count, klip_error** error);
/* HBase's RowMutations: mutations of one row, in order, as one atomic step. `rows` as above. */
KLIP_API klip_code klip_table_mutate_row(klip_table* table, const klip_mutation* mutations, size_t count,
                                         klip_rows** rows, klip_error** error);
/* HBase's CheckAndMutate: applies the mutations of `row` if the condition holds. *met: 1 if it held. `rows` as above. */
KLIP_API klip_code klip_table_check_and_mutate(klip_table* table, klip_bytes row, const klip_condition* condition,
                                               const klip_mutation* mutations, size_t count, int* met, klip_rows** rows,
                                               klip_error** error);

/* One step of klip_table_batch: either a get, or mutations, with or without a condition. Several mutations are one atomic step. */
typedef struct klip_action {
  const klip_get* get;
  const klip_mutation* mutations;
  size_t mutation_count;
  const klip_condition* condition; /* NULL: none */
  klip_bytes row;                  /* of the condition */
} klip_action;

/* One row per action, in order, each with its own error; a failed action does not stop the others. Actions on different rows run in
 * any order. A condition that is not met returns a row with exists 0. */
KLIP_API klip_code klip_table_batch(klip_table* table, const klip_action* actions, size_t count, klip_rows** rows,
                                    klip_error** error);

/* Inserts one row before the first row of a table whose keys are 8-byte big-endian numbers counting down (klip/table.h). */
typedef struct klip_prepend {
  size_t struct_size;
  uint64_t last_key; /* 2^63-1: key of the first row ever inserted, which stays the table's last row */
  klip_bytes family; /* of the column that shows whether a row exists */
  klip_bytes qualifier;
  const klip_change* columns; /* the columns to insert, including that one */
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

/* *key: the key of the new row. Safe with any number of concurrent callers: keys are consecutive, and none is lost. */
KLIP_API klip_code klip_table_prepend(klip_table* table, const klip_prepend* prepend, uint64_t* key,
                                      klip_error** error);

/* A mutation of a table, or a condition of a row of it, in klip_connection_apply. */
typedef struct klip_step {
  klip_bytes table;
  const klip_mutation* mutation;   /* NULL: the step is a condition */
  const klip_condition* condition; /* must hold for `row`; NULL: the step is a mutation */
  klip_bytes row;                  /* of the condition */
} klip_step;

/* Changes rows of several tables atomically: after a crash, all changes exist or none. If a condition does not hold, *met is 0 and
 * nothing is written. Only for embedded stores. */
KLIP_API klip_code klip_connection_apply(klip_connection* connection, const klip_step* steps, size_t count,
                                         klip_durability durability, int* met, klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Transactions */

/* Atomic reads and writes of many rows and tables, on an embedded store (klip/transaction.h, docs/transactions.md). Only one thread at a
 * time may use a transaction, its tables, and their scanners and streams. A second one gets KLIP_INVALID_ARGUMENT, and so does a
 * callback of a scan that uses them. */
typedef struct klip_transaction klip_transaction;

typedef struct klip_transaction_options {
  size_t struct_size;
  int serializable;   /* 0: snapshot isolation; 1: as if transactions and single writes ran one after the other */
  int64_t max_age_ms; /* 300,000; after that its calls fail with KLIP_TIMED_OUT */
  int64_t max_bytes;  /* 256 MiB: limit of its writes */
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
/* A table as the transaction sees it. All calls on tables work except klip_table_prepend. Fails with KLIP_TABLE_NOT_FOUND. */
KLIP_API klip_code klip_transaction_table(klip_transaction* transaction, const char* name, klip_table** table,
                                          klip_error** error);
/* Marks the current state of the writes. */
KLIP_API klip_code klip_transaction_savepoint(klip_transaction* transaction, int64_t* savepoint, klip_error** error);
/* Discards the writes after the savepoint, and later savepoints. */
KLIP_API klip_code klip_transaction_rollback_to(klip_transaction* transaction, int64_t savepoint, klip_error** error);
/* Writes everything atomically. Ends the transaction, even if it fails. KLIP_TRANSACTION_CONFLICT: another commit changed the same
 * rows, and nothing is written; run the transaction again. */
KLIP_API klip_code klip_transaction_commit(klip_transaction* transaction, klip_error** error);
KLIP_API klip_code klip_transaction_rollback(klip_transaction* transaction, klip_error** error);
/* Rolls back an open transaction. You must still free its tables. */
KLIP_API void klip_transaction_free(klip_transaction* transaction);

/* ------------------------------------------------------------------------------------------------------------------ Loading */

/* Writes a table's sorted files directly: many times faster than puts for initial loads. */
typedef struct klip_loader klip_loader;

KLIP_API klip_code klip_loader_open(klip_connection* connection, const char* table, klip_loader** loader,
                                    klip_error** error);
/* Adds puts in ascending order of rows, also across calls. */
KLIP_API klip_code klip_loader_add(klip_loader* loader, const klip_mutation* puts, size_t count, klip_error** error);
/* Makes all added rows visible atomically. Without this call, nothing is loaded. */
KLIP_API klip_code klip_loader_finish(klip_loader* loader, klip_error** error);
KLIP_API void klip_loader_free(klip_loader* loader);

/* ------------------------------------------------------------------------------------------------------------------ Tables */

/* Descriptors are JSON; attributes have the names of HBase's shell, and values may be strings, numbers or booleans:
 *   {"name": "logins", "families": [{"name": "d", "VERSIONS": 3, "COMPRESSION": "ZSTD"}],
 *    "attributes": {"KLIP_ROW_KEY": "username:text(10,'*') date:digits(8)"}, "configuration": {}}
 * A family may have a "configuration" as well. Lists are JSON arrays. Rows in JSON are in HBase's printable form
 * (klip_from_string_binary). */

/* `split_keys`: region boundaries of the new table, in any order. */
KLIP_API klip_code klip_create_table(klip_connection* connection, const char* descriptor, const klip_bytes* split_keys,
                                     size_t split_key_count, klip_error** error);
KLIP_API klip_code klip_describe_table(klip_connection* connection, const char* table, char** descriptor,
                                       klip_error** error);
/* Replaces the descriptor. Deletes families that the new descriptor lacks, with their data. */
KLIP_API klip_code klip_modify_table(klip_connection* connection, const char* descriptor, klip_error** error);
KLIP_API klip_code klip_add_family(klip_connection* connection, const char* table, const char* family,
                                   klip_error** error);
KLIP_API klip_code klip_modify_family(klip_connection* connection, const char* table, const char* family,
                                      klip_error** error);
KLIP_API klip_code klip_delete_family(klip_connection* connection, const char* table, const char* name,
                                      klip_error** error);
/* Names of all user tables, or of those of one namespace if it is not NULL. */
KLIP_API klip_code klip_list_tables(klip_connection* connection, const char* name_space, klip_list** names,
                                    klip_error** error);
KLIP_API klip_code klip_table_exists(klip_connection* connection, const char* table, int* exists, klip_error** error);
KLIP_API klip_code klip_is_table_enabled(klip_connection* connection, const char* table, int* enabled,
                                         klip_error** error);
KLIP_API klip_code klip_enable_table(klip_connection* connection, const char* table, klip_error** error);
KLIP_API klip_code klip_disable_table(klip_connection* connection, const char* table, klip_error** error);
/* The table must be disabled, for this call and the next. */
KLIP_API klip_code klip_delete_table(klip_connection* connection, const char* table, klip_error** error);
KLIP_API klip_code klip_truncate_table(klip_connection* connection, const char* table, int preserve_splits,
                                       klip_error** error);

KLIP_API klip_code klip_create_namespace(klip_connection* connection, const char* name, klip_error** error);
KLIP_API klip_code klip_delete_namespace(klip_connection* connection, const char* name, klip_error** error);
KLIP_API klip_code klip_list_namespaces(klip_connection* connection, klip_list** names, klip_error** error);

KLIP_API klip_code klip_flush(klip_connection* connection, const char* table, klip_error** error);
/* Reads, writes and memory since the store was opened: {"block_cache_hits": ..., ...} (klip::StoreMetrics). */
KLIP_API klip_code klip_metrics(klip_connection* connection, char** json, klip_error** error);
/* The state of the servers; an embedded store is one: {"version": ..., "active_master": "host,port,startcode", "live_servers":
 * [{"name": ..., "requests": ..., "regions": [{"name": ..., "file_bytes": ...}, ...], ...}, ...], "dead_servers": [...],
 * "regions_in_transition": [...], ...}: all of klip::ClusterMetrics (klip/cluster_metrics.h), and "average_load", the regions per
 * live server. Times are ms since 1970. Since ABI 1.2. */
KLIP_API klip_code klip_cluster_metrics(klip_connection* connection, char** json, klip_error** error);
KLIP_API klip_code klip_compact(klip_connection* connection, const char* table, int major, klip_error** error);
/* [{"table": ..., "start_key": ..., "end_key": ..., "region_id": ..., "size_bytes": ..., "encoded_name": ..., "name": ...,
 *   "server": "host,port,startcode", or null if it is not open}, ...] */
KLIP_API klip_code klip_list_regions(klip_connection* connection, const char* table, char** json, klip_error** error);
/* Splits the region that contains the key; with an empty key, splits every region at its middle. */
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
/* The snapshot's table must be disabled. */
KLIP_API klip_code klip_restore_snapshot(klip_connection* connection, const char* snapshot, klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Row keys */

/* The parts of a row key (klip/row_key.h describes the syntax): "username:text(10,'*') date:digits(8) domain:text(20,'*')". */
typedef struct klip_schema klip_schema;

KLIP_API klip_code klip_schema_parse(const char* text, klip_schema** schema, klip_error** error);
/* The table's schema; *schema becomes NULL if it has none. */
KLIP_API klip_code klip_table_schema(klip_table* table, klip_schema** schema, klip_error** error);
KLIP_API void klip_schema_free(klip_schema* schema);
/* The canonical text. Lives as long as the schema. */
KLIP_API const char* klip_schema_text(const klip_schema* schema);
/* [{"name": "date", "type": "digits", "width_bytes": 8, "derived": false, "descending": false}, ...]. Types: text, bytes, digits,
 * date, unsigned, signed, timestamp, reverse_timestamp, hash, salt, literal. Derived fields need no value. */
KLIP_API klip_code klip_schema_fields(const klip_schema* schema, char** json, klip_error** error);
/* The row key of these texts, one per field that is not derived, in order. Returns *size bytes, followed by a zero. */
KLIP_API klip_code klip_schema_encode(const klip_schema* schema, const klip_bytes* values, size_t count, char** row,
                                      size_t* size, klip_error** error);
/* The fields of a row key, one text for each, including derived fields and literals. */
KLIP_API klip_code klip_schema_decode(const klip_schema* schema, klip_bytes row, klip_list** values,
                                      klip_error** error);
/* Checks conditions on key fields, as in klip_scan.where. *canonical, unless NULL, is the canonical form. */
KLIP_API klip_code klip_schema_check_query(const klip_schema* schema, klip_bytes query, char** canonical,
                                           klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ Arrow */

/* Rows as Apache Arrow columns, and rows from such columns. klip/arrow_abi.h has Arrow's structs; klip/arrow.h describes the types. All
 * since ABI 1.3. The user of a stream must call its release, before or after freeing the handles that it came from. */

typedef struct klip_arrow_column {
  klip_bytes family;
  klip_bytes qualifier;
  const char* type; /* "i64", "text", ...: docs/keys.md. NULL: bytes */
  const char* name; /* of the Arrow column. NULL: the qualifier */
} klip_arrow_column;

typedef struct klip_arrow_options {
  size_t struct_size;
  const klip_arrow_column* columns; /* none: only keys */
  size_t column_count;
  int key_fields; /* 1: columns for the fields of the row key */
  int all_cells;  /* 0. 1: a column "cells", a map of all cells */
  int batch_rows; /* 32,768: limit of an array */
} klip_arrow_options;

static inline klip_arrow_options klip_arrow_options_default(void) {
  klip_arrow_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.key_fields = 1;
  options.batch_rows = 32768;
  return options;
}

/* The rows of a scan. scan->columns must be empty. If `scan` and `options` are NULL: the keys of all rows. */
KLIP_API klip_code klip_scan_arrow_stream(klip_table* table, const klip_scan* scan, const klip_arrow_options* options,
                                          struct ArrowArrayStream* stream, klip_error** error);

/* Puts the rows of a stream, and always releases it, also after an error. Columns with the names of key fields form the row key; without
 * a row-key schema, the column "row" is the key. *rows, unless NULL: the number of rows put. */
KLIP_API klip_code klip_table_write_arrow(klip_table* table, const klip_arrow_column* columns, size_t column_count,
                                          struct ArrowArrayStream* stream, int64_t* rows, klip_error** error);

/* ------------------------------------------------------------------------------------------------------------------ SQL */

/* SQL on any connection (docs/sql.md). All since ABI 1.3. Only one thread at a time may use a session, its statements and their results;
 * any thread may call klip_sql_cancel. */
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
  KLIP_VALUE_ARRAY = 10     /* integer: the number of items. In results only */
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
  const char* schema;   /* for table names without one; NULL: the schema without a name */
  int32_t threads;      /* 0: one per core */
  int64_t memory_bytes; /* 256 MiB: for one statement; more goes to a file in TMPDIR */
  /* Called from time to time while a statement runs, like that of klip_scan. */
  int (*interrupted)(void* argument);
  void* interrupted_argument;
  const char* tenant; /* as with Phoenix's TenantId; NULL: the rows of all tenants */
  int64_t as_of_ms;   /* as with Phoenix's CurrentSCN: reads what was written before, in ms since 1970; 0: now */
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
/* Prepares a statement, which can run any number of times. */
KLIP_API klip_code klip_sql_prepare(klip_sql* sql, klip_bytes text, klip_statement** statement, klip_error** error);
/* Ends the result of the previous execution. */
KLIP_API klip_code klip_statement_execute(klip_statement* statement, const klip_value* values, size_t value_count,
                                          klip_result** result, klip_error** error);
KLIP_API void klip_statement_free(klip_statement* statement);

/* While auto-commit is off, changes wait for klip_sql_commit. Turning it on commits. */
KLIP_API klip_code klip_sql_set_auto_commit(klip_sql* sql, int on, klip_error** error);
KLIP_API klip_code klip_sql_commit(klip_sql* sql, klip_error** error);
KLIP_API klip_code klip_sql_rollback(klip_sql* sql, klip_error** error);
/* Cancels the running statement with KLIP_CANCELLED. May be called from any thread. */
KLIP_API void klip_sql_cancel(klip_sql* sql);

/* [{"label": "NAME", "type": "VARCHAR(20)", "nullable": true, "table": "PEOPLE", "schema": "", "name": "NAME"}, ...]; [] for a
 * statement that returns no rows. */
KLIP_API klip_code klip_result_columns(klip_result* result, char** json, klip_error** error);
/* Number of changed rows; -1: the statement returns rows. */
KLIP_API int64_t klip_result_updated(const klip_result* result);
/* The next rows, at most max_rows: *rows times as many values as columns, row by row. *rows is 0 at the end. The values live until
 * the next call on the result. */
KLIP_API klip_code klip_result_fetch(klip_result* result, size_t max_rows, const klip_value** values, size_t* rows,
                                     klip_error** error);
/* The rows that were not fetched, as columns. The result then has no more rows; you must still free it. */
KLIP_API klip_code klip_result_arrow(klip_result* result, int batch_rows, struct ArrowArrayStream* stream,
                                     klip_error** error);
KLIP_API void klip_result_free(klip_result* result);

/* Phoenix's number of an SQL error, such as 1012 for an undefined table; 0: not an SQL error. */
KLIP_API int klip_error_sql_number(const klip_error* error);
/* Its SQLSTATE, "42M03"; "" if there is none. Lives as long as the error. */
KLIP_API const char* klip_error_sql_state(const klip_error* error);

#ifdef __cplusplus
}
#endif

#endif /* KLIP_KLIP_H */
