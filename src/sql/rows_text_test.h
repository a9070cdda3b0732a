// The result of a statement as text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/sql.h"

namespace klip::sql {

// The number of changed rows, or the rows: "a|b\nc|null\n". Or the error.
inline std::string RowsText(Rows* rows, char row_end = '\n') {
  if (rows->updated() >= 0) {
    return std::to_string(rows->updated());
  }
  std::string text;
  while (true) {
    const Expected<bool> more = rows->Next();
    if (!more.ok()) {
      return more.status().message();
    }
    if (!*more) {
      return text;
    }
    for (size_t i = 0; i < rows->columns().size(); ++i) {
      text += (i == 0 ? "" : "|") + rows->value(i).ToString();
    }
    text += row_end;
  }
}

inline std::string RunText(Session* session, std::string_view sql, const std::vector<Value>& values = {},
                           char row_end = '\n') {
  const Expected<std::unique_ptr<Rows>> rows = session->Execute(sql, std::span<const Value>(values));
  return rows.ok() ? RowsText(rows->get(), row_end) : rows.status().message();
}

}  // namespace klip::sql
