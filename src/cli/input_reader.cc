#include "cli/input_reader.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/texts.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

constexpr std::pair<std::string_view, FieldTarget::Value> kValueKinds[] = {
    {":int", FieldTarget::Value::kInt}, {":long", FieldTarget::Value::kLong}, {":hex", FieldTarget::Value::kHex}};

std::optional<std::string> BytesOfHex(std::string_view text) {
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string escaped;
  for (size_t i = 0; i < text.size(); i += 2) {
    escaped.append("\\x").append(text.substr(i, 2));
  }
  return FromStringBinary(escaped);
}

// The stored bytes for a value in the input.
Expected<std::string> Encode(const FieldTarget& target, std::string_view text, bool escapes) {
  if (target.value == FieldTarget::Value::kText) {
    return escapes ? FromStringBinary(text) : std::string(text);
  }
  std::optional<std::string> bytes;
  if (target.value == FieldTarget::Value::kHex) {
    bytes = BytesOfHex(text);
  } else if (const std::optional<int64_t> number = ParseInt(text)) {
    if (target.value == FieldTarget::Value::kLong) {
      bytes = BigEndian(*number);
    } else if (std::in_range<int32_t>(*number)) {
      bytes = BigEndian(static_cast<int32_t>(*number));
    }
  }
  if (!bytes) {
    const char* kind = target.value == FieldTarget::Value::kHex    ? "hex"
                       : target.value == FieldTarget::Value::kLong ? "a long"
                                                                   : "an int";
    return UsageError(fmt::format("field '{}:{}': '{}' is not {}", target.family, target.qualifier, text, kind));
  }
  return *std::move(bytes);
}

}  // namespace

std::string_view SuffixOf(FieldTarget::Value value) {
  for (const auto& [suffix, kind] : kValueKinds) {
    if (kind == value) {
      return suffix;
    }
  }
  return {};
}

Expected<std::string> TextOf(const FieldTarget& target, std::string_view bytes) {
  switch (target.value) {
    case FieldTarget::Value::kText:
      return ToText(bytes);
    case FieldTarget::Value::kHex:
      return fmt::format("{:02x}", fmt::join(reinterpret_cast<const unsigned char*>(bytes.data()),
                                             reinterpret_cast<const unsigned char*>(bytes.data()) + bytes.size(), ""));
    case FieldTarget::Value::kInt:
      if (bytes.size() == sizeof(int32_t)) {
        return std::to_string(ReadBigEndian<int32_t>(bytes.data()));
      }
      break;
    case FieldTarget::Value::kLong:
      if (bytes.size() == sizeof(int64_t)) {
        return std::to_string(ReadBigEndian<int64_t>(bytes.data()));
      }
      break;
  }
  return UsageError(fmt::format("column '{}:{}': expected a value of {} bytes, found {}", target.family,
                                target.qualifier, target.value == FieldTarget::Value::kInt ? "4" : "8", bytes.size()));
}

Expected<FieldTarget> ParseFieldTarget(std::string_view text, const std::optional<RowKeySchema>& schema) {
  FieldTarget target;
  if (text.empty() || text == "-") {
    return target;
  }
  if (text == "HBASE_ROW_KEY" || text == "row") {
    target.kind = FieldTarget::Kind::kRow;
  } else if (text == "HBASE_TS_KEY") {
    target.kind = FieldTarget::Kind::kTimestamp;
  } else if (text.find(':') != std::string_view::npos) {
    for (const auto& [suffix, kind] : kValueKinds) {
      // "d:int" is a column of that name.
      if (text.ends_with(suffix) && text.find(':') < text.size() - suffix.size()) {
        text.remove_suffix(suffix.size());
        target.value = kind;
        break;
      }
    }
    KLIP_ASSIGN_OR_RETURN(ColumnSpec column, ParseColumn(text));
    target.kind = FieldTarget::Kind::kColumn;
    target.family = column.family;
    target.qualifier = *column.qualifier;
  } else if (schema && schema->FieldIndex(text)) {
    target.kind = FieldTarget::Kind::kKeyField;
    target.key_field = text;
  } else {
    return UsageError(fmt::format("'{}' is not family:qualifier, HBASE_ROW_KEY, HBASE_TS_KEY, '-'{}", text,
                                  schema ? " or field of the schema " + schema->ToString() : ""));
  }
  return target;
}

