// Table t, for targets that run on a store.
#pragma once

#include <string>

#include "klip/admin.h"
#include "klip/connection.h"

namespace klip::fuzz {

// As at first, also when it was removed.
inline void FillTable(Connection* connection) {
  TableDescriptor table;
  table.name = "t";
  table.families = {{.name = "f", .max_versions = 3}};
  const std::string split = "m";
  (void)connection->admin().CreateTable(table, {&split, 1});
  (void)connection->admin().EnableTable("t");
  if (Expected<std::unique_ptr<Table>> open = connection->GetTable("t"); open.ok()) {
    for (const char* row : {"row1", "row2", "a"}) {
      (void)(*open)->Put(Put(row).Add("f", "q", "value"));
    }
  }
}

}  // namespace klip::fuzz
