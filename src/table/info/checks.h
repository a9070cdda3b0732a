// What is refused before anything is read or written, in HBase's words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/store/store.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "model/checks.h"
#include "table/info/table_info.h"

namespace klip::table {

// Of the connection; see ConnectionOptions.
struct Limits {
  int64_t max_cell_bytes = 0;
  int64_t max_row_read_bytes = 0;
};

using model::CheckGet;
using model::CheckRow;
using model::CheckTimestamp;

// The error that names a family the table does not have.
Status NoSuchFamily(const engine::TableView& view, std::string_view row, std::string_view family);

// The row-key schema, where it is enforced. Errors: kInvalidArgument.
Status CheckSchema(const TableInfo& info, std::string_view row);

// Row, timestamps, families, sizes, and the row-key schema where it is enforced. Errors: kInvalidArgument, kNoSuchColumnFamily.
Status CheckMutation(const TableInfo& info, const Limits& limits, const Put& put);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Delete& del);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Increment& increment);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Append& append);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Mutation& mutation);

// The same for cells of one row that are written as they are.
Status CheckCells(const TableInfo& info, const Limits& limits, std::span<const Cell> cells);

inline const std::string& RowOf(const Mutation& mutation) {
  return std::visit([](const auto& one) -> const std::string& { return one.row; }, mutation);
}
inline Durability DurabilityOf(const Mutation& mutation) {
  return std::visit([](const auto& one) { return one.durability; }, mutation);
}

// Of several writes made as one: the one that promises most.
inline Durability Stronger(Durability a, Durability b) { return a < b ? b : a; }

}  // namespace klip::table