// One record into fields_. CSV as in RFC 4180: a quoted field may hold commas, doubled quotes and line ends.
Expected<bool> InputReader::ReadFields() {
  fields_.clear();
  std::string& line = text_;
  record_line_ = input_->line() + 1;
  KLIP_ASSIGN_OR_RETURN(bool more, input_->ReadLine(&line));
  if (!more) {
    return false;
  }
  if (form_.format == InputFormat::kTsv) {
    fields_ = SplitList(line, '\t');
    return true;
  }
  std::string field;
  bool quoted = false;
  for (size_t i = 0;; ++i) {
    if (i >= line.size() && !quoted) {
      fields_.push_back(std::move(field));
      return true;
    }
    if (i >= line.size()) {  // the line end belongs to the field
      field.push_back('\n');
      KLIP_ASSIGN_OR_RETURN(more, input_->ReadLine(&line));
      if (!more) {
        return UsageError(fmt::format("line {}: a quote is not closed", record_line_));
      }
      if (field.size() > TextInput::kMaxLineBytes) {
        return UsageError(
            fmt::format("line {}: a quoted field is longer than {} bytes", record_line_, TextInput::kMaxLineBytes));
      }
      i = static_cast<size_t>(-1);
    } else if (quoted) {
      if (line[i] != '"') {
        field.push_back(line[i]);
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        field.push_back(line[++i]);
      } else {
        quoted = false;
      }
    } else if (line[i] == '"' && field.empty()) {
      quoted = true;
    } else if (line[i] == ',') {
      fields_.push_back(std::move(field));
      field.clear();
    } else {
      field.push_back(line[i]);
    }
  }
}

Status InputReader::ReadHeader() {
  if (!form_.header || header_read_) {
    return Status::Ok();
  }
  header_read_ = true;
  KLIP_ASSIGN_OR_RETURN(bool more, ReadFields());
  if (!form_.columns.empty() || !more) {
    return Status::Ok();
  }
  for (const std::string& name : fields_) {
    Expected<FieldTarget> target = ParseFieldTarget(name, form_.schema);
    if (!target.ok()) {
      return UsageError(fmt::format("line 1: {}", target.status().message()));
    }
    form_.columns.push_back(*std::move(target));
  }
  return Status::Ok();
}

Expected<bool> InputReader::NextRecord(std::vector<std::string>* fields) {
  KLIP_ASSIGN_OR_RETURN(const bool more, ReadFields());
  *fields = fields_;
  return more;
}

Expected<bool> InputReader::Next(Put* put) {
  put->row.clear();
  put->columns.clear();
  put->timestamp_ms = form_.timestamp_ms;
  key_values_.clear();
  has_row_ = false;
  Status status;
  if (form_.format == InputFormat::kJson) {
    do {
      KLIP_ASSIGN_OR_RETURN(bool more, input_->ReadLine(&text_));
      if (!more) {
        return false;
      }
    } while (text_.empty());
    record_line_ = input_->line();
    status = FillFromJson(text_, put);
  } else {
    KLIP_RETURN_IF_ERROR(ReadHeader());
    do {
      KLIP_ASSIGN_OR_RETURN(bool more, ReadFields());
      if (!more) {
        return false;
      }
    } while (fields_.size() == 1 && fields_[0].empty());
    status = FillFromFields(put);
  }
  if (status.ok()) {
    status = FinishRow(put);
  }
  if (!status.ok()) {
    return Status(status.code(), fmt::format("line {}: {}", record_line_, status.message()));
  }
  return true;
}

