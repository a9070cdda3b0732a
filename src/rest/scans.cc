// Resources: scanners, and scans in one request.
#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "klip/bytes.h"
#include "klip/filter.h"
#include "rest/Rest.pb.h"
#include "rest/cell_set.h"
#include "rest/filter_json.h"
#include "rest/resources.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxScanners = 1000;
constexpr int64_t kScannerIdleMs = 10 * 60 * 1000;  // one that nobody reads for this long is dropped
constexpr size_t kMaxAnswerBytes = 64 << 20;        // of a scan in one request

int64_t SteadyMs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// The parameters of a scanner, by name, and its columns; from JSON, XML or a query.
struct ScannerText {
  std::map<std::string, std::string> values;  // rows are bytes already
  std::vector<std::string> columns;
};

Status Decode(ScannerText* text) {
  for (const char* name : {"startRow", "endRow"}) {
    if (auto row = text->values.find(name); row != text->values.end()) {
      KLIP_ASSIGN_OR_RETURN(row->second, FromBase64(row->second));
    }
  }
  for (std::string& column : text->columns) {
    KLIP_ASSIGN_OR_RETURN(column, FromBase64(column));
  }
  return Status::Ok();
}

ScannerText FromProtobuf(const proto::Scanner& scanner) {
  ScannerText text;
  auto set = [&](bool given, const char* name, std::string value) {
    if (given) {
      text.values[name] = std::move(value);
    }
  };
  set(scanner.has_startrow(), "startRow", scanner.startrow());
  set(scanner.has_endrow(), "endRow", scanner.endrow());
  set(scanner.has_batch(), "batch", std::to_string(scanner.batch()));
  set(scanner.has_starttime(), "startTime", std::to_string(scanner.starttime()));
  set(scanner.has_endtime(), "endTime", std::to_string(scanner.endtime()));
  set(scanner.has_maxversions(), "maxVersions", std::to_string(scanner.maxversions()));
  set(scanner.has_filter(), "filter", scanner.filter());
  set(scanner.has_cacheblocks(), "cacheBlocks", scanner.cacheblocks() ? "true" : "false");
  set(scanner.has_limit(), "limit", std::to_string(scanner.limit()));
  text.columns.assign(scanner.columns().begin(), scanner.columns().end());
  return text;
}

