// What the C tests (tests/capi) do not ask: that a call which is refused for its arguments has written nothing.
#include <cstring>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/klip.h"

namespace klip::capi {
namespace {

TEST(CapiTableTest, ARefusedBatchHasWrittenNothing) {
  const TempDirectory directory;
  klip_options options = klip_options_default();
  options.sync_wal = 0;
  klip_connection* connection = nullptr;
  klip_table* table = nullptr;
  ASSERT_EQ(klip_connection_open(("klip:" + directory.Sub("store")).c_str(), &options, &connection, nullptr), KLIP_OK);
  ASSERT_EQ(klip_create_table(connection, R"({"name": "t", "families": [{"name": "f"}]})", nullptr, 0, nullptr),
            KLIP_OK);
  ASSERT_EQ(klip_table_open(connection, "t", &table, nullptr), KLIP_OK);

  klip_change change = klip_change_default(klip_str("f"), klip_str("n"), klip_str(""));
  change.amount = 1;
  klip_mutation increment = klip_mutation_default(KLIP_INCREMENT, klip_str("r"));
  increment.changes = &change;
  increment.change_count = 1;
  klip_action action;
  std::memset(&action, 0, sizeof(action));
  action.mutations = &increment;
  action.mutation_count = 1;
  klip_error* error = nullptr;
  EXPECT_EQ(klip_table_batch(table, &action, 1, nullptr, &error), KLIP_INVALID_ARGUMENT);
  EXPECT_STREQ(klip_error_message(error), "rows is missing (NULL)");

  klip_rows* rows = nullptr;
  ASSERT_EQ(klip_table_batch(table, &action, 1, &rows, nullptr), KLIP_OK);
  ASSERT_EQ(klip_rows_get(rows, 0)->cell_count, 1U);
  EXPECT_EQ(klip_rows_get(rows, 0)->cells[0].value.data[7], 1);
  klip_rows_free(rows);
  klip_error_free(error);
  klip_table_free(table);
  klip_connection_free(connection);
}

}  // namespace
}  // namespace klip::capi
