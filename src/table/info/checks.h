// Checks of requests before any read or write, with HBase's error texts.
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

// Limits of the connection; see ConnectionOptions.
struct Limits {
  int64_t max_cell_bytes = 0;
  int64_t max_row_read_bytes = 0;
};

using model::CheckGet;
using model::CheckRow;
using model::CheckTimestamp;

// The error for a family that the table does not have.
Status NoSuchFamily(const engine::TableView& view, std::string_view row, std::string_view family);

// Checks the row against the row-key schema, if it is enforced. Errors: kInvalidArgument.
Status CheckSchema(const TableInfo& info, std::string_view row);

// Checks row, timestamps, families, sizes, and the row-key schema if it is enforced. Errors: kInvalidArgument,
// kNoSuchColumnFamily.
Status CheckMutation(const TableInfo& info, const Limits& limits, const Put& put);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Delete& del);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Increment& increment);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Append& append);
Status CheckMutation(const TableInfo& info, const Limits& limits, const Mutation& mutation);

// The same for cells of one row that are written unchanged.
Status CheckCells(const TableInfo& info, const Limits& limits, std::span<const Cell> cells);

inline const std::string& RowOf(const Mutation& mutation) {
  return std::visit([](const auto& one) -> const std::string& { return one.row; }, mutation);
}
inline Durability DurabilityOf(const Mutation& mutation) {
  return std::visit([](const auto& one) { return one.durability; }, mutation);
}

// The durability of several writes in one commit: the strongest.
inline Durability Stronger(Durability a, Durability b) { return a < b ? b : a; }

}  // namespace klip::table