Status InputReader::FillFromFields(Put* put) {
  if (fields_.size() != form_.columns.size()) {
    return UsageError(fmt::format("expected {} fields, found {}", form_.columns.size(), fields_.size()));
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    KLIP_RETURN_IF_ERROR(Apply(form_.columns[i], std::move(fields_[i]), put));
  }
  return Status::Ok();
}

Status InputReader::Apply(const FieldTarget& target, std::string value, Put* put) {
  switch (target.kind) {
    case FieldTarget::Kind::kSkip:
      break;
    case FieldTarget::Kind::kRow:
      put->row = form_.escapes ? FromStringBinary(value) : std::move(value);
      has_row_ = true;
      break;
    case FieldTarget::Kind::kTimestamp: {
      std::optional<int64_t> timestamp_ms = ParseInt(value);
      if (!timestamp_ms) {
        return UsageError(fmt::format("'{}' is not a timestamp in milliseconds", value));
      }
      put->timestamp_ms = *timestamp_ms;
      break;
    }
    case FieldTarget::Kind::kKeyField:
      if (form_.escapes) {
        const int index = *form_.schema->FieldIndex(target.key_field);
        value = FieldFromText(form_.schema->fields()[static_cast<size_t>(index)], value);
      }
      key_values_.emplace_back(target.key_field, std::move(value));
      break;
    case FieldTarget::Kind::kColumn:
      if (form_.null_text ? value != *form_.null_text : !value.empty()) {
        KLIP_ASSIGN_OR_RETURN(std::string bytes, Encode(target, value, form_.escapes));
        put->Add(target.family, target.qualifier, std::move(bytes));
      }
      break;
  }
  return Status::Ok();
}

// {"row": "...", "family:qualifier": "value" | {"value", "timestamp"} | [...], "keyfield": "value"}
Status InputReader::FillFromJson(std::string_view line, Put* put) {
  nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return UsageError("not a JSON object");
  }
  for (const auto& [name, value] : json.items()) {
    KLIP_ASSIGN_OR_RETURN(FieldTarget target, ParseFieldTarget(name, form_.schema));
    if (value.is_string() || value.is_number() || value.is_boolean()) {
      std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      if (target.kind == FieldTarget::Kind::kColumn) {
        KLIP_ASSIGN_OR_RETURN(std::string bytes, Encode(target, text, form_.escapes));
        put->Add(target.family, target.qualifier, std::move(bytes));
      } else {
        KLIP_RETURN_IF_ERROR(Apply(target, std::move(text), put));
      }
      continue;
    }
    if (target.kind != FieldTarget::Kind::kColumn || !(value.is_object() || value.is_array())) {
      return UsageError(fmt::format("'{}' must be a string or a number", name));
    }
    for (const nlohmann::json& cell : value.is_array() ? value : nlohmann::json::array({value})) {
      if (!cell.is_object() || !cell.contains("value") || !cell["value"].is_string() ||
          (cell.contains("timestamp") && !cell["timestamp"].is_number_integer())) {
        return UsageError(fmt::format("'{}': a cell is {{\"value\": text, \"timestamp\": number}}", name));
      }
      KLIP_ASSIGN_OR_RETURN(std::string bytes, Encode(target, cell["value"].get<std::string>(), form_.escapes));
      put->Add(target.family, target.qualifier, std::move(bytes),
               cell.contains("timestamp") ? cell["timestamp"].get<int64_t>() : kLatestTimestamp);
    }
  }
  return Status::Ok();
}

Status InputReader::FinishRow(Put* put) {
  if (!key_values_.empty() && has_row_) {
    return UsageError("both a row key and key fields are given");
  }
  if (!key_values_.empty()) {
    KLIP_ASSIGN_OR_RETURN(put->row, form_.schema->EncodeNamed(key_values_));
  } else if (!has_row_) {
    return UsageError("no row key: name a field HBASE_ROW_KEY, or the key fields of the table's schema");
  }
  if (put->row.empty()) {
    return UsageError("the row key is empty");
  }
  if (put->columns.empty()) {
    return UsageError("the row has no columns");
  }
  return Status::Ok();
}

}  // namespace klip::cli
