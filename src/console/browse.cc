// Rows and plans: a query by key fields, how it would run, and its result.
#include <algorithm>

#include "console/api.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip::console {
namespace {

struct Query {
  std::unique_ptr<Table> table;
  std::optional<RowKeySchema> schema;
  Scan scan;
};

Expected<Query> ReadQuery(Connection* connection, const Parameters& parameters) {
  Query query;
  KLIP_ASSIGN_OR_RETURN(query.table, connection->GetTable(Text(parameters, "table")));
  query.schema = query.table->row_key_schema();
  const std::string where = Text(parameters, "where");
  if (where.find_first_not_of(" \t\r\n") == std::string::npos) {
    return query;
  }
  KLIP_ASSIGN_OR_RETURN(query.scan.where, query.table->ParseQuery(where));
  return query;
}

Json CellJson(const Cell& cell) {
  const std::string_view value = cell.value.substr(0, kMaxShownBytes);
  return {{"column", Shown(cell.family) + ":" + Shown(cell.qualifier)},
          {"timestamp_ms", cell.timestamp_ms},
          {"value", cell.value.size() == value.size() ? Shown(value) : ToStringBinary(value)},
          {"bytes", cell.value.size()}};
}

Json RowJson(const Query& query, const Result& result) {
  Json cells = Json::array();
  bool cut = result.has_more_cells_in_row();
  for (const Cell& cell : result) {
    cut = cut || cells.size() == size_t{kMaxRowCells};
    if (cells.size() < size_t{kMaxRowCells}) {
      cells.push_back(CellJson(cell));
    }
  }
  Json row = {{"key", ToStringBinary(result.row())}, {"cells", std::move(cells)}, {"cut", cut}};
  if (query.schema.has_value()) {
    if (const Expected<std::vector<std::string>> values = query.schema->Decode(result.row()); values.ok()) {
      Json& fields = row["fields"] = Json::array();
      for (const std::string& value : *values) {
        fields.push_back(Shown(value));
      }
    }
  }
  return row;
}

size_t ShownBytes(const Result& result) {
  size_t bytes = result.row().size() * 4;
  for (const Cell& cell : result) {
    bytes += 100 + cell.qualifier.size() * 4 + std::min(cell.value.size(), kMaxShownBytes) * 4;
  }
  return bytes;
}

// Reads to the end, or until the time is over.
Expected<Json> Run(Query query) {
  query.scan.filter = FirstKeyOnlyFilter();
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, query.table->Scan(query.scan));
  Result result;
  bool complete = false;
  while (!complete) {
    const Expected<bool> more = scanner->Next(&result);
    if (more.status().code() == Code::kCancelled) {
      break;
    }
    KLIP_RETURN_IF_ERROR(more.status());
    complete = !*more;
  }
  return Json{{"explain", ToJson(scanner->explain())}, {"complete", complete}};
}

}  // namespace

Expected<Json> ExplainQuery(Connection* connection, const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(Query query, ReadQuery(connection, parameters));
  if (Text(parameters, "run") == "1") {
    return Run(std::move(query));
  }
  KLIP_ASSIGN_OR_RETURN(const Explain explain, query.table->Explain(query.scan));
  return Json{{"explain", ToJson(explain)}, {"where", query.scan.where ? query.scan.where->ToString() : ""}};
}

Expected<Json> Rows(Connection* connection, const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(Query query, ReadQuery(connection, parameters));
  KLIP_ASSIGN_OR_RETURN(query.scan.limit_rows, Number(parameters, "limit", 50, 1, kMaxRows));
  if (const std::string after = Text(parameters, "after"); !after.empty()) {
    query.scan.start_row = FromStringBinary(after);
    query.scan.include_start = false;
  }
  const bool asks_columns =
      query.scan.where.has_value() &&
      std::ranges::any_of(query.scan.where->any_of, [](const KeyBox& box) { return !box.columns.empty(); });
  query.scan.batch = asks_columns ? 0 : kMaxRowCells;  // such conditions need whole rows
  query.scan.cache_blocks = false;
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, query.table->Scan(query.scan));
  Json rows = Json::array();
  std::string last;
  size_t bytes = 0;
  bool more = true;
  while (more && bytes < kMaxAnswerBytes && rows.size() < static_cast<size_t>(query.scan.limit_rows)) {
    Result result;
    const Expected<bool> next = scanner->Next(&result);
    if (next.status().code() == Code::kCancelled && !rows.empty()) {
      break;  // the rows so far are shown
    }
    KLIP_RETURN_IF_ERROR(next.status());
    more = *next;
    if (!more || result.empty()) {
      continue;
    }
    last = result.row();
    bytes += ShownBytes(result);
    rows.push_back(RowJson(query, result));
    if (result.has_more_cells_in_row()) {
      break;  // the next page skips the rest of this row
    }
  }
  return Json{{"rows", std::move(rows)},
              {"next", more ? Json(ToStringBinary(last)) : Json()},
              {"explain", ToJson(scanner->explain())}};
}

}  // namespace klip::console
