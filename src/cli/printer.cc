#include "cli/printer.h"

#include <algorithm>

#include "cli/texts.h"

namespace klip::cli {
namespace {

constexpr size_t kMinRowWidth = 18;
constexpr size_t kMaxRowWidth = 60;

std::string ColumnName(const Cell& cell) { return std::string(cell.family) + ":" + ToText(cell.qualifier); }

}  // namespace

std::string_view CellTypeName(CellType type) {
  switch (type) {
    case CellType::kPut:
      return "Put";
    case CellType::kDelete:
      return "Delete";
    case CellType::kDeleteFamilyVersion:
      return "DeleteFamilyVersion";
    case CellType::kDeleteColumn:
      return "DeleteColumn";
    case CellType::kDeleteFamily:
      return "DeleteFamily";
  }
  return "Unknown";
}

Json RowToJson(const Result& result, const std::optional<RowKeySchema>& schema) {
  Json row;
  row["row"] = ToText(result.row());
  if (schema) {
    if (Expected<std::vector<std::string>> values = schema->Decode(result.row()); values.ok()) {
      Json& key = row["key"] = Json::object();
      for (size_t i = 0; i < values->size(); ++i) {
        if (schema->fields()[i].type != KeyFieldType::kLiteral) {
          key[schema->fields()[i].name] = FieldToText(schema->fields()[i], (*values)[i]);
        }
      }
    }
  }
  if (result.stale()) {
    row["stale"] = true;
  }
  Json& cells = row["cells"] = Json::array();
  for (const Cell& cell : result) {
    Json& out = cells.emplace_back();
    out["column"] = ColumnName(cell);
    out["timestamp"] = cell.timestamp_ms;
    if (cell.type != CellType::kPut) {
      out["type"] = CellTypeName(cell.type);
    }
    out["value"] = ToText(cell.value);
  }
  return row;
}

RowPrinter::RowPrinter(const Console& console, OutputForm form, std::optional<RowKeySchema> schema)
    : console_(console), form_(form), schema_(std::move(schema)) {
  if (form_ != OutputForm::kCsv) {
    return;
  }
  std::vector<std::string> names = {"row"};
  if (schema_) {
    for (const KeyField& field : schema_->fields()) {
      if (field.type != KeyFieldType::kLiteral) {
        names.push_back(field.name);
      }
    }
  }
  names.insert(names.end(), {"column", "timestamp", "type", "value"});
  console_.Write(CsvLine(names));
}

void RowPrinter::PrintCsv(const Result& result) {
  std::string key = CsvField(ToText(result.row()));
  if (schema_) {
    const Expected<std::vector<std::string>> values = schema_->Decode(result.row());
    for (size_t i = 0; i < schema_->fields().size(); ++i) {
      if (schema_->fields()[i].type != KeyFieldType::kLiteral) {
        key += "," + (values.ok() ? CsvField(FieldToText(schema_->fields()[i], (*values)[i])) : "");
      }
    }
  }
  for (const Cell& cell : result) {
    console_.Print("{},{},{},{},{}\n", key, CsvField(ColumnName(cell)), cell.timestamp_ms, CellTypeName(cell.type),
                   CsvField(ToText(cell.value)));
  }
}

void RowPrinter::Print(const Result& result) {
  if (result.row() != last_row_ || rows_ == 0) {
    ++rows_;
    last_row_ = result.row();
  }
  stale_ = stale_ || result.stale();
  if (form_ == OutputForm::kCsv) {
    PrintCsv(result);
    return;
  }
  if (form_ == OutputForm::kJson) {
    console_.Write(RowToJson(result, schema_).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    return;
  }
  std::string row = ToText(result.row());
  if (row_width_ == 0) {
    row_width_ = std::clamp(row.size(), kMinRowWidth, kMaxRowWidth);
    console_.Write(console_.Bold(fmt::format("{:<{}} COLUMN+CELL", "ROW", row_width_ + 1)) + "\n");
  }
  for (const Cell& cell : result) {
    std::string type = cell.type == CellType::kPut ? "" : fmt::format(", type={}", CellTypeName(cell.type));
    console_.Print(" {:<{}} {}, timestamp={}{}, value={}\n", row, row_width_, ColumnName(cell), cell.timestamp_ms, type,
                   ToText(cell.value));
  }
}

void RowPrinter::Finish(int64_t elapsed_us) {
  if (form_ == OutputForm::kText) {
    console_.Print("{} row{} in {}{}\n", FormatCount(rows_), rows_ == 1 ? "" : "s", FormatDuration(elapsed_us),
                   stale_ ? " (possibly stale: answered by replicas)" : "");
  }
}

std::string CsvField(std::string_view text, char separator) {
  if (text.find_first_of("\"\r\n") == std::string_view::npos && text.find(separator) == std::string_view::npos) {
    return std::string(text);
  }
  std::string field = "\"";
  for (char c : text) {
    field.append(c == '"' ? 2 : 1, c);
  }
  return field + "\"";
}

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    line += (i == 0 ? "" : ",") + CsvField(fields[i]);
  }
  return line + "\n";
}

}  // namespace klip::cli
