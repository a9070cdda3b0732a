// The rows that advice is made from, field by field, so that keys of other schemas are put together from them.
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
  std::vector<std::string> values;  // different ones, as key bytes without the delimiter
  std::vector<uint32_t> ids;        // [row]
};

// A column that queries have conditions on.
struct SampledColumn {
  static constexpr uint32_t kAbsent = UINT32_MAX;
  static constexpr size_t kMaxValueBytes = 1024;  // no index is proposed on longer values

  std::string family;
  std::string qualifier;
  FieldValues stored;     // the newest values as they are stored; ids may be kAbsent
  bool too_long = false;  // a value is longer
};

// Sums over the sampled rows, of a table; 0 of records.
struct CellSums {
  int64_t cells = 0;
  int64_t value_bytes = 0;
  int64_t name_bytes = 0;  // of family and qualifier, of each cell
  int64_t widest_row_cells = 0;
  int64_t largest_row_bytes = 0;
  std::map<std::pair<std::string, std::string>, int64_t> columns;  // how many cells; of at most kMaxColumns columns
  static constexpr size_t kMaxColumns = 1000;
};

// The types of columns in conditions, as ColumnMatch has them, by family and qualifier.
using ColumnTypes = std::map<std::pair<std::string, std::string>, std::string>;

struct Sample {
  RowKeySchema schema;
  std::vector<FieldValues> fields;  // [field of the schema]
  std::vector<SampledColumn> columns;
  std::vector<int64_t> written;  // [row] greater: written later
  int64_t rows = 0;              // of the table, those that fit the schema
  int64_t sampled = 0;           // rows read into the sample, whether they fit or not
  int64_t unfit = 0;             // of them
  int64_t key_bytes = 0;         // of the rows that fit
  CellSums cells;
  // Of records: those whose key another record has too, and a column that would tell them apart, if one does.
  int64_t collisions = 0;
  std::string telling_column;

  size_t size() const { return written.size(); }
  // Rows of the table for each sampled one, at least 1.
  double Weight() const { return size() == 0 ? 1 : static_cast<double>(rows) / static_cast<double>(size()); }
};

// Of samples of records: columns that are not key fields are this family's.
inline constexpr std::string_view kRecordFamily = "d";

// Reads all rows, with the values of `columns` only: pairs of family and qualifier. Of more than `max_rows` those with the lowest hashes
// are kept. Errors: those of reading.
Expected<Sample> ReadSample(Table* table, const RowKeySchema& schema, int64_t max_rows, const ColumnTypes& columns);

// Errors: kInvalidArgument naming the record and the field or column.
Expected<Sample> SampleOf(const RecordSample& records, const RowKeySchema& schema, const ColumnTypes& columns);

}  // namespace klip::advise
