// Reads rows to load from CSV, TSV or JSON lines. Every error names the line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/mutation.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::cli {

enum class InputFormat : uint8_t { kCsv, kTsv, kJson };

// What becomes of one field of a line.
struct FieldTarget {
  enum class Kind : uint8_t { kSkip, kRow, kTimestamp, kKeyField, kColumn };
  Kind kind = Kind::kSkip;
  std::string key_field;
  std::string family;
  std::string qualifier;
  enum class Value : uint8_t { kText, kInt, kLong, kHex };
  Value value = Value::kText;  // of a column: how it is written in the input
};

// "HBASE_ROW_KEY", "HBASE_TS_KEY" (as HBase's ImportTsv has them), "row", "-" to skip, a key field of the schema, or
// "family:qualifier", with ":int", ":long" or ":hex" behind it where values are numbers (stored big-endian) or bytes in hex.
Expected<FieldTarget> ParseFieldTarget(std::string_view text, const std::optional<RowKeySchema>& schema);

class InputReader {
 public:
  static constexpr size_t kMaxLineBytes = 64 << 20;

  // `columns` empty: named by the first line (`header`) or, for JSON, by each object.
  // `null_text`: a field with it has no value. Without it an empty field has none.
  InputReader(std::FILE* file, InputFormat format, std::vector<FieldTarget> columns, bool header,
              std::optional<RowKeySchema> schema, std::optional<std::string> null_text = std::nullopt);

  // The next row; false at the end. After an error the reader stands behind the bad line and may go on.
  Expected<bool> Next(Put* put);

  int64_t line() const { return record_line_; }  // at which the row began
  int64_t bytes_read() const { return bytes_read_; }

 private:
  Expected<bool> ReadLine(std::string* line);
  Expected<bool> ReadFields();
  Status ReadHeader();
  Status FillFromFields(Put* put);
  Status FillFromJson(std::string_view line, Put* put);
  Status Apply(const FieldTarget& target, std::string value, Put* put);
  Status FinishRow(Put* put);

  std::FILE* file_;
  InputFormat format_;
  std::vector<FieldTarget> columns_;
  bool header_;
  std::optional<RowKeySchema> schema_;
  std::optional<std::string> null_text_;

  int64_t line_ = 0;
  int64_t record_line_ = 0;
  int64_t bytes_read_ = 0;
  std::vector<std::string> fields_;
  std::vector<std::pair<std::string, std::string>> key_values_;  // of the row being read
  bool has_row_ = false;
};

}  // namespace klip::cli
