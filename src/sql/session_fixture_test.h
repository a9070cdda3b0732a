// A store in a temporary directory, and a session on it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/connection.h"
#include "klip/sql.h"
#include "sql/rows_text_test.h"

namespace klip::sql {

class SessionFixture : public testing::Test {
 protected:
  explicit SessionFixture(TempDirectory::Where where = TempDirectory::Where::kDisk)
      : directory_(where),
        connection_(*Connection::Open("klip:" + directory_.path(), {.sync_wal = false})),
        session_(*Session::Open(connection_.get())) {}

  std::string Run(std::string_view sql, const std::vector<Value>& values = {}) {
    return RunText(session_.get(), sql, values);
  }

  // Calls f with each cell, in their order.
  template <typename F>
  void ForEachCell(const std::string& table, const F& f) {
    const auto opened = *connection_->GetTable(table);
    const auto rows = *opened->Scan({});
    for (Result row; *rows->Next(&row);) {
      for (const Cell& cell : row.cells()) {
        f(cell);
      }
    }
  }

  TempDirectory directory_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Session> session_;
};

}  // namespace klip::sql
