// Resources: rows by their keys.
#include <algorithm>
#include <span>

#include "base/read_memory.h"
#include "klip/bytes.h"
#include "rest/cell_set.h"
#include "rest/resources.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

constexpr std::string_view kWhereIsForScans = "where= is only supported for scans and ranges of rows";
constexpr std::string_view kOneColumnOnly =
    "Bad request: Default 'GET' method only works if there is exactly 1 column in the row. Using the 'Accept' header "
    "with "
    "one of these formats lets you retrieve the entire row if it has multiple columns: text/xml, application/json, "
    "application/x-protobuf, application/protobuf";

// Rows of a multiget that are requested in one call: they are in memory before their total size is known.
constexpr size_t kGetsAtOnce = 16;

std::vector<ColumnSpec> ColumnsOf(const RowSpec& spec) {
  std::vector<ColumnSpec> columns;
  for (const std::string& column : spec.columns) {
    columns.push_back(ParseColumn(column));
  }
  return columns;
}

// A column in a body must have a qualifier, which may be empty.
Expected<ColumnSpec> WholeColumn(const std::string& column) {
  ColumnSpec out = ParseColumn(column);
  if (out.family.empty() || !out.qualifier) {
    return Status(Code::kInvalidArgument, "a column must be 'family:qualifier'");
  }
  return out;
}

Expected<Put> PutOf(const CellSet::Row& row, size_t cells) {
  Put put{.row = row.key};
  for (size_t i = 0; i < cells; ++i) {
    KLIP_ASSIGN_OR_RETURN(ColumnSpec column, WholeColumn(row.cells[i].column));
    put.Add(std::move(column.family), *std::move(column.qualifier), row.cells[i].value, row.cells[i].timestamp_ms);
  }
  return put;
}

Delete DeleteOf(const std::string& row, const std::vector<std::string>& columns, int64_t timestamp_ms) {
  Delete del{.row = row, .timestamp_ms = timestamp_ms};
  for (const std::string& text : columns) {
    ColumnSpec column = ParseColumn(text);
    if (column.qualifier) {
      del.AddColumns(std::move(column.family), *std::move(column.qualifier), timestamp_ms);
    } else {
      del.AddFamily(std::move(column.family), timestamp_ms);
    }
  }
  return del;
}

// The cells of the request: from its body, or for a single value from the URL, with the body as the value.
Expected<CellSet> CellsOf(const Request& request, const RowSpec& spec) {
  if (!IsKind(request.content_type, kBinary)) {
    KLIP_ASSIGN_OR_RETURN(CellSet cells, ReadCellSet(request));
    for (CellSet::Row& row :
         cells.rows) {  // the URL has what the body lacks, but does not replace an empty key or column
      if (!row.has_key && spec.is_range) {
        return Status(Code::kInvalidArgument, "a Row has no key, and the URL names a range of rows");
      }
      if (!row.has_key) {
        row.key = spec.row;
      }
      size_t column = 0;
      for (CellSet::Cell& cell : row.cells) {
        if (!cell.has_column && column < spec.columns.size()) {
          cell.column = spec.columns[column++];
        }
      }
    }
    return cells;
  }
  if (spec.is_range && !request.Header("x-row")) {
    return Status(Code::kInvalidArgument, "the URL names a range of rows, and one value needs one row");
  }
  CellSet::Cell cell{.value = request.body};
  cell.column = request.Header("x-column").value_or(spec.columns.empty() ? "" : spec.columns[0]);
  if (auto timestamp = request.Header("x-timestamp")) {
    KLIP_ASSIGN_OR_RETURN(cell.timestamp_ms, ParseNumber(*timestamp, "X-Timestamp"));
  } else if (spec.has_timestamp) {
    cell.timestamp_ms = spec.time_range.max_ms;
  }
  CellSet cells;
  cells.rows.push_back({.key = request.Header("x-row").value_or(spec.row), .cells = {std::move(cell)}});
  return cells;
}

// Why these are not the cells of one row, as conditional writes, appends and increments require; nullptr: they are.
const char* NotOneRow(const CellSet& cells) {
  if (cells.rows.size() != 1) {
    return "Number of rows specified is not 1.";
  }
  const bool whole = !cells.rows[0].key.empty() && !cells.rows[0].cells.empty();
  return whole ? nullptr : "Either row key is null or no data found for columns specified.";
}

}  // namespace

Response Resources::Rows(const Request& request, const std::string& name, Path path) {
  Expected<RowSpec> spec = ParseRowSpec(path, request);
  if (!spec.ok()) {
    return ErrorResponse(spec.status());
  }
  Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
  if (!table.ok()) {
    return ErrorResponse(table.status());
  }
  const std::string check = request.Query("check").value_or("");
  switch (request.verb) {
    case Request::Verb::kGet:
      return GetRows(request, table->get(), *spec);
    case Request::Verb::kPut:
    case Request::Verb::kPost:
      return check.empty() ? PutRows(request, table->get(), *spec) : CheckedWrite(request, table->get(), *spec, check);
    case Request::Verb::kDelete:
      break;
  }
  return check.empty() ? DeleteRow(table->get(), *spec) : CheckedWrite(request, table->get(), *spec, check);
}