Expected<ScannerText> ReadScanner(const Request& request) {
  ScannerText text;
  if (IsKind(request.content_type, kXml)) {
    pugi::xml_document document;
    if (!document.load_buffer(request.body.data(), request.body.size()) || !document.child("Scanner")) {
      return Status(Code::kInvalidArgument, "the body is not <Scanner .../>");
    }
    for (pugi::xml_attribute attribute : document.child("Scanner").attributes()) {
      text.values[attribute.name()] = attribute.value();
    }
    for (pugi::xml_node column : document.child("Scanner").children("column")) {
      text.columns.push_back(column.text().get());
    }
    if (pugi::xml_node filter = document.child("Scanner").child("filter")) {
      text.values["filter"] = filter.text().get();
    }
  } else if (IsKind(request.content_type, kJson)) {
    ordered_json parsed = ordered_json::parse(request.body, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object()) {
      return Status(Code::kInvalidArgument, "the body is not a JSON object");
    }
    for (const auto& [name, value] : parsed.items()) {
      if (name == "column" && value.is_array()) {
        for (const ordered_json& column : value) {
          text.columns.push_back(column.is_string() ? column.get<std::string>() : column.dump());
        }
      } else if (!value.is_null()) {
        text.values[name] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
  } else if (IsKind(request.content_type, kProtobuf)) {
    proto::Scanner parsed;
    if (!parsed.ParseFromString(request.body)) {
      return Status(Code::kInvalidArgument, "the body is not a Scanner as protobuf");
    }
    return FromProtobuf(parsed);
  } else {
    return Status(Code::kUnsupported, "a body of the kind '" + request.content_type.substr(0, 80) + "'");
  }
  KLIP_RETURN_IF_ERROR(Decode(&text));
  return text;
}

Expected<Scan> ScanOf(const ScannerText& text) {
  Scan scan;
  auto value = [&](const char* name) {
    auto found = text.values.find(name);
    return found == text.values.end() ? std::nullopt : std::optional(found->second);
  };
  auto number = [&](const char* name, auto* out) {
    if (auto digits = value(name)) {
      KLIP_ASSIGN_OR_RETURN(int64_t parsed, ParseNumber(*digits, name));
      *out = static_cast<std::remove_pointer_t<decltype(out)>>(
          std::clamp<int64_t>(parsed, 0, std::numeric_limits<std::remove_pointer_t<decltype(out)>>::max()));
    }
    return Status::Ok();
  };
  scan.start_row = value("startRow").value_or("");
  scan.stop_row = value("endRow").value_or("");
  scan.include_start = value("includeStartRow").value_or("true") != "false";
  scan.include_stop = value("includeStopRow") == "true" || (!scan.start_row.empty() && scan.start_row == scan.stop_row);
  scan.reversed = value("reversed") == "true";
  scan.cache_blocks = value("cacheBlocks").value_or("true") != "false";
  KLIP_RETURN_IF_ERROR(number("startTime", &scan.time_range.min_ms));
  KLIP_RETURN_IF_ERROR(number("endTime", &scan.time_range.max_ms));
  KLIP_RETURN_IF_ERROR(number("maxVersions", &scan.max_versions));
  KLIP_RETURN_IF_ERROR(number("limit", &scan.limit_rows));
  for (const std::string& column : text.columns) {
    scan.columns.push_back(ParseColumn(column));
  }
  return scan;
}

}  // namespace

// /table/prefix*?startrow=&endrow=&column=&limit=...: all of it in one answer.
Response Resources::StatelessScan(const Request& request, const std::string& name, const std::string& glob) {
  ScannerText text;
  const std::pair<const char*, const char*> names[] = {{"startrow", "startRow"},
                                                       {"endrow", "endRow"},
                                                       {"starttime", "startTime"},
                                                       {"endtime", "endTime"},
                                                       {"maxversions", "maxVersions"},
                                                       {"limit", "limit"},
                                                       {"reversed", "reversed"},
                                                       {"cacheblocks", "cacheBlocks"},
                                                       {"includeStartRow", "includeStartRow"},
                                                       {"includeStopRow", "includeStopRow"}};
  for (const auto& [query, member] : names) {
    if (auto value = request.Query(query)) {
      text.values[member] = *value;
    }
  }
  for (auto [column, end] = request.query.equal_range("column"); column != end; ++column) {
    text.columns.push_back(column->second);
  }
  Expected<std::string> prefix = UrlDecode(std::string_view(glob).substr(0, glob.size() - 1));
  if (!prefix.ok()) {
    return ErrorResponse(prefix.status());
  }
  Expected<Scan> scan = ScanOf(text);
  if (!scan.ok()) {
    return ErrorResponse(scan.status());
  }
  if (!prefix->empty()) {
    scan->start_row = *prefix;
    scan->stop_row = PrefixSuccessor(*prefix);
  }
  std::optional<std::string> filter = request.Query("filter");
  if (auto encoded = request.Query("filter_b64")) {
    Expected<std::string> decoded = FromBase64(*encoded);
    if (!decoded.ok()) {
      return ErrorResponse(decoded.status());
    }
    filter = *decoded;
  }
  if (filter) {
    Expected<FilterPtr> parsed = ParseFilter(*filter);
    if (!parsed.ok()) {
      return ErrorResponse(parsed.status());
    }
    scan->filter = *parsed;
  }
  Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
  if (!table.ok()) {
    return ErrorResponse(table.status());
  }
  auto scanner = (*table)->Scan(*scan);
  if (!scanner.ok()) {
    return ErrorResponse(scanner.status());
  }
  CellSet cells;
  Result result;
  size_t bytes = 0;
  while (true) {
    Expected<bool> more = (*scanner)->Next(&result);
    if (!more.ok()) {
      return ErrorResponse(more.status());
    }
    if (!*more) {
      return ScanResponse(request, cells);
    }
    for (const Cell& cell : result) {
      bytes += cell.row.size() + cell.qualifier.size() + cell.value.size() + 64;
      cells.Add(cell);
    }
    if (bytes > kMaxAnswerBytes) {
      return TextResponse(413, "The rows are more than 64 MB: use limit= and startrow=, or a scanner");
    }
  }
}

Response Resources::NewScanner(const Request& request, const std::string& name) {
  Expected<ScannerText> text = ReadScanner(request);
  if (!text.ok()) {
    return ErrorResponse(text.status());
  }
  Expected<Scan> scan = ScanOf(*text);
  if (!scan.ok()) {
    return ErrorResponse(scan.status());
  }
  if (auto filter = text->values.find("filter"); filter != text->values.end() && !filter->second.empty()) {
    Expected<FilterPtr> parsed = FilterFromJson(filter->second);
    if (!parsed.ok()) {
      return ErrorResponse(parsed.status());
    }
    scan->filter = *parsed;
  }
  auto open = std::make_shared<OpenScanner>();
  if (auto batch = text->values.find("batch"); batch != text->values.end()) {
    Expected<int64_t> number = ParseNumber(batch->second, "batch");
    if (!number.ok()) {
      return ErrorResponse(number.status());
    }
    open->batch = std::max<int64_t>(*number, 1);  // without one, a cell an answer
  }
  Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
  if (!table.ok()) {
    return ErrorResponse(table.status());
  }
  open->table = *std::move(table);
  auto rows = open->table->Scan(*scan);
  if (!rows.ok()) {
    return ErrorResponse(rows.status());
  }
  open->rows = *std::move(rows);
  std::lock_guard lock(mutex_);
  open->used_ms = SteadyMs();
  std::erase_if(scanners_, [&](const auto& entry) {
    return entry.second.use_count() == 1 && open->used_ms - entry.second->used_ms > kScannerIdleMs;
  });
  if (scanners_.size() >= kMaxScanners) {
    return TextResponse(503, "Unavailable\r\ntoo many open scanners");
  }
  std::string id = std::to_string(++scanners_made_);
  scanners_[id] = std::move(open);
  Response response{.status = 201};
  response.headers.emplace_back("Location", request.url + "/" + name + "/scanner/" + id);
  return response;
}

Response Resources::Scanner(const Request& request, const std::string& id) {
  std::shared_ptr<OpenScanner> scanner;
  {
    std::lock_guard lock(mutex_);
    auto found = scanners_.find(id);
    if (found == scanners_.end()) {
      return NotFound();
    }
    scanner = found->second;
    scanner->used_ms = SteadyMs();
    if (request.verb == Request::Verb::kDelete) {
      scanners_.erase(found);
      return {};
    }
  }
  if (request.verb != Request::Verb::kGet) {
    return TextResponse(405, "Method not allowed");
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
  std::lock_guard lock(scanner->mutex);
  CellSet cells;
  for (; cells_left > 0; --cells_left) {
    if (scanner->next == scanner->result.size()) {
      Expected<bool> more = scanner->rows->Next(&scanner->result);
      scanner->next = 0;
      if (!more.ok()) {
        return ErrorResponse(more.status());
      }
      if (!*more) {
        break;
      }
    }
    if (scanner->next == 0 && static_cast<int64_t>(cells.rows.size()) >= rows_left) {
      break;
    }
    cells.Add(scanner->result[scanner->next++]);
  }
  return cells.rows.empty() ? Response{.status = 204} : CellSetResponse(request, cells);
}

}  // namespace klip::rest
