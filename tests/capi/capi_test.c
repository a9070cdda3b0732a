/* Every part of klip.h from C, on a store in the directory that is given. */
#include <stddef.h>

#include "check.h"

static klip_connection* open_store(const char* uri) {
  klip_error* error = NULL;
  klip_connection* connection = NULL;
  klip_options options = klip_options_default();
  options.sync_wal = 0;
  options.block_cache_bytes = 8 << 20;
  OK(klip_connection_open(uri, &options, &connection, &error));
  return connection;
}

static klip_table* open_table(klip_connection* connection, const char* name) {
  klip_error* error = NULL;
  klip_table* table = NULL;
  OK(klip_table_open(connection, name, &table, &error));
  return table;
}

static void put(klip_table* table, const char* row, const char* qualifier, const char* value, int64_t timestamp) {
  klip_error* error = NULL;
  klip_change change = klip_change_default(klip_str("f"), klip_str(qualifier), klip_str(value));
  klip_mutation mutation = klip_mutation_default(KLIP_PUT, klip_str(row));
  mutation.changes = &change;
  mutation.change_count = 1;
  mutation.timestamp_ms = timestamp;
  OK(klip_table_mutate(table, &mutation, NULL, &error));
}

/* Row keys of a scan, with blanks between them. */
static void scan_keys(klip_table* table, const klip_scan* scan, size_t max_rows, char* out) {
  klip_error* error = NULL;
  klip_scanner* scanner = NULL;
  const klip_rows* rows = NULL;
  size_t used = 0;
  OK(klip_table_scan(table, scan, &scanner, &error));
  do {
    size_t i;
    OK(klip_scanner_next(scanner, max_rows, &rows, &error));
    CHECK(klip_rows_size(rows) <= max_rows);
    for (i = 0; i < klip_rows_size(rows); ++i) {
      const klip_bytes row = klip_rows_get(rows, i)->cells[0].row;
      memcpy(out + used, row.data, row.size);
      used += row.size;
      out[used++] = ' ';
    }
  } while (klip_rows_size(rows) > 0);
  out[used > 0 ? used - 1 : 0] = '\0';
  klip_scanner_free(scanner);
}

