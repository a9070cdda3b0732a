#include "cli/input_reader.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/command.h"
#include "cli/texts.h"
#include "klip/bytes.h"

namespace klip::cli {

// One record into fields_. CSV as in RFC 4180: a quoted field may hold commas, doubled quotes and line ends.
Expected<bool> InputReader::ReadFields() {
  fields_.clear();
  above_.clear();
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
  const auto wrong = [this](std::string_view what) {
    return UsageError(fmt::format("line {}: field {}: {}", record_line_, fields_.size() + 1, what));
  };
  std::string field;
  bool quoted = false;
  bool closed = false;  // the field was quoted
  for (size_t i = 0;; ++i) {
    if (i >= line.size() && !quoted) {
      fields_.push_back(std::move(field));
      return true;
    }
    if (i >= line.size()) {  // the line end belongs to the field
      above_ += line;
      above_ += input_->line_end();
      field += input_->line_end();
      KLIP_ASSIGN_OR_RETURN(more, input_->ReadLine(&line));
      if (!more) {
        return wrong("the quote that begins it is not closed");
      }
      if (field.size() > TextInput::kMaxLineBytes) {
        return wrong(fmt::format("it is longer than {} bytes", TextInput::kMaxLineBytes));
      }
      i = static_cast<size_t>(-1);
    } else if (quoted) {
      if (line[i] != '"') {
        field.push_back(line[i]);
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        field.push_back(line[++i]);
      } else {
        quoted = false;
        closed = true;
      }
    } else if (line[i] == ',') {
      fields_.push_back(std::move(field));
      field.clear();
      closed = false;
    } else if (closed) {
      return wrong("text follows the closing quote; a quote inside quotes is written twice");
    } else if (line[i] == '"' && field.empty()) {
      quoted = true;
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
  Expected<std::vector<FieldTarget>> columns = ParseFieldTargets(fields_, form_.schema);
  if (!columns.ok()) {
    return UsageError(fmt::format("line 1: {}; --columns names the fields in its place", columns.status().message()));
  }
  form_.columns = *std::move(columns);
  return Status::Ok();
}

Expected<bool> InputReader::NextRecord(std::vector<std::string>* fields) {
  KLIP_ASSIGN_OR_RETURN(const bool more, ReadFields());
  *fields = fields_;
  return more;
}

Expected<bool> InputReader::Next(Put* put) {
  const bool is_json = form_.format == InputFormat::kJson;
  if (!is_json) {
    KLIP_RETURN_IF_ERROR(ReadHeader());
  }
  do {
    above_.clear();
    Expected<bool> more = false;
    if (is_json) {
      more = input_->ReadLine(&text_);
      record_line_ = input_->line();
    } else {
      more = ReadFields();
    }
    KLIP_RETURN_IF_ERROR(more.status());
    if (!*more) {
      return false;
    }
  } while (is_json ? text_.empty() : fields_.size() == 1 && fields_[0].empty());
  const Status status = FillRow(put);
  if (status.ok()) {
    return true;
  }
  const bool may_be_header = record_line_ == 1 && !is_json && !form_.header;
  return Status(status.code(), fmt::format("line {}: {}{}", record_line_, status.message(),
                                           may_be_header ? "; if this line names the fields, give --header" : ""));
}

Status InputReader::FillRow(Put* put) {
  put->row.clear();
  put->columns.clear();
  put->timestamp_ms = form_.timestamp_ms;
  key_values_.clear();
  has_row_ = false;
  KLIP_RETURN_IF_ERROR(form_.format == InputFormat::kJson ? FillFromJson(text_, put) : FillFromFields(put));
  return FinishRow(put);
}

// Whether the line names the fields, as the first line of an export does.
bool InputReader::IsHeader() const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    const Expected<FieldTarget> target = ParseFieldTarget(fields_[i], form_.schema);
    if (!target.ok() || *target != form_.columns[i]) {
      return false;
    }
  }
  return true;
}

Status InputReader::FillFromFields(Put* put) {
  if (fields_.size() != form_.columns.size()) {
    return UsageError(fmt::format("expected {} fields, found {}", form_.columns.size(), fields_.size()));
  }
  if (record_line_ == 1 && IsHeader()) {
    return UsageError("the line has the names of the fields in place of values");
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
        KLIP_ASSIGN_OR_RETURN(std::string bytes, ValueFromLine(target, value, form_.escapes));
        put->Add(target.family, target.qualifier, std::move(bytes));
      }
      break;
  }
  return Status::Ok();
}

// {"row": "...", "family:qualifier": "value" | {"value", "timestamp"} | [...] | null, "keyfield": "value"}
Status InputReader::FillFromJson(std::string_view line, Put* put) {
  KLIP_ASSIGN_OR_RETURN(const base::Json json, base::ParseJson(line, "the line"));
  if (!json.is_object()) {
    return UsageError("not a JSON object; each line is one");
  }
  for (const auto& [name, value] : json.items()) {
    FieldTarget target{.kind = FieldTarget::Kind::kRow};
    if (name != "row") {
      KLIP_ASSIGN_OR_RETURN(target, ParseFieldTarget(name, form_.schema));
    }
    const bool is_column = target.kind == FieldTarget::Kind::kColumn;
    if (is_column && value.is_null()) {
      continue;  // no cell
    }
    if (is_column && value.is_structured()) {
      KLIP_RETURN_IF_ERROR(AddCells(target, name, value, put));
      continue;
    }
    if (value.is_null() || value.is_structured()) {
      return UsageError(fmt::format("'{}' must be a text or a number", name));
    }
    KLIP_ASSIGN_OR_RETURN(std::string text, base::ScalarText(value, name));
    if (!is_column) {
      KLIP_RETURN_IF_ERROR(Apply(target, std::move(text), put));
    } else if (!form_.null_text || text != *form_.null_text) {
      KLIP_ASSIGN_OR_RETURN(std::string bytes, ValueFromLine(target, text, form_.escapes));
      put->Add(target.family, target.qualifier, std::move(bytes));
    }
  }
  return Status::Ok();
}

Status InputReader::AddCells(const FieldTarget& target, const std::string& name, const base::Json& value, Put* put) {
  for (const base::Json& cell : value.is_array() ? value : base::Json::array({value})) {
    const auto text_of = [&](const char* member) -> Expected<std::optional<std::string>> {
      const auto found = cell.find(member);
      if (found == cell.end()) {
        return std::optional<std::string>();
      }
      KLIP_ASSIGN_OR_RETURN(std::string text, base::ScalarText(*found, member));
      return std::optional(std::move(text));
    };
    const Status wrong = UsageError(fmt::format("'{}': a cell is {{\"value\": text, \"timestamp\": number}}", name));
    if (!cell.is_object() || !cell.contains("value") || cell["value"].is_null() ||
        cell.size() != (cell.contains("timestamp") ? 2 : 1)) {
      return wrong;
    }
    KLIP_ASSIGN_OR_RETURN(const std::optional<std::string> text, text_of("value"));
    KLIP_ASSIGN_OR_RETURN(const std::optional<std::string> timestamp, text_of("timestamp"));
    const std::optional<int64_t> timestamp_ms = timestamp ? ParseInt(*timestamp) : kLatestTimestamp;
    if (!timestamp_ms) {
      return wrong;
    }
    KLIP_ASSIGN_OR_RETURN(std::string bytes, ValueFromLine(target, *text, form_.escapes));
    put->Add(target.family, target.qualifier, std::move(bytes), *timestamp_ms);
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
