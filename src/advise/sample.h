// The rows on which advice is based, field by field, so that keys of other schemas can be built from them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/advise.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::advise {

// A field of the schema. Each row has the value values[ids[row]]. Empty for computed fields and literals.
struct FieldValues {
  std::vector<std::string> values;  // distinct, as key bytes without the delimiter
  std::vector<uint32_t> ids;        // [row]
};

// A column in the conditions of queries.
struct SampledColumn {
  static constexpr uint32_t kAbsent = UINT32_MAX;
  static constexpr size_t kMaxValueBytes = 1024;  // no index is proposed on longer values

  std::string family;
  std::string qualifier;
  FieldValues stored;     // the newest values as they are stored; ids may be kAbsent
  bool too_long = false;  // a value is longer
};

// Sums over a table's sampled rows; 0 for records.
struct CellSums {
  int64_t cells = 0;
  int64_t value_bytes = 0;
  int64_t name_bytes = 0;  // of family and qualifier, of each cell
  int64_t widest_row_cells = 0;
  int64_t largest_row_bytes = 0;
  std::map<std::pair<std::string, std::string>, int64_t> columns;  // number of cells; of at most kMaxColumns columns
  static constexpr size_t kMaxColumns = 1000;
};

// The types of columns in conditions, as in ColumnMatch, by family and qualifier.
using ColumnTypes = std::map<std::pair<std::string, std::string>, std::string>;

struct Sample {
  RowKeySchema schema;
  std::vector<FieldValues> fields;  // [field of the schema]
  std::vector<SampledColumn> columns;
  std::vector<int64_t> written;  // [row] greater: written later
  int64_t rows = 0;              // of the table, without those that do not match the schema
  int64_t sampled = 0;           // rows read, matching the schema or not
  int64_t unfit = 0;             // of these, the ones that do not match
  int64_t key_bytes = 0;         // of the rows that match
  CellSums cells;
  // For records: those whose key is not unique, and a column that would distinguish them, if there is one.
  int64_t collisions = 0;
  std::string telling_column;

  size_t size() const { return written.size(); }
  // Rows of the table per sampled row, at least 1.
  double Weight() const { return size() == 0 ? 1 : static_cast<double>(rows) / static_cast<double>(size()); }
};

// In samples of records, columns that are not key fields have this family.
inline constexpr std::string_view kRecordFamily = "d";

// Reads all rows, with the values of `columns` only: pairs of family and qualifier. If there are more than `max_rows`,
// keeps those with the lowest hashes. Errors: those of reading.
Expected<Sample> ReadSample(Table* table, const RowKeySchema& schema, int64_t max_rows, const ColumnTypes& columns);

// Errors: kInvalidArgument naming the record and the field or column.
Expected<Sample> SampleOf(const RecordSample& records, const RowKeySchema& schema, const ColumnTypes& columns);

}  // namespace klip::advise
