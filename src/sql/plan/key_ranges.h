// Converts a condition to the rows that can meet it: the restrictions on the columns of the primary key become boxes of a
// RowSet, through which a scan jumps. The condition is still evaluated for each row, so the set may contain more rows,
// but never fewer.
//
// Example: key (user VARCHAR, day INTEGER), condition day = 7 AND (user = 'al' OR user > 'x') AND note = 'n'. The note
// does not restrict the key; the others give two boxes: user in ['al', 'al'], day in [7, 7], and user above 'x', day in
// [7, 7]. As rows: 61 6C 00 80 00 00 07, and [78 .. end) 00 80 00 00 07.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// Values of a key column, as written by EncodeValue, ascending. A missing bound means no limit.
struct KeyInterval {
  std::optional<std::string> low;
  std::optional<std::string> high;
  bool include_low = true;
  bool include_high = true;
  bool operator==(const KeyInterval&) const = default;
};

bool IsPoint(const KeyInterval& interval);  // one value

// The allowed values of a key column; nullopt: any. Sorted, disjoint.
using KeyValues = std::optional<std::vector<KeyInterval>>;

// One KeyValues per key column; all must hold. If a column has no value: no row.
struct KeyBoxes {
  std::vector<std::vector<KeyValues>> any_of;
  bool all = false;  // every row
};

// `condition`: over columns that key_position maps to positions in the key; -1: not a key column. Constants have their
// values.
KeyBoxes KeyBoxesOf(BoundExpression& condition, const TableDefinition& table,
                    const std::function<int(size_t column)>& key_position);

// The rows themselves, in key order, if the boxes contain at most `most` rows: each key column has single values.
// Otherwise empty.
std::vector<std::string> PointsOf(const KeyBoxes& boxes, const TableDefinition& table, size_t most);

// Null: all rows.
// A condition that fixes the whole key by `column = value` of each column, as one for a single row mostly does: then each execution needs
// none of the sets above. WHERE a = ? AND b = 5 AND n > 3, with the key (a, b).
class PointKey {
 public:
  // nullopt: it does not. The condition must outlive it.
  static std::optional<PointKey> Of(BoundExpression& condition, const TableDefinition& table,
                                    const std::function<int(size_t)>& key_position);
  // The row, by the values of this execution; nullopt: the sets must tell: a value is NULL, or no value of a key.
  std::optional<std::string> Row(const TableDefinition& table) const;
  // Whether the condition has only these comparisons, so that the row meets it.
  bool is_all() const { return is_all_; }

 private:
  void Take(BoundExpression& condition, const std::function<int(size_t)>& key_position);

  std::vector<BoundExpression*> values_;  // by key column
  bool is_all_ = false;
};

std::shared_ptr<const filter::RowSet> RowsOf(const KeyBoxes& boxes, const TableDefinition& table);

}  // namespace klip::sql
