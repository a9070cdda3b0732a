// Reads rows to load from CSV, TSV or JSON lines. Every error names the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text_input.h"
#include "klip/mutation.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::cli {

enum class InputFormat : uint8_t { kCsv, kTsv, kJson };

// What a field of a line is used for.
struct FieldTarget {
  enum class Kind : uint8_t { kSkip, kRow, kTimestamp, kKeyField, kColumn };
  Kind kind = Kind::kSkip;
  std::string key_field;
  std::string family;
  std::string qualifier;
  enum class Value : uint8_t { kText, kInt, kLong, kHex };
  Value value = Value::kText;  // of a column: how it is written in the input
};

// "HBASE_ROW_KEY", "HBASE_TS_KEY" (as in HBase's ImportTsv), "row", "-" to skip, a key field of the schema, or
// "family:qualifier". The suffix ":int", ":long" or ":hex" means that values are numbers (stored big-endian) or bytes in
// hex.
Expected<FieldTarget> ParseFieldTarget(std::string_view text, const std::optional<RowKeySchema>& schema);

// The suffix of the name of a column with that type: ":int", ":long", ":hex" or nothing.
std::string_view SuffixOf(FieldTarget::Value value);

// A stored value as text of the column's type, which the input reader reads back with escapes. Errors: kInvalidArgument
// if the bytes do not have this type.
Expected<std::string> TextOf(const FieldTarget& target, std::string_view bytes);

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

 private:
  Expected<bool> ReadFields();
  Status FillFromFields(Put* put);
  Status FillFromJson(std::string_view line, Put* put);
  Status Apply(const FieldTarget& target, std::string value, Put* put);
  Status FinishRow(Put* put);

  TextInput* input_;
  InputForm form_;
  bool header_read_ = false;

  int64_t record_line_ = 0;
  std::string text_;
  std::vector<std::string> fields_;
  std::vector<std::pair<std::string, std::string>> key_values_;  // of the row being read
  bool has_row_ = false;
};

}  // namespace klip::cli
