#include "engine/layout/stored_cell.h"

#include <string>

#include "engine/layout/cell_key.h"

namespace klip::engine {

Status AppendStoredCell(std::string_view key, std::string_view value, std::vector<model::StoredCell>* cells) {
  CellKeyView key_view;
  CellValueView value_view;
  if (!ParseCellKey(key, &key_view) || !ParseCellValue(value, &value_view)) {
    return {Code::kCorruption, "a stored cell is unreadable"};
  }
  std::string unescaped;
  cells->push_back({.qualifier = std::string(Unescape(key_view.escaped_qualifier, &unescaped)),
                    .timestamp_ms = key_view.timestamp_ms,
                    .type = key_view.type,
                    .value = std::string(value_view.value),
                    .tags = std::string(value_view.tags),
                    .sequence = value_view.sequence,
                    .beneath = value_view.beneath});
  return Status::Ok();
}

}  // namespace klip::engine
