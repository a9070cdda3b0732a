// Resources: scanners, and scans in one request.
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/read_memory.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "rest/cell_set.h"
#include "rest/documents.h"
#include "rest/filter_json.h"
#include "rest/resources.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

// Parses an id exactly in the format in which it was returned.
std::optional<int32_t> ScannerNumber(const std::string& id) {
  int32_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number);
  return std::to_string(number) == id ? std::optional(number) : std::nullopt;
}

template <typename Number>
Number NotNegative(Number number) {
  return std::max<Number>(number, 0);
}

Scan ScanOf(const proto::Scanner& scanner) {
  Scan scan{.start_row = scanner.startrow(), .stop_row = scanner.endrow()};
  scan.include_start = !scanner.has_includestartrow() || scanner.includestartrow();
  scan.include_stop = scanner.includestoprow() || (!scan.start_row.empty() && scan.start_row == scan.stop_row);
  scan.cache_blocks = !scanner.has_cacheblocks() || scanner.cacheblocks();
  scan.time_range.min_ms = NotNegative(scanner.starttime());
  if (scanner.has_endtime()) {
    scan.time_range.max_ms = NotNegative(scanner.endtime());
  }
  scan.max_versions = scanner.has_maxversions() ? NotNegative(scanner.maxversions()) : kAllVersions;
  scan.limit_rows = NotNegative(scanner.limit());
  for (const std::string& column : scanner.columns()) {
    scan.columns.push_back(ParseColumn(column));
  }
  return scan;
}

// The scanner of a scan in one request.
Expected<proto::Scanner> ScannerOf(const Request& request) {
  proto::Scanner scanner;
  scanner.set_startrow(request.Query("startrow").value_or(""));
  scanner.set_endrow(request.Query("endrow").value_or(""));
  scanner.set_includestartrow(request.Query("includeStartRow") != "false");
  scanner.set_includestoprow(request.Query("includeStopRow") == "true");
  scanner.set_cacheblocks(request.Query("cacheblocks") != "false");
  scanner.set_maxversions(1);
  for (auto [column, end] = request.query.equal_range("column"); column != end; ++column) {
    scanner.add_columns(column->second);
  }
  auto number = [&](const char* name, auto set, int64_t max) {
    if (auto text = request.Query(name)) {
      KLIP_ASSIGN_OR_RETURN(int64_t value, ParseNumber(*text, name));
      set(std::clamp<int64_t>(value, 0, max));
    }
    return Status::Ok();
  };
  auto small = [&](const char* name, void (proto::Scanner::*set)(int32_t)) {
    return number(name, [&](int64_t value) { (scanner.*set)(static_cast<int32_t>(value)); }, INT32_MAX);
  };
  auto time = [&](const char* name, void (proto::Scanner::*set)(int64_t)) {
    return number(name, [&](int64_t value) { (scanner.*set)(value); }, INT64_MAX);
  };
  KLIP_RETURN_IF_ERROR(time("starttime", &proto::Scanner::set_starttime));
  KLIP_RETURN_IF_ERROR(time("endtime", &proto::Scanner::set_endtime));
  KLIP_RETURN_IF_ERROR(small("maxversions", &proto::Scanner::set_maxversions));
  KLIP_RETURN_IF_ERROR(small("limit", &proto::Scanner::set_limit));
  return scanner;
}

}  // namespace

// /table/prefix*?startrow=&endrow=&column=&limit=...: everything in one answer.
Response Resources::StatelessScan(const Request& request, const std::string& name, const std::string& glob) {
  Expected<proto::Scanner> parameters = ScannerOf(request);
  if (!parameters.ok()) {
    return ErrorResponse(parameters.status());
  }
  Expected<std::string> prefix = UrlDecode(std::string_view(glob).substr(0, glob.size() - 1));
  if (!prefix.ok()) {
    return ErrorResponse(prefix.status());
  }
  Scan scan = ScanOf(*parameters);
  scan.reversed = request.Query("reversed") == "true";
  if (!prefix->empty()) {
    scan.start_row = *prefix;
    scan.stop_row = PrefixSuccessor(*prefix);
  }
  Expected<FilterPtr> filter = QueryFilter(request);
  if (!filter.ok()) {
    return ErrorResponse(filter.status());
  }
  scan.filter = *filter;
  Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
  if (!table.ok()) {
    return ErrorResponse(table.status());
  }
  if (const Status where = QueryWhere(request, **table, &scan); !where.ok()) {
    return ErrorResponse(where);
  }
  auto scanner = (*table)->Scan(scan);
  if (!scanner.ok()) {
    return ErrorResponse(scanner.status());
  }
  CellSet cells;
  Result result;
  while (true) {
    Expected<bool> more = (*scanner)->Next(&result);
    if (!more.ok()) {
      return ErrorResponse(more.status());
    }
    if (!*more) {
      return ScanResponse(request, cells);
    }
    for (const Cell& cell : result) {
      cells.Add(cell);
    }
    if (const Status held = base::HoldAnswer(cells.bytes); !held.ok()) {
      return ErrorResponse(held);
    }
    if (cells.bytes > kMaxAnswerBytes) {
      return TooLarge("limit= and startrow=");
    }
  }
}