Response Resources::GetRows(const Request& request, Table* table, const RowSpec& spec) {
  auto kind = Negotiate(request, {kBinary, kXml, kJson, kProtobuf});
  if (!kind) {
    return NotAcceptable();
  }
  if (*kind == kBinary && spec.columns.size() != 1) {
    return TextResponse(400, kOneColumnOnly);
  }
  if (!spec.is_range && request.Query("where")) {
    return BadRequest(kWhereIsForScans);
  }
  CellSet cells;
  int64_t left = *kind == kBinary ? std::min<int64_t>(spec.max_values, 1) : spec.max_values;
  auto add = [&](const Result& result) {
    for (size_t i = 0; i < result.size() && left > 0; ++i, --left) {
      cells.Add(result[i]);
    }
  };
  if (spec.is_range) {
    Scan scan{.start_row = spec.row,
              .stop_row = spec.end_row,
              .columns = ColumnsOf(spec),
              .time_range = spec.time_range,
              .max_versions = spec.max_versions};
    if (const Status where = QueryWhere(request, *table, &scan); !where.ok()) {
      return ErrorResponse(where);
    }
    auto scanner = table->Scan(scan);
    if (!scanner.ok()) {
      return ErrorResponse(scanner.status());
    }
    Result result;
    while (left > 0) {
      Expected<bool> more = (*scanner)->Next(&result);
      if (!more.ok()) {
        return ErrorResponse(more.status());
      }
      if (!*more) {
        break;
      }
      add(result);
      if (const Status held = base::HoldAnswer(cells.bytes); !held.ok()) {
        return ErrorResponse(held);
      }
      if (cells.bytes > kMaxAnswerBytes) {
        return TooLarge("n=");
      }
    }
  } else {
    Get get{
        .row = spec.row, .columns = ColumnsOf(spec), .time_range = spec.time_range, .max_versions = spec.max_versions};
    Expected<Result> result = table->Get(get);
    if (!result.ok()) {
      return ErrorResponse(result.status());
    }
    add(*result);
  }
  if (cells.rows.empty()) {
    return NotFound();
  }
  if (*kind != kBinary) {
    return CellSetResponse(request, cells);
  }
  const CellSet::Cell& cell = cells.rows[0].cells[0];
  Response response{.content_type = std::string(kBinary), .body = cell.value};
  response.headers.emplace_back("X-Timestamp", std::to_string(cell.timestamp_ms));
  return response;
}

Response Resources::PutRows(const Request& request, Table* table, const RowSpec& spec) {
  Expected<CellSet> cells = CellsOf(request, spec);
  if (!cells.ok()) {
    return BodyErrorResponse(cells.status());
  }
  std::vector<Put> puts;
  for (const CellSet::Row& row : cells->rows) {
    if (row.key.empty()) {
      return BadRequest("Row key is null.");
    }
    Expected<Put> put = PutOf(row, row.cells.size());
    if (!put.ok()) {
      return BadRequest(put.status().message());
    }
    if (!put->columns.empty()) {
      puts.push_back(*std::move(put));
    }
  }
  Status status = puts.empty() ? Status::Ok() : table->Put(puts);
  return status.ok() ? Response{} : ErrorResponse(status);
}

// The last cell of the one row is the expected value; the cells before it are to be put or deleted.
Response Resources::CheckedWrite(const Request& request, Table* table, const RowSpec& spec, const std::string& check) {
  if (check == "append" || check == "increment") {
    return AppendOrIncrement(request, table, spec, check == "append");
  }
  if (check != "put" && check != "delete") {
    return TextResponse(400, "Invalid check value '" + check.substr(0, 40) + "'");
  }
  Expected<CellSet> cells = CellsOf(request, spec);
  if (!cells.ok()) {
    return BodyErrorResponse(cells.status());
  }
  if (const char* problem = NotOneRow(*cells)) {
    return BadRequest(problem);
  }
  const CellSet::Row& row = cells->rows[0];
  const size_t others = row.cells.size() - 1;
  if (check == "put" && others == 0) {
    return BadRequest("Either row key is null or no data found for columns specified.");
  }
  const CellSet::Cell& last = row.cells.back();
  Expected<ColumnSpec> column = WholeColumn(last.column);
  if (!column.ok()) {
    return BadRequest("Column incorrectly specified.");
  }
  CheckAndMutate checked{.row = row.key,
                         .condition = RowCondition::IfEquals(column->family, *column->qualifier, last.value),
                         .action = Put{}};
  if (check == "put") {
    Expected<Put> put = PutOf(row, others);
    if (!put.ok()) {
      return BadRequest(put.status().message());
    }
    bool written = false;
    for (size_t i = 0; i < others; ++i) {
      written = written || row.cells[i].column == last.column;
    }
    if (!written) {
      return BadRequest("The column to put and check do not match.");
    }
    checked.action = *std::move(put);
  } else {
    Delete del{.row = row.key};
    for (size_t i = 0; i < others; ++i) {  // as there, one version of a column
      ColumnSpec one = ParseColumn(row.cells[i].column);
      if (one.qualifier) {
        del.AddColumn(std::move(one.family), *std::move(one.qualifier), row.cells[i].timestamp_ms);
      } else {
        del.AddFamily(std::move(one.family), row.cells[i].timestamp_ms);
      }
    }
    if (others == 0) {
      del.AddColumns(column->family, *column->qualifier);
    }
    checked.action = std::move(del);
  }
  Expected<CheckAndMutateResult> result = table->CheckAndMutate(checked);
  if (!result.ok()) {
    return ErrorResponse(result.status());
  }
  return result->success ? Response{} : Response{.status = 304, .content_type = std::string(kText)};
}

