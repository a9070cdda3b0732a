#include "replication/random_writes.h"

#include <utility>

namespace klip {

Put RandomWrites::RandomPut(const std::string& row) {
  Put put{.row = row};
  const std::string family = Family();
  for (uint32_t i = Below(4) + 1; i > 0; --i) {
    put.Add(family, "q" + std::to_string(i), std::string(Below(2000), 'v') + std::string(Below(3), '\0'));
  }
  if (Below(3) == 0) {
    put.timestamp_ms = Below(50) + 1;
  }
  return put;
}

Delete RandomWrites::RandomDelete(const std::string& row) {
  const std::string qualifier = "q" + std::to_string(Below(4) + 1);
  const int64_t old_ms = Below(50) + 1;
  switch (Below(5)) {
    case 0:
      return {.row = row};
    case 1:
      return {.row = row, .markers = {{CellType::kDeleteColumn, Family(), qualifier, kLatestTimestamp}}};
    case 2:
      return {.row = row,
              .markers = {{CellType::kDelete, Family(), qualifier, Below(2) == 0 ? old_ms : kLatestTimestamp}}};
    case 3:
      return {.row = row, .markers = {{CellType::kDeleteFamilyVersion, Family(), "", old_ms}}};
    default:
      return {.row = row, .markers = {{CellType::kDeleteFamily, Family(), "", old_ms}}};
  }
}

Status RandomWrites::Write(Table* table) {
  const std::string row = Row();
  switch (Below(8)) {
    case 0:
    case 1:
      return table->Delete(RandomDelete(row));
    case 2:
      return table->Increment({.row = row, .columns = {{Family(), "count", 1}}}).status();
    case 3:
      return table->Append({.row = row, .columns = {{Family(), "text", "x"}}}).status();
    case 4: {
      RowMutations several{.row = row};
      several.mutations.emplace_back(RandomPut(row));
      several.mutations.emplace_back(RandomDelete(row));
      return table->Mutate(several).status();
    }
    default:
      return table->Put(RandomPut(row));
  }
}

}  // namespace klip