static void test_errors(const char* uri) {
  klip_error* error = NULL;
  klip_connection* connection = NULL;
  klip_connection* second = NULL;
  klip_table* table = NULL;
  klip_options options = klip_options_default();
  int code;

  FAILS(KLIP_INVALID_ARGUMENT, "not a klip URI", klip_connection_open("nonsense", NULL, &connection, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "uri", klip_connection_open(NULL, NULL, &connection, &error));
  options.struct_size = 4;
  FAILS(KLIP_INVALID_ARGUMENT, "struct_size", klip_connection_open(uri, &options, &connection, &error));
  options = klip_options_default();
  options.struct_size = sizeof(options) + 8;
  FAILS(KLIP_INVALID_ARGUMENT, "struct_size", klip_connection_open(uri, &options, &connection, &error));
  CHECK(klip_connection_open("nonsense", NULL, &connection, NULL) == KLIP_INVALID_ARGUMENT);
  CHECK(connection == NULL);

  connection = open_store(uri);
  FAILS(KLIP_STORE_IN_USE, "", klip_connection_open(uri, NULL, &second, &error));
  CHECK(klip_table_open(connection, "t", &table, &error) == KLIP_TABLE_NOT_FOUND);
  CHECK(strcmp(klip_error_java_class(error), "org.apache.hadoop.hbase.TableNotFoundException") == 0);
  CHECK(klip_error_retryable(error) == 0);
  klip_error_free(error);
  error = NULL;
  klip_connection_free(connection);
  klip_connection_free(NULL);
  klip_error_free(NULL);

  for (code = KLIP_OK; code <= KLIP_TRANSACTION_CONFLICT; ++code) {
    CHECK(klip_code_name(code) != NULL);
  }
  CHECK(klip_code_name(KLIP_TRANSACTION_CONFLICT + 1) == NULL);
  CHECK(klip_code_name(-1) == NULL);
  CHECK(klip_abi_version() == KLIP_ABI_MAJOR * 1000 + KLIP_ABI_MINOR);
}

static void test_tables(klip_connection* connection) {
  klip_error* error = NULL;
  const klip_bytes splits[] = {{"g\0h", 3}, {"p", 1}};
  klip_list* names = NULL;
  char* json = NULL;
  char* bytes = NULL;
  size_t size = 0;
  int flag = 0;

  OK(klip_create_table(connection,
                       "{\"name\": \"t\", \"families\": [{\"name\": \"f\", \"VERSIONS\": 3, \"IN_MEMORY\": true, "
                       "\"configuration\": {\"a.b\": 1}}], \"attributes\": {\"MAX_FILESIZE\": \"1000000000\"}}",
                       splits, 2, &error));
  FAILS(KLIP_TABLE_EXISTS, "t",
        klip_create_table(connection, "{\"name\":\"t\",\"families\":[{\"name\":\"f\"}]}", NULL, 0, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "JSON", klip_create_table(connection, "{", NULL, 0, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "families", klip_create_table(connection, "{\"name\": \"u\"}", NULL, 0, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "VERSIONS",
        klip_create_table(connection, "{\"name\":\"u\",\"families\":[{\"name\":\"f\",\"VERSIONS\":\"many\"}]}", NULL, 0,
                          &error));
  FAILS(KLIP_INVALID_ARGUMENT, "owner",
        klip_create_table(connection, "{\"name\":\"u\",\"families\":[],\"owner\":\"me\"}", NULL, 0, &error));

  OK(klip_describe_table(connection, "t", &json, &error));
  CHECK(strstr(json, "\"VERSIONS\":\"3\"") != NULL);
  CHECK(strstr(json, "\"IN_MEMORY\":\"true\"") != NULL);
  CHECK(strstr(json, "\"configuration\":{\"a.b\":\"1\"}") != NULL);
  CHECK(strstr(json, "\"MAX_FILESIZE\":\"1000000000\"") != NULL);
  klip_free(json);
  OK(klip_list_regions(connection, "t", &json, &error));
  CHECK(strstr(json, "\"start_key\":\"g\\\\x00h\"") != NULL);
  klip_free(json);
  bytes = klip_from_string_binary("g\\x00h", &size);
  CHECK(size == 3 && memcmp(bytes, "g\0h", 3) == 0);
  klip_free(bytes);
  bytes = klip_to_string_binary(splits[0]);
  CHECK(strcmp(bytes, "g\\x00h") == 0);
  klip_free(bytes);

  OK(klip_add_family(connection, "t", "{\"name\": \"g\"}", &error));
  OK(klip_modify_family(connection, "t", "{\"name\": \"g\", \"TTL\": 100}", &error));
  OK(klip_describe_table(connection, "t", &json, &error));
  CHECK(strstr(json, "\"TTL\":\"100\"") != NULL);
  OK(klip_modify_table(connection, json, &error)); /* what is described can be given back */
  klip_free(json);
  OK(klip_delete_family(connection, "t", "g", &error));
  FAILS(KLIP_INVALID_FAMILY_OPERATION, "", klip_delete_family(connection, "t", "g", &error));

  OK(klip_split_table(connection, "t", klip_str("c"), &error));
  OK(klip_list_regions(connection, "t", &json, &error));
  CHECK(strstr(json, "\"start_key\":\"c\"") != NULL);
  klip_free(json);

  OK(klip_create_namespace(connection, "n", &error));
  OK(klip_create_table(connection, "{\"name\":\"n:u\",\"families\":[{\"name\":\"f\"}]}", NULL, 0, &error));
  OK(klip_list_tables(connection, "n", &names, &error));
  CHECK(klip_list_size(names) == 1 && same(klip_list_get(names, 0), "n:u"));
  CHECK(klip_list_get(names, 1).data == NULL);
  klip_list_free(names);
  OK(klip_list_tables(connection, NULL, &names, &error));
  CHECK(klip_list_size(names) == 2);
  klip_list_free(names);
  OK(klip_list_namespaces(connection, &names, &error));
  CHECK(klip_list_size(names) == 3); /* default, hbase, n */
  klip_list_free(names);
  FAILS(KLIP_TABLE_NOT_DISABLED, "", klip_delete_table(connection, "n:u", &error));
  OK(klip_disable_table(connection, "n:u", &error));
  OK(klip_is_table_enabled(connection, "n:u", &flag, &error));
  CHECK(flag == 0);
  OK(klip_truncate_table(connection, "n:u", 0, &error));
  OK(klip_is_table_enabled(connection, "n:u", &flag, &error));
  CHECK(flag == 1);
  OK(klip_disable_table(connection, "n:u", &error));
  OK(klip_enable_table(connection, "n:u", &error));
  OK(klip_disable_table(connection, "n:u", &error));
  OK(klip_delete_table(connection, "n:u", &error));
  OK(klip_table_exists(connection, "n:u", &flag, &error));
  CHECK(flag == 0);
  OK(klip_delete_namespace(connection, "n", &error));
}

static void test_rows(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table = open_table(connection, "t");
  klip_rows* rows = NULL;
  const klip_row* row;
  klip_column column = {{"f", 1}, {"q", 1}, 0};
  klip_get get = klip_get_default(klip_str("a"));
  klip_get gets[2];
  klip_change change = klip_change_default(klip_str("f"), klip_str("n"), klip_str(""));
  klip_mutation mutation = klip_mutation_default(KLIP_INCREMENT, klip_str("a"));

  CHECK(strcmp(klip_table_name(table), "t") == 0);
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_size(rows) == 1);
  CHECK(klip_rows_get(rows, 0)->cell_count == 0 && klip_rows_get(rows, 0)->exists == 0);
  CHECK(klip_rows_get(rows, 1) == NULL);

  put(table, "a", "q", "1", 10);
  put(table, "a", "q", "2", 20);
  put(table, "a", "z", "", 20);
  put(table, "b", "q", "3", 30);
  OK(klip_table_get(table, &get, &rows, &error)); /* the same rows, filled again */
  row = klip_rows_get(rows, 0);
  CHECK(row->cell_count == 2 && row->exists == 1);
  CHECK(same(row->cells[0].row, "a") && same(row->cells[0].family, "f") && same(row->cells[0].qualifier, "q"));
  CHECK(same(row->cells[0].value, "2") && row->cells[0].timestamp_ms == 20 && row->cells[0].type == KLIP_CELL_PUT);
  CHECK(klip_rows_stale(rows, 0) == 0 && klip_rows_stale(rows, 1) == 0 && klip_rows_stale(NULL, 0) == 0);

  get.consistency = KLIP_TIMELINE;
  get.replica_id = 0;
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 2);
  get.consistency = 7;
  FAILS(KLIP_INVALID_ARGUMENT, "consistency", klip_table_get(table, &get, &rows, &error));
  get.struct_size = offsetof(klip_get, consistency); /* a program built with ABI 1.0 has nothing there */
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 2);
  get.struct_size -= 1;
  FAILS(KLIP_INVALID_ARGUMENT, "struct_size", klip_table_get(table, &get, &rows, &error));
  get = klip_get_default(klip_str("a"));
  CHECK(same(row->cells[1].qualifier, "z") && row->cells[1].value.size == 0);

  get.columns = &column;
  get.column_count = 1;
  get.max_versions = KLIP_ALL_VERSIONS;
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 2);
  get.time_range.max_ms = 20;
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 1 && same(klip_rows_get(rows, 0)->cells[0].value, "1"));
  get.time_range.max_ms = KLIP_LATEST_TIMESTAMP;
  get.filter = klip_str("ValueFilter(=, 'binary:1')");
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 1);
  get.filter = klip_str("NoFilter(");
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_table_get(table, &get, &rows, &error));
  get.filter = klip_str(NULL);
  get.existence_only = 1;
  OK(klip_table_get(table, &get, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 0 && klip_rows_get(rows, 0)->exists == 1);
  get = klip_get_default(klip_str("a"));
  get.column_count = 1;
  FAILS(KLIP_INVALID_ARGUMENT, "columns", klip_table_get(table, &get, &rows, &error));
  get.column_count = 0;
  get.row.size = 5;
  get.row.data = NULL;
  FAILS(KLIP_INVALID_ARGUMENT, "row", klip_table_get(table, &get, &rows, &error));
  column.family = klip_str("nof");
  get = klip_get_default(klip_str("a"));
  get.columns = &column;
  get.column_count = 1;
  FAILS(KLIP_NO_SUCH_COLUMN_FAMILY, "nof", klip_table_get(table, &get, &rows, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "klip_get", klip_table_get(table, NULL, &rows, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "handle", klip_table_get(NULL, &get, &rows, &error));

  gets[0] = klip_get_default(klip_str("b"));
  gets[1] = klip_get_default(klip_str("none"));
  OK(klip_table_multi_get(table, gets, 2, &rows, &error));
  CHECK(klip_rows_size(rows) == 2);
  CHECK(same(klip_rows_get(rows, 0)->cells[0].value, "3") && klip_rows_get(rows, 1)->cell_count == 0);
  OK(klip_table_edge_row(table, 1, &rows, &error));
  CHECK(same(klip_rows_get(rows, 0)->cells[0].row, "b"));

  change.amount = 5;
  mutation.changes = &change;
  mutation.change_count = 1;
  OK(klip_table_mutate(table, &mutation, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cells[0].value.data[7] == 5);
  mutation.kind = KLIP_APPEND;
  change.qualifier = klip_str("q");
  change.value = klip_str("+");
  OK(klip_table_mutate(table, &mutation, &rows, &error));
  CHECK(same(klip_rows_get(rows, 0)->cells[0].value, "2+"));
  mutation.kind = 9;
  FAILS(KLIP_INVALID_ARGUMENT, "kind", klip_table_mutate(table, &mutation, NULL, &error));
  mutation.kind = KLIP_DELETE;
  change.type = KLIP_CELL_PUT;
  FAILS(KLIP_INVALID_ARGUMENT, "no delete", klip_table_mutate(table, &mutation, NULL, &error));
  change.type = 0;
  OK(klip_table_mutate(table, &mutation, NULL, &error)); /* column f:q */
  mutation.changes = NULL;
  FAILS(KLIP_INVALID_ARGUMENT, "changes", klip_table_mutate(table, &mutation, NULL, &error));
  gets[0] = klip_get_default(klip_str("a"));
  OK(klip_table_get(table, gets, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 2); /* n and z are left */
  mutation = klip_mutation_default(KLIP_DELETE, klip_str("a"));
  mutation.durability = 77;
  FAILS(KLIP_INVALID_ARGUMENT, "durability", klip_table_mutate(table, &mutation, NULL, &error));
  mutation.durability = KLIP_FSYNC_WAL;
  OK(klip_table_mutate(table, &mutation, NULL, &error)); /* the whole row */
  OK(klip_table_get(table, gets, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 0);
  klip_rows_free(rows);
  klip_table_free(table);
}

static void test_steps(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table = open_table(connection, "t");
  klip_rows* rows = NULL;
  klip_change change = klip_change_default(klip_str("f"), klip_str("q"), klip_str("v"));
  klip_change bad = klip_change_default(klip_str("nof"), klip_str("q"), klip_str("v"));
  klip_mutation mutations[3];
  klip_condition condition = klip_condition_default(klip_str("f"), klip_str("q"), klip_str("v"));
  klip_action actions[4];
  klip_step steps[2];
  klip_get get = klip_get_default(klip_str("m"));
  int met = -1;
  int i;

  for (i = 0; i < 3; ++i) {
    mutations[i] = klip_mutation_default(KLIP_PUT, klip_str("m"));
    mutations[i].changes = &change;
    mutations[i].change_count = 1;
  }
  mutations[1].kind = KLIP_INCREMENT;
  bad.family = klip_str("f");
  bad.qualifier = klip_str("n");
  bad.amount = 2;
  mutations[1].changes = &bad;
  OK(klip_table_mutate_row(table, mutations, 2, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 1); /* what the increment made */
  mutations[1].row = klip_str("other");
  CHECK(klip_table_mutate_row(table, mutations, 2, NULL, &error) != KLIP_OK);
  klip_error_free(error);
  error = NULL;

  OK(klip_table_check_and_mutate(table, klip_str("m"), &condition, mutations, 1, &met, NULL, &error));
  CHECK(met == 1);
  condition.value = klip_str("w");
  OK(klip_table_check_and_mutate(table, klip_str("m"), &condition, mutations, 1, &met, NULL, &error));
  CHECK(met == 0);
  condition.op = 6;
  FAILS(KLIP_INVALID_ARGUMENT, "op",
        klip_table_check_and_mutate(table, klip_str("m"), &condition, mutations, 1, &met, NULL, &error));

  /* A batch that is refused has written nothing: 2 from above and 2 now. */
  memset(actions, 0, sizeof(actions));
  mutations[1].row = klip_str("m");
  actions[0].mutations = &mutations[1];
  actions[0].mutation_count = 1;
  FAILS(KLIP_INVALID_ARGUMENT, "rows", klip_table_batch(table, actions, 1, NULL, &error));
  OK(klip_table_batch(table, actions, 1, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cells[0].value.size == 8 && klip_rows_get(rows, 0)->cells[0].value.data[7] == 4);

  /* A get, a put that cannot be, a check that is not met, a put. */
  memset(actions, 0, sizeof(actions));
  bad = klip_change_default(klip_str("nof"), klip_str("q"), klip_str("v"));
  mutations[1] = mutations[0];
  mutations[1].changes = &bad;
  condition.op = KLIP_EQUAL;
  actions[0].get = &get;
  actions[1].mutations = &mutations[1];
  actions[1].mutation_count = 1;
  actions[2].mutations = mutations;
  actions[2].mutation_count = 1;
  actions[2].condition = &condition;
  actions[2].row = klip_str("m");
  actions[3].mutations = &mutations[2];
  actions[3].mutation_count = 1;
  OK(klip_table_batch(table, actions, 4, &rows, &error));
  CHECK(klip_rows_size(rows) == 4);
  CHECK(klip_rows_get(rows, 0)->cell_count == 2 && klip_rows_get(rows, 0)->error == NULL);
  CHECK(klip_error_code(klip_rows_get(rows, 1)->error) == KLIP_NO_SUCH_COLUMN_FAMILY);
  CHECK(klip_rows_get(rows, 2)->exists == 0 && klip_rows_get(rows, 2)->error == NULL);
  CHECK(klip_rows_get(rows, 3)->error == NULL);
  actions[0].condition = &condition;
  FAILS(KLIP_INVALID_ARGUMENT, "either", klip_table_batch(table, actions, 4, &rows, &error));

  memset(steps, 0, sizeof(steps));
  steps[0].table = klip_str("t");
  steps[0].mutation = &mutations[0];
  steps[1].table = klip_str("t");
  steps[1].condition = &condition;
  steps[1].row = klip_str("m");
  OK(klip_connection_apply(connection, steps, 2, KLIP_USE_DEFAULT, &met, &error));
  CHECK(met == 0);
  condition.value = klip_str("v");
  OK(klip_connection_apply(connection, steps, 2, KLIP_USE_DEFAULT, &met, &error));
  CHECK(met == 1);
  steps[1].mutation = &mutations[0];
  FAILS(KLIP_INVALID_ARGUMENT, "either", klip_connection_apply(connection, steps, 2, KLIP_USE_DEFAULT, &met, &error));

  klip_rows_free(rows);
  klip_table_free(table);
}

static void test_prepend(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table;
  klip_change columns[2];
  klip_prepend prepend = klip_prepend_default(klip_str("f"), klip_str("check"));
  klip_rows* rows = NULL;
  uint64_t key = 0;

  OK(klip_create_table(connection, "{\"name\": \"p\", \"families\": [{\"name\": \"f\"}]}", NULL, 0, &error));
  table = open_table(connection, "p");
  columns[0] = klip_change_default(klip_str("f"), klip_str("check"), klip_str("x"));
  columns[1] = klip_change_default(klip_str("f"), klip_str("q"), klip_str("v"));
  prepend.columns = columns;
  prepend.column_count = 2;
  OK(klip_table_prepend(table, &prepend, &key, &error));
  CHECK(key == prepend.last_key);
  OK(klip_table_prepend(table, &prepend, &key, &error));
  CHECK(key == prepend.last_key - 1);
  OK(klip_table_edge_row(table, 0, &rows, &error));
  CHECK(klip_rows_get(rows, 0)->cell_count == 2);
  CHECK(memcmp(klip_rows_get(rows, 0)->cells[0].row.data, "\x7f\xff\xff\xff\xff\xff\xff\xfe", 8) == 0);
  prepend.durability = 9;
  FAILS(KLIP_INVALID_ARGUMENT, "durability", klip_table_prepend(table, &prepend, &key, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "klip_prepend", klip_table_prepend(table, NULL, &key, &error));
  klip_rows_free(rows);
  klip_table_free(table);
}

static int end_now(void* calls) { return ++*(int*)calls > 0; }

static void test_scans(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table;
  klip_loader* loader = NULL;
  klip_scanner* scanner = NULL;
  klip_schema* schema = NULL;
  klip_mutation puts[300];
  klip_change change = klip_change_default(klip_str("f"), klip_str("q"), klip_str("v"));
  klip_bytes values[2];
  klip_list* fields = NULL;
  klip_scan scan = klip_scan_default();
  const klip_rows* rows = NULL;
  char numbers[300][8];
  char keys[300][16];
  char out[8192];
  char* text = NULL;
  size_t size = 0;
  int64_t counted = 0;
  int calls = 0;
  int i;

  OK(klip_create_table(connection,
                       "{\"name\": \"k\", \"families\": [{\"name\": \"f\"}], "
                       "\"attributes\": {\"KLIP_ROW_KEY\": \"user:text(4,'*') day:digits(3)\"}}",
                       NULL, 0, &error));
  table = open_table(connection, "k");
  OK(klip_table_schema(table, &schema, &error));
  CHECK(strcmp(klip_schema_text(schema), "user:text(4,'*') day:digits(3)") == 0);
  for (i = 0; i < 300; ++i) {
    values[0] = klip_str(i < 100 ? "ann" : i < 200 ? "bob" : "carl");
    sprintf(numbers[i], "%d", i % 100);
    values[1] = klip_str(numbers[i]);
    OK(klip_schema_encode(schema, values, 2, &text, &size, &error));
    CHECK(size == 7);
    strcpy(keys[i], text);
    klip_free(text);
    puts[i] = klip_mutation_default(KLIP_PUT, klip_str(keys[i]));
    puts[i].changes = &change;
    puts[i].change_count = 1;
  }
  OK(klip_loader_open(connection, "k", &loader, &error));
  OK(klip_loader_add(loader, puts, 200, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_loader_add(loader, puts, 1, &error)); /* not ascending */
  klip_loader_free(loader);
  scan_keys(table, NULL, 7, out);
  CHECK(strcmp(out, "") == 0); /* not finished: nothing was loaded */
  loader = NULL;
  OK(klip_loader_open(connection, "k", &loader, &error));
  OK(klip_loader_add(loader, puts, 100, &error));
  OK(klip_loader_add(loader, puts + 100, 100, &error));
  OK(klip_loader_finish(loader, &error));
  klip_loader_free(loader);
  OK(klip_table_put_all(table, puts + 200, 100, &error));
  puts[0].kind = KLIP_DELETE;
  FAILS(KLIP_INVALID_ARGUMENT, "puts[0]", klip_table_put_all(table, puts, 1, &error));

  scan.where = klip_str("day=7");
  scan_keys(table, &scan, 1, out);
  CHECK(strcmp(out, "ann*007 bob*007 carl007") == 0);
  scan.reversed = 1;
  scan_keys(table, &scan, 10, out);
  CHECK(strcmp(out, "carl007 bob*007 ann*007") == 0);
  OK(klip_table_count_rows(table, &scan, &counted, &error));
  CHECK(counted == 3);
  OK(klip_table_count_rows(table, NULL, &counted, &error));
  CHECK(counted == 300);
  FAILS(KLIP_INVALID_ARGUMENT, "rows", klip_table_count_rows(table, &scan, NULL, &error));
  OK(klip_table_explain(table, &scan, 0, &text, &error));
  CHECK(strstr(text, "\"skip scan\"") != NULL);
  klip_free(text);
  scan = klip_scan_default();
  scan.prefix = klip_str("bob*09");
  scan.limit_rows = 3;
  scan_keys(table, &scan, 2, out);
  CHECK(strcmp(out, "bob*090 bob*091 bob*092") == 0);
  scan.reversed = 1;
  scan_keys(table, &scan, 2, out);
  CHECK(strcmp(out, "bob*099 bob*098 bob*097") == 0);
  scan.start_row = klip_str("b");
  FAILS(KLIP_INVALID_ARGUMENT, "prefix", klip_table_scan(table, &scan, &scanner, &error));
  scan = klip_scan_default();
  scan.where = klip_str("day=seven");
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_table_scan(table, &scan, &scanner, &error));
  scan = klip_scan_default();
  scan.start_row = klip_str("carl097");
  scan.include_start = 0;
  scan.threads = 2;
  scan_keys(table, &scan, 100, out);
  CHECK(strcmp(out, "carl098 carl099") == 0);

  /* Ended by a callback, from outside, and at the end of the rows. With a filter that drops everything, a scan reads for long. */
  scan = klip_scan_default();
  scan.filter = klip_str("ValueFilter(=, 'binary:none')");
  scan.interrupted = end_now;
  scan.interrupted_argument = &calls;
  OK(klip_table_scan(table, &scan, &scanner, &error));
  FAILS(KLIP_CANCELLED, "", klip_scanner_next(scanner, 10, &rows, &error));
  CHECK(calls > 0);
  klip_scanner_free(scanner);
  OK(klip_table_scan(table, NULL, &scanner, &error));
  OK(klip_scanner_next(scanner, 10, &rows, &error));
  CHECK(klip_rows_size(rows) == 10);
  FAILS(KLIP_INVALID_ARGUMENT, "max_rows", klip_scanner_next(scanner, 0, &rows, &error));
  OK(klip_scanner_explain(scanner, 1, &text, &error));
  CHECK(strstr(text, "10") != NULL);
  klip_free(text);
  klip_scanner_cancel(scanner);
  FAILS(KLIP_CANCELLED, "cancelled", klip_scanner_next(scanner, 10, &rows, &error));
  klip_scanner_free(scanner);

  OK(klip_flush(connection, "k", &error));
  OK(klip_compact(connection, "k", 1, &error));
  OK(klip_metrics(connection, &text, &error));
  CHECK(strstr(text, "\"files\":") != NULL);
  klip_free(text);
  OK(klip_cluster_metrics(connection, &text, &error));
  CHECK(strstr(text, "\"version\":\"2.6.4\"") != NULL && strstr(text, "\"live_servers\":[{\"name\":") != NULL);
  CHECK(strstr(text, "\"name\":\"k,,") != NULL && strstr(text, "\"dead_servers\":[]") != NULL);
  klip_free(text);
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_cluster_metrics(connection, NULL, &error));
  OK(klip_table_statistics(table, &text, &error));
  CHECK(strstr(text, "\"rows\":300") != NULL && strstr(text, "\"name\":\"user\"") != NULL);
  klip_free(text);
  OK(klip_table_distinct_keys(table, 1, 1, &text, &error));
  CHECK(strcmp(text,
               "[{\"values\":[\"ann\"],\"rows\":100},{\"values\":[\"bob\"],\"rows\":100},{\"values\":[\"carl\"],"
               "\"rows\":100}]") == 0);
  klip_free(text);

  OK(klip_schema_decode(schema, klip_str("bob*042"), &fields, &error));
  CHECK(klip_list_size(fields) == 2 && same(klip_list_get(fields, 0), "bob"));
  klip_list_free(fields);
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_schema_decode(schema, klip_str("bo"), &fields, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "user", klip_schema_encode(schema, values, 0, &text, &size, &error));
  OK(klip_schema_check_query(schema, klip_str("day=1..2"), &text, &error));
  CHECK(strcmp(text, "day=1..2") == 0 || strstr(text, "day") != NULL);
  klip_free(text);
  OK(klip_schema_fields(schema, &text, &error));
  CHECK(
      strstr(text, "{\"name\":\"day\",\"type\":\"digits\",\"width_bytes\":3,\"derived\":false,\"descending\":false}") !=
      NULL);
  klip_free(text);
  klip_schema_free(schema);
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_schema_parse("user:nothing", &schema, &error));
  klip_table_free(table);
  table = open_table(connection, "t");
  OK(klip_table_schema(table, &schema, &error));
  CHECK(schema == NULL);
  klip_table_free(table);
}

static void test_snapshots(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table;
  char out[8192];
  char* json = NULL;

  OK(klip_snapshot(connection, "s", "t", &error));
  FAILS(KLIP_SNAPSHOT_EXISTS, "s", klip_snapshot(connection, "s", "t", &error));
  OK(klip_list_snapshots(connection, &json, &error));
  CHECK(strstr(json, "\"table\":\"t\"") != NULL);
  klip_free(json);
  OK(klip_clone_snapshot(connection, "s", "clone", &error));
  table = open_table(connection, "clone");
  scan_keys(table, NULL, 10, out);
  CHECK(strcmp(out, "b m") == 0);
  klip_table_free(table);
  OK(klip_disable_table(connection, "t", &error));
  OK(klip_restore_snapshot(connection, "s", &error));
  OK(klip_enable_table(connection, "t", &error));
  OK(klip_delete_snapshot(connection, "s", &error));
  FAILS(KLIP_SNAPSHOT_NOT_FOUND, "s", klip_clone_snapshot(connection, "s", "again", &error));
}

/* Handles made from a connection outlive it, but return nothing. */
/* Ends unless the stream has one row, of a text and an int32. Releases the stream. */
static void check_stream(struct ArrowArrayStream* stream, const char* text, int32_t number) {
  struct ArrowSchema schema;
  struct ArrowArray array;
  const int32_t* ends;
  CHECK(stream->get_schema(stream, &schema) == 0);
  CHECK(schema.n_children == 2);
  CHECK(strcmp(schema.children[0]->format, "u") == 0);
  CHECK(strcmp(schema.children[1]->format, "i") == 0);
  schema.release(&schema);
  CHECK(stream->get_next(stream, &array) == 0);
  CHECK(array.length == 1);
  ends = (const int32_t*)array.children[0]->buffers[1];
  CHECK((size_t)(ends[1] - ends[0]) == strlen(text));
  CHECK(memcmp((const char*)array.children[0]->buffers[2] + ends[0], text, strlen(text)) == 0);
  CHECK(((const int32_t*)array.children[1]->buffers[1])[0] == number);
  array.release(&array);
  CHECK(stream->get_next(stream, &array) == 0);
  CHECK(array.release == NULL);
  stream->release(stream);
}

static void test_arrow(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table;
  klip_arrow_column column = {{NULL, 0}, {NULL, 0}, NULL, NULL};
  klip_arrow_options options = klip_arrow_options_default();
  klip_scan scan = klip_scan_default();
  klip_sql* sql = NULL;
  klip_result* result = NULL;
  struct ArrowArrayStream stream;
  int64_t rows = 0;
  OK(klip_create_table(connection,
                       "{\"name\": \"arrow\", \"families\": [{\"name\": \"f\"}], "
                       "\"attributes\": {\"KLIP_ROW_KEY\": \"user:text\"}}",
                       NULL, 0, &error));
  table = open_table(connection, "arrow");
  column.family = klip_str("f");
  column.qualifier = klip_str("n");
  column.type = "i32";
  OK(klip_sql_open(connection, NULL, &sql, &error));
  OK(klip_sql_execute(sql, klip_str("SELECT 'alice' \"user\", 7 \"n\""), NULL, 0, &result, &error));
  OK(klip_result_arrow(result, 100, &stream, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "handed on", klip_result_arrow(result, 100, &stream, &error));
  klip_result_free(result);
  OK(klip_table_write_arrow(table, &column, 1, &stream, &rows, &error));
  CHECK(rows == 1);
  CHECK(stream.release == NULL);

  FAILS(KLIP_INVALID_ARGUMENT, "stream", klip_scan_arrow_stream(table, NULL, NULL, NULL, &error));
  options.columns = &column;
  options.column_count = 1;
  scan.where = klip_str("user=bob");
  OK(klip_scan_arrow_stream(table, &scan, &options, &stream, &error));
  stream.release(&stream);
  scan.where = klip_str("user=alice");
  OK(klip_scan_arrow_stream(table, &scan, &options, &stream, &error));
  klip_table_free(table); /* the stream stays valid */
  check_stream(&stream, "alice", 7);
  klip_sql_free(sql);
}

static void test_sql(klip_connection* connection) {
  klip_error* error = NULL;
  klip_sql* sql = NULL;
  klip_statement* statement = NULL;
  klip_result* result = NULL;
  klip_sql_options options = klip_sql_options_default();
  klip_value values[3] = {{0, 0, 0, 0, {NULL, 0}, NULL}, {0, 0, 0, 0, {NULL, 0}, NULL}, {0, 0, 0, 0, {NULL, 0}, NULL}};
  const klip_value* row = NULL;
  size_t rows = 0;
  char* json = NULL;
  int i;
  options.struct_size = 4;
  FAILS(KLIP_INVALID_ARGUMENT, "struct_size", klip_sql_open(connection, &options, &sql, &error));
  OK(klip_sql_open(connection, NULL, &sql, &error));
  OK(klip_sql_execute(sql, klip_str("CREATE TABLE s (k BIGINT PRIMARY KEY, t VARCHAR, d DECIMAL, a INTEGER ARRAY)"),
                      NULL, 0, &result, &error));
  CHECK(klip_result_updated(result) == 0);
  klip_result_free(result);

  OK(klip_sql_prepare(sql, klip_str("UPSERT INTO s VALUES (?, ?, ?, ARRAY[1, 2])"), &statement, &error));
  for (i = 0; i < 3; ++i) {
    values[0].type = KLIP_VALUE_INTEGER;
    values[0].integer = i;
    values[1].type = i == 1 ? KLIP_VALUE_NULL : KLIP_VALUE_TEXT;
    values[1].bytes = klip_str("x");
    values[2].type = KLIP_VALUE_DECIMAL;
    values[2].bytes = klip_str("-12.50");
    OK(klip_statement_execute(statement, values, 3, &result, &error));
    CHECK(klip_result_updated(result) == 1);
    klip_result_free(result);
  }
  values[2].bytes = klip_str("many");
  FAILS(KLIP_INVALID_ARGUMENT, "values[2]", klip_statement_execute(statement, values, 3, &result, &error));
  values[2].type = 99;
  FAILS(KLIP_INVALID_ARGUMENT, "type 99", klip_statement_execute(statement, values, 3, &result, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "", klip_statement_execute(statement, values, 1, &result, &error));
  klip_statement_free(statement);

  OK(klip_sql_execute(sql, klip_str("SELECT k, t, d, a FROM s ORDER BY k"), NULL, 0, &result, &error));
  CHECK(klip_result_updated(result) == -1);
  OK(klip_result_columns(result, &json, &error));
  CHECK(strstr(json, "\"label\":\"K\",\"type\":\"BIGINT\"") != NULL);
  klip_free(json);
  OK(klip_result_fetch(result, 2, &row, &rows, &error));
  CHECK(rows == 2);
  CHECK(row[0].type == KLIP_VALUE_INTEGER && row[0].integer == 0);
  CHECK(row[1].type == KLIP_VALUE_TEXT && row[1].bytes.size == 1 && row[1].bytes.data[0] == 'x');
  CHECK(row[2].type == KLIP_VALUE_DECIMAL && memcmp(row[2].bytes.data, "-12.5", 5) == 0);
  CHECK(row[3].type == KLIP_VALUE_ARRAY && row[3].integer == 2 && row[3].items[1].integer == 2);
  CHECK(row[5].type == KLIP_VALUE_NULL);
  OK(klip_result_fetch(result, 2, &row, &rows, &error));
  CHECK(rows == 1);
  OK(klip_result_fetch(result, 2, &row, &rows, &error));
  CHECK(rows == 0);
  FAILS(KLIP_INVALID_ARGUMENT, "max_rows", klip_result_fetch(result, 0, &row, &rows, &error));
  klip_result_free(result);

  CHECK(klip_sql_execute(sql, klip_str("SELECT * FROM nowhere"), NULL, 0, &result, &error) == KLIP_INVALID_ARGUMENT);
  CHECK(klip_error_sql_number(error) == 1012);
  CHECK(strcmp(klip_error_sql_state(error), "42M03") == 0);
  klip_error_free(error);
  error = NULL;

  OK(klip_sql_set_auto_commit(sql, 0, &error));
  OK(klip_sql_execute(sql, klip_str("DELETE FROM s WHERE k = 0"), NULL, 0, &result, &error));
  klip_result_free(result);
  OK(klip_sql_rollback(sql, &error));
  OK(klip_sql_execute(sql, klip_str("DELETE FROM s WHERE k = 1"), NULL, 0, &result, &error));
  klip_result_free(result);
  OK(klip_sql_commit(sql, &error));
  OK(klip_sql_execute(sql, klip_str("SELECT * FROM s"), NULL, 0, &result, &error));
  klip_sql_cancel(sql);
  FAILS(KLIP_CANCELLED, "", klip_result_fetch(result, 10, &row, &rows, &error));
  klip_result_free(result);
  OK(klip_sql_execute(sql, klip_str("SELECT COUNT(*) FROM s"), NULL, 0, &result, &error));
  klip_sql_free(sql); /* its result stays valid */
  OK(klip_result_fetch(result, 10, &row, &rows, &error));
  CHECK(rows == 1 && row[0].integer == 2);
  klip_result_free(result);
}

static void write_cell(klip_table* table, const char* row, const char* value) {
  klip_error* error = NULL;
  klip_change change = klip_change_default(klip_str("f"), klip_str("a"), klip_str(value));
  klip_mutation put = klip_mutation_default(KLIP_PUT, klip_str(row));
  put.changes = &change;
  put.change_count = 1;
  OK(klip_table_mutate(table, &put, NULL, &error));
}

/* Rows that a scan gives. */
static size_t count_rows(klip_table* table) {
  klip_error* error = NULL;
  klip_scanner* scanner = NULL;
  const klip_rows* rows = NULL;
  size_t count = 0;
  OK(klip_table_scan(table, NULL, &scanner, &error));
  do {
    OK(klip_scanner_next(scanner, 100, &rows, &error));
    count += klip_rows_size(rows);
  } while (klip_rows_size(rows) > 0);
  klip_scanner_free(scanner);
  return count;
}

static void test_transactions(klip_connection* connection) {
  klip_error* error = NULL;
  klip_table* table;
  klip_table* inside = NULL;
  klip_table* other_inside = NULL;
  klip_transaction* transaction = NULL;
  klip_transaction* other = NULL;
  klip_scanner* scanner = NULL;
  const klip_rows* rows = NULL;
  klip_transaction_options options = klip_transaction_options_default();
  int64_t savepoint = -1;
  OK(klip_create_table(connection, "{\"name\": \"tx\", \"families\": [{\"name\": \"f\"}]}", NULL, 0, &error));
  table = open_table(connection, "tx");
  write_cell(table, "r0", "0");

  OK(klip_transaction_begin(connection, NULL, &transaction, &error));
  OK(klip_transaction_table(transaction, "tx", &inside, &error));
  FAILS(KLIP_TABLE_NOT_FOUND, "nothing", klip_transaction_table(transaction, "nothing", &other_inside, &error));
  write_cell(inside, "r1", "1");
  OK(klip_transaction_savepoint(transaction, &savepoint, &error));
  write_cell(inside, "r2", "2");
  CHECK(count_rows(inside) == 3 && count_rows(table) == 1);
  OK(klip_transaction_rollback_to(transaction, savepoint, &error));
  CHECK(count_rows(inside) == 2);
  FAILS(KLIP_INVALID_ARGUMENT, "savepoint", klip_transaction_rollback_to(transaction, 99, &error));
  OK(klip_transaction_commit(transaction, &error));
  CHECK(count_rows(table) == 2);
  CHECK(klip_transaction_commit(transaction, NULL) != KLIP_OK); /* it is over */
  klip_transaction_free(transaction);
  klip_table_free(inside);

  /* The first commit wins. */
  options.serializable = 1;
  OK(klip_transaction_begin(connection, &options, &transaction, &error));
  OK(klip_transaction_begin(connection, NULL, &other, &error));
  OK(klip_transaction_table(transaction, "tx", &inside, &error));
  OK(klip_transaction_table(other, "tx", &other_inside, &error));
  write_cell(inside, "r1", "x");
  write_cell(other_inside, "r1", "y");
  OK(klip_transaction_commit(transaction, &error));
  FAILS(KLIP_TRANSACTION_CONFLICT, "", klip_transaction_commit(other, &error));
  klip_table_free(inside);
  klip_table_free(other_inside);
  klip_transaction_free(transaction);
  klip_transaction_free(other);

  /* What is freed is rolled back, even if its tables are still there. */
  OK(klip_transaction_begin(connection, NULL, &transaction, &error));
  OK(klip_transaction_table(transaction, "tx", &inside, &error));
  write_cell(inside, "r3", "3");
  OK(klip_table_scan(inside, NULL, &scanner, &error));
  OK(klip_scanner_next(scanner, 1, &rows, &error));
  klip_transaction_free(transaction);
  klip_table_free(inside);
  klip_scanner_free(scanner);
  CHECK(count_rows(table) == 2);
  OK(klip_transaction_begin(connection, NULL, &transaction, &error));
  OK(klip_transaction_rollback(transaction, &error));
  klip_transaction_free(transaction);
  options.struct_size = 0;
  FAILS(KLIP_INVALID_ARGUMENT, "struct_size", klip_transaction_begin(connection, &options, &transaction, &error));
  klip_table_free(table);
}

static void test_closing(klip_connection* connection, const char* uri) {
  klip_error* error = NULL;
  klip_table* table = open_table(connection, "k");
  klip_scanner* scanner = NULL;
  klip_scanner* other = NULL;
  klip_loader* loader = NULL;
  const klip_rows* rows = NULL;
  klip_rows* got = NULL;
  klip_get get = klip_get_default(klip_str("ann*001"));
  char* json = NULL;
  klip_sql* sql = NULL;
  klip_statement* statement = NULL;
  klip_result* result = NULL;
  struct ArrowArrayStream keys;
  struct ArrowArrayStream numbers;
  struct ArrowArray array;
  klip_transaction* transaction = NULL;
  klip_table* inside = NULL;

  OK(klip_transaction_begin(connection, NULL, &transaction, &error));
  OK(klip_transaction_table(transaction, "k", &inside, &error));
  OK(klip_scan_arrow_stream(table, NULL, NULL, &keys, &error));
  OK(klip_sql_open(connection, NULL, &sql, &error));
  OK(klip_sql_prepare(sql, klip_str("SELECT k FROM s"), &statement, &error));
  OK(klip_sql_execute(sql, klip_str("SELECT k FROM s"), NULL, 0, &result, &error));
  OK(klip_result_arrow(result, 100, &numbers, &error));
  klip_result_free(result);
  OK(klip_statement_execute(statement, NULL, 0, &result, &error));
  OK(klip_table_scan(table, NULL, &scanner, &error));
  OK(klip_scanner_next(scanner, 5, &rows, &error));
  OK(klip_loader_open(connection, "t", &loader, &error));
  OK(klip_table_get(table, &get, &got, &error));
  klip_connection_close(connection);
  klip_connection_close(connection);
  CHECK(klip_rows_size(got) == 1 && same(klip_rows_get(got, 0)->cells[0].value, "v")); /* rows are nobody's */
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_scanner_next(scanner, 5, &rows, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_scanner_explain(scanner, 0, &json, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_table_get(table, &get, &got, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_table_scan(table, NULL, &other, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_loader_finish(loader, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_flush(connection, "t", &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_result_columns(result, &json, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_statement_execute(statement, NULL, 0, &result, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_sql_commit(sql, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_transaction_commit(transaction, &error));
  FAILS(KLIP_INVALID_ARGUMENT, "closed", klip_table_get(inside, &get, &got, &error));
  klip_table_free(inside);
  klip_transaction_free(transaction);
  klip_sql_cancel(sql);
  CHECK(keys.get_next(&keys, &array) != 0);
  CHECK(strstr(keys.get_last_error(&keys), "closed") != NULL);
  CHECK(numbers.get_next(&numbers, &array) != 0);
  keys.release(&keys);
  numbers.release(&numbers);
  klip_result_free(result);
  klip_statement_free(statement);
  klip_sql_free(sql);
  klip_connection_free(connection);
  klip_connection_free(open_store(uri)); /* the directory is free again */
  klip_table_free(table);
  klip_scanner_cancel(scanner);
  klip_scanner_free(scanner);
  klip_loader_free(loader);
  klip_rows_free(got);
}

int main(int argc, char** argv) {
  klip_connection* connection;
  char uri[4096];
  if (argc != 2) {
    fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
    return 2;
  }
  snprintf(uri, sizeof(uri), "klip:%s", argv[1]);
  test_errors(uri);
  connection = open_store(uri);
  test_tables(connection);
  test_rows(connection);
  test_steps(connection);
  test_prepend(connection);
  test_scans(connection);
  test_snapshots(connection);
  test_arrow(connection);
  test_sql(connection);
  test_transactions(connection);
  test_closing(connection, uri);
  puts("ok");
  return 0;
}
