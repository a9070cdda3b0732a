#include "rest/cell_set.h"

#include <algorithm>
#include <span>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "base/errors.h"
#include "base/json.h"
#include "klip/bytes.h"
#include "rest/Rest.pb.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

using base::Invalid;
using base::Json;

// Without a JSON library: an answer may contain millions of cells, and base64 needs no escapes.
std::string ToJson(const CellSet& cells) {
  std::string out = "{\"Row\":[";
  for (const CellSet::Row& row : cells.rows) {
    out += out.back() == '}' ? "," : "";
    out += "{\"key\":\"" + Base64(row.key) + "\",\"Cell\":[";
    for (const CellSet::Cell& cell : row.cells) {
      out += out.back() == '}' ? "," : "";
      out += "{\"column\":\"" + Base64(cell.column) + "\",\"timestamp\":" + std::to_string(cell.timestamp_ms) +
             ",\"$\":\"" + Base64(cell.value) + "\"}";
    }
    out += "]}";
  }
  out += "]}";
  return out;
}

std::string ToXml(const CellSet& cells) {
  std::string out = R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?><CellSet>)";
  for (const CellSet::Row& row : cells.rows) {
    out += "<Row key=\"" + Base64(row.key) + "\">";
    for (const CellSet::Cell& cell : row.cells) {
      out += "<Cell column=\"" + Base64(cell.column) + "\" timestamp=\"" + std::to_string(cell.timestamp_ms) + "\">" +
             Base64(cell.value) + "</Cell>";
    }
    out += "</Row>";
  }
  out += "</CellSet>";
  return out;
}

std::string ToProtobuf(std::span<const CellSet::Row> rows) {
  proto::CellSet out;
  for (const CellSet::Row& row : rows) {
    proto::CellSet::Row* to = out.add_rows();
    to->set_key(row.key);
    for (const CellSet::Cell& cell : row.cells) {
      proto::Cell* value = to->add_values();
      value->set_column(cell.column);
      value->set_timestamp(cell.timestamp_ms);
      value->set_data(cell.value);
    }
  }
  return out.SerializeAsString();
}

Expected<CellSet> FromProtobuf(const std::string& body) {
  proto::CellSet parsed;
  if (!parsed.ParseFromString(body)) {
    return Invalid("the body is not a protobuf CellSet");
  }
  CellSet cells;
  for (const proto::CellSet::Row& row : parsed.rows()) {
    CellSet::Row& out = cells.rows.emplace_back();
    out.key = row.key();
    for (const proto::Cell& cell : row.values()) {
      out.cells.push_back({.column = cell.column(),
                           .timestamp_ms = cell.has_timestamp() ? cell.timestamp() : kLatestTimestamp,
                           .value = cell.data()});
    }
  }
  return cells;
}

// A member that is a text; false if it is missing.
Expected<bool> ReadBase64(const Json& object, const char* name, std::string* bytes) {
  auto found = object.find(name);
  if (found == object.end() || found->is_null()) {
    return false;
  }
  if (!found->is_string()) {
    return Invalid(std::string(name) + " is not a text");
  }
  KLIP_ASSIGN_OR_RETURN(*bytes, FromBase64(found->get_ref<const std::string&>()));
  return true;
}

// As a number or a text, since clients send both.
Expected<int64_t> TimestampMember(const Json& object) {
  auto found = object.find("timestamp");
  if (found == object.end() || found->is_null()) {
    return kLatestTimestamp;
  }
  KLIP_ASSIGN_OR_RETURN(const std::string text, base::ScalarText(*found, "timestamp"));
  return ParseNumber(text, "timestamp");
}

Expected<CellSet> FromJson(const std::string& body) {
  KLIP_ASSIGN_OR_RETURN(const Json parsed, base::ParseJson(body, "the body"));
  auto rows = parsed.find("Row");
  if (rows == parsed.end() || !rows->is_array()) {
    return Invalid("the body is not {\"Row\":[...]}");
  }
  CellSet cells;
  for (const Json& row : *rows) {
    if (!row.is_object()) {
      return Invalid("a Row is not an object");
    }
    CellSet::Row& out = cells.rows.emplace_back();
    KLIP_ASSIGN_OR_RETURN(out.has_key, ReadBase64(row, "key", &out.key));
    auto list = row.find("Cell");
    if (list == row.end()) {
      continue;
    }
    if (!list->is_array()) {
      return Invalid("Cell is not a list");
    }
    for (const Json& cell : *list) {
      if (!cell.is_object()) {
        return Invalid("a Cell is not an object");
      }
      CellSet::Cell& one = out.cells.emplace_back();
      KLIP_ASSIGN_OR_RETURN(one.has_column, ReadBase64(cell, "column", &one.column));
      KLIP_RETURN_IF_ERROR(ReadBase64(cell, "$", &one.value).status());
      KLIP_ASSIGN_OR_RETURN(one.timestamp_ms, TimestampMember(cell));
    }
  }
  return cells;
}

