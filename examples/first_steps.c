/* First steps in C: a table with a row-key schema, rows, a scan by a part of the key. Usage: first_steps_c DIRECTORY */
#include <stdio.h>

#include "klip/klip.h"

/* Says what went wrong. */
static int failed(klip_error* error) {
  fprintf(stderr, "%s\n", klip_error_message(error));
  klip_error_free(error);
  return 1;
}

static klip_code put_visits(klip_table* table, klip_schema* schema, const char* user, const char* date,
                            const char* visits, klip_error** error) {
  klip_bytes fields[] = {klip_str(user), klip_str(date)};
  klip_bytes row;
  klip_change change = klip_change_default(klip_str("d"), klip_str("visits"), klip_str(visits));
  klip_mutation put;
  klip_code code;
  char* key = NULL;

  code = klip_schema_encode(schema, fields, 2, &key, &row.size, error);
  if (code != KLIP_OK) {
    return code;
  }
  row.data = key;
  put = klip_mutation_default(KLIP_PUT, row);
  put.changes = &change;
  put.change_count = 1;
  code = klip_table_mutate(table, &put, NULL, error);
  klip_free(key);
  return code;
}

static klip_code print_day(klip_table* table, const char* where, klip_error** error) {
  klip_scan scan = klip_scan_default();
  klip_scanner* scanner = NULL;
  const klip_rows* rows = NULL;
  klip_code code;

  scan.where = klip_str(where);
  code = klip_table_scan(table, &scan, &scanner, error);
  while (code == KLIP_OK && (code = klip_scanner_next(scanner, 1000, &rows, error)) == KLIP_OK &&
         klip_rows_size(rows) > 0) {
    size_t i;
    for (i = 0; i < klip_rows_size(rows); ++i) {
      const klip_cell* cell = &klip_rows_get(rows, i)->cells[0];
      printf("%.*s: %.*s\n", (int)cell->row.size, cell->row.data, (int)cell->value.size, cell->value.data);
    }
  }
  klip_scanner_free(scanner);
  return code;
}

int main(int argc, char** argv) {
  static const char* const kDescriptor =
      "{\"name\": \"logins\", \"families\": [{\"name\": \"d\", \"VERSIONS\": 3}],"
      " \"attributes\": {\"KLIP_ROW_KEY\": \"username:text(10,'*') date:digits(8)\"}}";
  klip_connection* connection = NULL;
  klip_table* table = NULL;
  klip_schema* schema = NULL;
  klip_error* error = NULL;
  char uri[4096];
  int status = 0;

  if (argc != 2) {
    fprintf(stderr, "usage: first_steps_c DIRECTORY\n");
    return 2;
  }
  snprintf(uri, sizeof(uri), "klip:%s", argv[1]);
  if (klip_connection_open(uri, NULL, &connection, &error) != KLIP_OK ||
      klip_create_table(connection, kDescriptor, NULL, 0, &error) != KLIP_OK ||
      klip_table_open(connection, "logins", &table, &error) != KLIP_OK ||
      klip_table_schema(table, &schema, &error) != KLIP_OK ||
      put_visits(table, schema, "alice", "20140627", "3", &error) != KLIP_OK ||
      put_visits(table, schema, "alice", "20140628", "5", &error) != KLIP_OK ||
      put_visits(table, schema, "bob", "20140628", "1", &error) != KLIP_OK ||
      print_day(table, "date=20140628", &error) != KLIP_OK) {
    status = failed(error);
  }
  klip_schema_free(schema);
  klip_table_free(table);
  klip_connection_free(connection);
  return status;
}
