// Reads rows to load from CSV, TSV or JSON lines. Every error names the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/field_target.h"
#include "cli/text_input.h"
#include "klip/mutation.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::cli {

enum class InputFormat : uint8_t { kCsv, kTsv, kJson };

// The form of an input's lines.
struct InputForm {
  InputFormat format = InputFormat::kCsv;
  std::vector<FieldTarget> columns = {};  // empty: named by the first line (`header`) or, for JSON, by each object
  bool header = false;                    // the first line is not a row
  bool escapes = false;                   // \xNN in values stands for a byte; else everything is taken as it is
  std::optional<RowKeySchema> schema = std::nullopt;
  std::optional<std::string> null_text =
      std::nullopt;                         // a field with it has no value. Without it an empty field has none
  int64_t timestamp_ms = kLatestTimestamp;  // of cells whose line has none
};

class InputReader {
 public:
  // The input must outlive the reader.
  InputReader(TextInput* input, InputForm form) : input_(input), form_(std::move(form)) {}

  // Reads the line that names the fields, if there is one. Next calls it unless it was called before.
  Status ReadHeader();

  // Returns the next row; false at the end. After an error, the reader can continue after the bad line.
  Expected<bool> Next(Put* put);

  // For CSV and TSV: the fields of the next line instead of a row; false at the end.
  Expected<bool> NextRecord(std::vector<std::string>* fields);

  int64_t line() const { return record_line_; }  // at which the row began

  // The text of the last row or bad row, its lines as they are in the input, with their ends.
  std::string Record() const { return above_ + text_ + std::string(input_->line_end()); }

 private:
  Expected<bool> ReadFields();
  Status FillRow(Put* put);
  bool IsHeader() const;
  Status FillFromFields(Put* put);
  Status FillFromJson(std::string_view line, Put* put);
  // The cells of one column in JSON: an object for one, or a list of them.
  Status AddCells(const FieldTarget& target, const std::string& name, const base::Json& value, Put* put);
  Status Apply(const FieldTarget& target, std::string value, Put* put);
  Status FinishRow(Put* put);

  TextInput* input_;
  InputForm form_;
  bool header_read_ = false;

  int64_t record_line_ = 0;
  std::string above_;  // the lines of the record before the last one
  std::string text_;   // its last line
  std::vector<std::string> fields_;
  std::vector<std::pair<std::string, std::string>> key_values_;  // of the row being read
  bool has_row_ = false;
};

}  // namespace klip::cli
