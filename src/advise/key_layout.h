// The sampled rows under another row-key schema: their keys, in order, and the statistics of a table with these keys. The same for
// the entries of an index on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/sample.h"
#include "klip/row_key.h"
#include "rowkey/index_definition.h"
#include "rowkey/planner.h"

namespace klip::advise {

// A field of the schema: row `i` of the sample has the bytes values[ids[i]], including the delimiter.
struct LayoutColumn {
  std::vector<std::string> values;  // sorted
  std::vector<uint32_t> ids;
};

// The keys of the sampled rows.
struct KeyLayout {
  RowKeySchema schema;
  std::vector<LayoutColumn> columns;  // [field of the schema]
  std::vector<uint32_t> order;        // indexes of sampled rows, in key order

  std::string KeyOf(uint32_t row) const;
  bool AllDiffer() const;  // no two rows have the same key
};

// Finds fields by name in the sample; if the type differs, values are encoded again. Errors: kInvalidArgument naming the
// field: it is not in the sample, or a value does not fit or contains the field's delimiter.
Expected<KeyLayout> LayOut(const Sample& sample, const RowKeySchema& schema);

// The keys of an index's entries, for the rows that have its columns. `rows`: of the table. Errors: kInvalidArgument: a
// column is not in the sample; a value does not fit, so that the index could not be created.
Expected<KeyLayout> LayOutEntries(const Sample& sample, const KeyLayout& rows, const rowkey::IndexDefinition& index);

// How to find rows by keys with this layout, and the sum of their lengths. `weight`: rows of the table for each key. The
// path's schema is that of the layout, which must outlive it.
rowkey::AccessPath PathOf(const KeyLayout& layout, double weight, double cells_per_key, double* bytes);

struct LayoutFigures {
  rowkey::AccessPath path;          // its schema is that of the layout, which must outlive it
  std::optional<double> hot_share;  // as KeyDesign::hot_share; nullopt: the times of the writes are unknown
  double key_bytes = 0;             // of a key
};

// The newest rows are counted in so many ranges with equally many rows each.
inline constexpr size_t kKeyRanges = 16;
size_t NewestRows(size_t rows);

LayoutFigures FiguresOf(const Sample& sample, const KeyLayout& layout);

}  // namespace klip::advise