namespace {

// Appends up to so many of the scanner's next cells.
Status ReadCells(OpenScanner* scanner, int64_t rows, int64_t cells, CellSet* out) {
  for (; cells > 0 && out->bytes < kMaxAnswerBytes; --cells) {
    if (scanner->next == scanner->result.size()) {
      const Expected<bool> more = scanner->rows->Next(&scanner->result);
      scanner->next = 0;
      if (!more.ok() || !*more) {
        scanner->result = Result();  // it may have grown before the read failed
        return more.status();
      }
    }
    if (scanner->next == 0 && static_cast<int64_t>(out->rows.size()) >= rows) {
      break;
    }
    out->Add(scanner->result[scanner->next++]);
  }
  return Status::Ok();
}

// Frees the row if it was sent, or holds memory for its rest until the client asks for it. False: there is none.
bool KeepRest(OpenScanner* scanner) {
  scanner->memory.Release();
  if (scanner->next == scanner->result.size()) {
    scanner->result = Result();
    scanner->next = 0;
    return true;
  }
  size_t bytes = 0;
  for (const Cell& cell : scanner->result) {
    bytes += cell.row.size() + cell.family.size() + cell.qualifier.size() + cell.value.size();
  }
  return scanner->memory.HoldSpare(bytes);
}

}  // namespace

Response Resources::NewScanner(const Request& request, const std::string& name) {
  Expected<proto::Scanner> parameters = ReadScanner(request);
  if (!parameters.ok()) {
    return BodyErrorResponse(parameters.status());
  }
  Scan scan = ScanOf(*parameters);
  if (!parameters->filter().empty()) {
    Expected<FilterPtr> parsed = FilterFromJson(parameters->filter());
    if (!parsed.ok()) {
      return ErrorResponse(parsed.status());
    }
    scan.filter = *parsed;
  }
  auto open = std::make_shared<OpenScanner>();
  open->memory = net::MemoryLease(memory_, /*share=*/nullptr);
  if (parameters->has_batch()) {
    open->batch = std::max(parameters->batch(), 1);
  }
  Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
  if (!table.ok()) {
    return ErrorResponse(table.status());
  }
  open->table = *std::move(table);
  if (const Status where = QueryWhere(request, *open->table, &scan); !where.ok()) {
    return ErrorResponse(where);
  }
  auto rows = open->table->Scan(scan);
  if (!rows.ok()) {
    return ErrorResponse(rows.status());
  }
  open->rows = *std::move(rows);
  const std::optional<int32_t> id = scanners_.Add(open);
  if (!id) {
    return TextResponse(503, "Unavailable\r\ntoo many open scanners");
  }
  Response response{.status = 201};
  response.headers.emplace_back("Location", request.url + "/" + name + "/scanner/" + std::to_string(*id));
  return response;
}

Response Resources::Scanner(const Request& request, const std::string& id) {
  const std::optional<int32_t> open = ScannerNumber(id);
  if (!open) {
    return NotFound();
  }
  if (request.verb == Request::Verb::kDelete) {
    return scanners_.Close(*open) ? Response{} : NotFound();
  }
  std::shared_ptr<OpenScanner> scanner = scanners_.Find(*open);
  if (scanner == nullptr) {
    return NotFound();
  }
  if (request.verb != Request::Verb::kGet) {
    return MethodNotAllowed("GET, HEAD, DELETE");
  }
  auto kind = Negotiate(request, {kXml, kJson, kProtobuf, kBinary});
  if (!kind) {
    return NotAcceptable();
  }
  int64_t rows_left = INT64_MAX;
  int64_t cells_left = scanner->batch;
  for (auto [name, out] : {std::pair("n", &rows_left), std::pair("c", &cells_left)}) {
    if (auto value = request.Query(name)) {
      Expected<int64_t> number = ParseNumber(*value, name);
      if (!number.ok()) {
        return ErrorResponse(number.status());
      }
      *out = *number > 0 ? *number : *out;
    }
  }
  if (*kind == kBinary) {
    cells_left = 1;
  }
  std::lock_guard lock(scanner->mutex);
  CellSet cells;
  const Status read = ReadCells(scanner.get(), rows_left, cells_left, &cells);
  const bool kept = KeepRest(scanner.get());
  if (!read.ok()) {
    return ErrorResponse(read);
  }
  if (!kept) {
    scanners_.Close(*open);
    return ErrorResponse(
        {Code::kRegionTooBusy,
         "no memory to keep the rest of a row, so the scanner is closed: request more cells at once (memory-limit)"});
  }
  if (cells.rows.empty()) {
    return {.status = 204};
  }
  if (*kind != kBinary) {
    return CellSetResponse(request, cells);
  }
  const CellSet::Cell& cell = cells.rows[0].cells[0];
  return {.content_type = std::string(kBinary),
          .body = cell.value,
          .headers = {{"X-Row", Base64(cells.rows[0].key)},
                      {"X-Column", Base64(cell.column)},
                      {"X-Timestamp", std::to_string(cell.timestamp_ms)}}};
}

}  // namespace klip::rest
