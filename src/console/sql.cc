// SQL statements: those that read, or all.
#include "klip/sql.h"

#include <algorithm>
#include <chrono>

#include "console/api.h"
#include "console/read_only.h"
#include "net/pooled_memory.h"
#include "sql/limits.h"

namespace klip::console {
namespace {

constexpr int64_t kMemoryBytes = 64 << 20;

Json ColumnsJson(const std::vector<sql::Column>& columns) {
  Json list = Json::array();
  for (const sql::Column& column : columns) {
    list.push_back({{"label", Shown(column.label)}, {"type", sql::ToString(column.type)}});
  }
  return list;
}

double MsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

Expected<Json> Run(Connection* connection, const Parameters& parameters, bool changes, net::MemoryBudget* memory) {
  KLIP_ASSIGN_OR_RETURN(const int64_t most, Number(parameters, "limit", 200, 1, kMaxRows));
  const auto begin = std::chrono::steady_clock::now();
  net::PooledMemory pool(memory);
  const int64_t memory_bytes =
      memory == nullptr ? kMemoryBytes : std::min(kMemoryBytes, static_cast<int64_t>(memory->largest()));
  KLIP_ASSIGN_OR_RETURN(
      const std::unique_ptr<sql::ServedSession> session,
      sql::ServedSession::Open(connection,
                               {.schema = Text(parameters, "schema"), .threads = 1, .memory_bytes = memory_bytes},
                               {.memory = &pool}));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Statement> statement,
                        session->Prepare(Text(parameters, "statement")));
  if (statement->columns().empty() && !changes) {
    return Status(Code::kReadOnly, "the console is read-only: use SELECT or EXPLAIN");
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Rows> rows, statement->Execute());
  if (statement->columns().empty()) {
    return Json{{"columns", Json::array()},
                {"rows", Json::array()},
                {"more", false},
                {"updated", rows->updated()},
                {"ms", MsSince(begin)}};
  }
  Json list = Json::array();
  size_t bytes = 0;
  bool more = true;
  while (list.size() < static_cast<size_t>(most) && bytes < kMaxAnswerBytes) {
    KLIP_ASSIGN_OR_RETURN(more, rows->Next());
    if (!more) {
      break;
    }
    Json& row = list.emplace_back(Json::array());
    for (size_t i = 0; i < statement->columns().size(); ++i) {
      const sql::Value& value = rows->value(i);
      const std::string text = value.is_null() ? std::string() : value.ToString();
      row.push_back(value.is_null() ? Json() : Json(Shown(std::string_view(text).substr(0, kMaxShownBytes))));
      bytes += std::min(text.size(), kMaxShownBytes);
    }
  }
  return Json{{"columns", ColumnsJson(statement->columns())},
              {"rows", std::move(list)},
              {"more", more},
              {"ms", MsSince(begin)}};
}

}  // namespace

Expected<Json> SqlTables(Connection* connection, const Parameters& /*parameters*/) {
  const std::unique_ptr<Connection> reader = ReadOnly(connection);
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Session> session, sql::Session::Open(reader.get()));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<sql::Rows> rows, session->Tables({.types = {"TABLE", "VIEW"}}));
  Json list = Json::array();
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next());
    if (!more) {
      return Json{{"tables", std::move(list)}};
    }
    constexpr size_t kSchema = 1;  // of JDBC's getTables
    constexpr size_t kName = 2;
    const sql::Value& schema = rows->value(kSchema);
    list.push_back({{"schema", schema.is_null() ? "" : schema.ToString()}, {"name", rows->value(kName).ToString()}});
  }
}

Expected<Json> Sql(Connection* connection, const Parameters& parameters) {
  return SqlWith(connection, parameters, /*changes=*/false, /*memory=*/nullptr);
}

Expected<Json> SqlWithChanges(Connection* connection, const Parameters& parameters) {
  return SqlWith(connection, parameters, /*changes=*/true, /*memory=*/nullptr);
}

Expected<Json> SqlWith(Connection* connection, const Parameters& parameters, bool changes, net::MemoryBudget* memory) {
  if (changes) {
    return Run(connection, parameters, changes, memory);
  }
  const std::unique_ptr<Connection> reader = ReadOnly(connection);
  return Run(reader.get(), parameters, changes, memory);
}

}  // namespace klip::console