// The element's text, without blanks and line ends. Comments and CDATA sections divide it into several nodes.
std::string Base64Text(pugi::xml_node element) {
  std::string text;
  for (const pugi::xml_node child : element.children()) {
    text += child.value();
  }
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return text;
}

Expected<CellSet> FromXml(const std::string& body) {
  pugi::xml_document document;
  pugi::xml_parse_result parsed = document.load_buffer(body.data(), body.size());
  if (!parsed || !document.child("CellSet")) {
    return Invalid("the body is not <CellSet>...</CellSet>");
  }
  CellSet cells;
  for (pugi::xml_node row : document.child("CellSet").children("Row")) {
    CellSet::Row& out = cells.rows.emplace_back();
    out.has_key = !row.attribute("key").empty();
    KLIP_ASSIGN_OR_RETURN(out.key, FromBase64(row.attribute("key").value()));
    for (pugi::xml_node cell : row.children("Cell")) {
      CellSet::Cell& one = out.cells.emplace_back();
      one.has_column = !cell.attribute("column").empty();
      KLIP_ASSIGN_OR_RETURN(one.column, FromBase64(cell.attribute("column").value()));
      KLIP_ASSIGN_OR_RETURN(one.value, FromBase64(Base64Text(cell)));
      if (cell.attribute("timestamp")) {
        KLIP_ASSIGN_OR_RETURN(one.timestamp_ms, ParseNumber(cell.attribute("timestamp").value(), "timestamp"));
      }
    }
  }
  return cells;
}

}  // namespace

void CellSet::Add(const klip::Cell& cell) {
  if (rows.empty() || rows.back().key != cell.row) {
    rows.push_back({.key = std::string(cell.row), .cells = {}});
  }
  std::string column(cell.family);
  column += ':';
  column += cell.qualifier;
  bytes += cell.row.size() + cell.qualifier.size() + cell.value.size() + 64;
  rows.back().cells.push_back({std::move(column), cell.timestamp_ms, std::string(cell.value)});
}

Response TooLarge(std::string_view instead) {
  return TextResponse(413, "The rows exceed 64 MB: use " + std::string(instead) + ", or a scanner");
}

Response CellSetResponse(const Request& request, const CellSet& cells) {
  auto kind = Negotiate(request, {kXml, kJson, kProtobuf});
  if (!kind) {
    return NotAcceptable();
  }
  return {.content_type = NameOf(*kind, request),
          .body = *kind == kXml    ? ToXml(cells)
                  : *kind == kJson ? ToJson(cells)
                                   : ToProtobuf(cells.rows)};
}

Response ScanResponse(const Request& request, const CellSet& cells) {
  if (Negotiate(request, {kXml, kJson, kProtobuf}) != kProtobuf) {
    return CellSetResponse(request, cells);
  }
  constexpr size_t kRowsPerSet = 10;  // hbase.rest.scan.fetchsize
  Response response{.content_type = NameOf(kProtobuf, request)};
  for (size_t at = 0; at < cells.rows.size(); at += kRowsPerSet) {
    std::string set = ToProtobuf(std::span(cells.rows).subspan(at, std::min(kRowsPerSet, cells.rows.size() - at)));
    if (set.size() > INT16_MAX) {
      return TextResponse(413, "Ten rows exceed 32 KB, the limit of a protobuf scan: use a scanner");
    }
    AppendBigEndian(static_cast<int16_t>(set.size()), &response.body);
    response.body += set;
  }
  return response;
}

Expected<CellSet> ReadCellSet(const Request& request) {
  if (IsKind(request.content_type, kJson)) {
    return FromJson(request.body);
  }
  if (IsKind(request.content_type, kXml)) {
    return FromXml(request.body);
  }
  if (IsKind(request.content_type, kProtobuf)) {
    return FromProtobuf(request.body);
  }
  return Status(Code::kUnsupported, "unsupported body type '" + request.content_type.substr(0, 80) + "'");
}

}  // namespace klip::rest