// The amounts of increments are decimal texts. With rr=true the answer contains the new cells, with counters as texts.
Response Resources::AppendOrIncrement(const Request& request, Table* table, const RowSpec& spec, bool append) {
  Expected<CellSet> cells = CellsOf(request, spec);
  if (!cells.ok()) {
    return BodyErrorResponse(cells.status());
  }
  if (const char* problem = NotOneRow(*cells)) {
    return BadRequest(problem);
  }
  const CellSet::Row& row = cells->rows[0];
  klip::Append appended{.row = row.key};
  klip::Increment incremented{.row = row.key};
  for (const CellSet::Cell& cell : row.cells) {
    Expected<ColumnSpec> column = WholeColumn(cell.column);
    if (!column.ok()) {
      return BadRequest(column.status().message());
    }
    if (append) {
      appended.Add(column->family, *column->qualifier, cell.value);
      continue;
    }
    Expected<int64_t> amount = ParseNumber(cell.value, "the amount");
    if (!amount.ok()) {
      return BadRequest(amount.status().message());
    }
    incremented.Add(column->family, *column->qualifier, *amount);
  }
  Expected<Result> result = append ? table->Append(appended) : table->Increment(incremented);
  if (!result.ok()) {
    return ErrorResponse(result.status());
  }
  if (request.Query("rr") != "true") {
    return {};
  }
  CellSet answer;
  for (const Cell& cell : *result) {
    answer.Add(cell);
    std::string& value = answer.rows.back().cells.back().value;
    if (!append && value.size() == sizeof(int64_t)) {
      value = std::to_string(ReadBigEndian<int64_t>(value.data()));
    }
  }
  return CellSetResponse(request, answer);
}

Response Resources::DeleteRow(Table* table, const RowSpec& spec) {
  if (spec.row.empty() || spec.is_range) {
    return BadRequest("only one row can be deleted at a time");
  }
  int64_t timestamp_ms = spec.has_timestamp ? spec.time_range.max_ms : kLatestTimestamp;
  Status status = table->Delete(DeleteOf(spec.row, spec.columns, timestamp_ms));
  return status.ok() ? Response{} : ErrorResponse(status);
}

Response Resources::MultiGet(const Request& request, const std::string& name, Path path) {
  if (request.Query("where")) {
    return BadRequest(kWhereIsForScans);
  }
  // Columns are parsed as in a row's URL, after a dummy row.
  std::vector<std::string> as_row = {"x"};
  as_row.insert(as_row.end(), path.begin(), path.end());
  Expected<RowSpec> spec = ParseRowSpec(as_row, request);
  if (!spec.ok()) {
    return ErrorResponse(spec.status());
  }
  Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
  if (!table.ok()) {
    return ErrorResponse(table.status());
  }
  Expected<FilterPtr> filter = QueryFilter(request);
  if (!filter.ok()) {
    return ErrorResponse(filter.status());
  }
  std::vector<Get> gets;
  const bool base64 = request.Query("e") == "b64" || request.Header("encoding") == "b64";
  auto [row, end] = request.query.equal_range("row");
  for (; row != end; ++row) {
    Expected<std::string> key = base64 ? FromBase64(row->second) : Expected<std::string>(row->second);
    if (!key.ok()) {
      return ErrorResponse(key.status());
    }
    gets.push_back(
        {.row = *std::move(key), .columns = ColumnsOf(*spec), .max_versions = spec->max_versions, .filter = *filter});
  }
  CellSet cells;
  for (std::span<const klip::Get> left = gets; !left.empty();) {
    const auto some = left.first(std::min(kGetsAtOnce, left.size()));
    left = left.subspan(some.size());
    Expected<std::vector<Result>> results = (*table)->Get(some);
    if (!results.ok()) {
      return ErrorResponse(results.status());
    }
    for (const Result& result : *results) {
      for (const Cell& cell : result) {
        cells.Add(cell);
      }
      if (const Status held = base::HoldAnswer(cells.bytes); !held.ok()) {
        return ErrorResponse(held);
      }
      if (cells.bytes > kMaxAnswerBytes) {
        return TooLarge("fewer row=");
      }
    }
  }
  return cells.rows.empty() ? TextResponse(404, "No rows found.") : CellSetResponse(request, cells);
}

}  // namespace klip::rest
