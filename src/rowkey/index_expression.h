// SQL expressions that indexes contain. Indexes are maintained below SQL, so SQL registers how their expressions are computed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::rowkey {

// An expression over a row. Thread-safe.
class IndexExpression {
 public:
  virtual ~IndexExpression() = default;

  // Equal for expressions that have the same value for each row: in this form, conditions of scans name them.
  virtual const std::string& identity() const = 0;
  // The cells that the value depends on: family and qualifier. Each once.
  virtual const std::vector<std::pair<std::string, std::string>>& inputs() const = 0;
  // The value, as the bytes of a cell of its type; nullopt: NULL, as if no row exists. `cells`: the values of the inputs; nullopt: the row
  // has no such cell. Errors: kInvalidArgument, SQL cannot compute it.
  virtual Expected<std::optional<std::string>> ValueOf(
      std::string_view row, std::span<const std::optional<std::string_view>> cells) const = 0;
};

// What conditions are in an index: the expression's value where it is true.
inline constexpr std::string_view kTrue = "\x01";

// `sql_table`: as in IndexDescriptor. Errors: kInvalidArgument, what SQL does not understand.
using IndexExpressionMaker = Expected<std::shared_ptr<const IndexExpression>> (*)(const std::string& expression,
                                                                                  const std::string& sql_table,
                                                                                  const TableDescriptor& table);

// Called once, before main, by SQL if the program contains it.
void SetIndexExpressionMaker(IndexExpressionMaker maker);
// Null: the program is without SQL.
IndexExpressionMaker GetIndexExpressionMaker();

}  // namespace klip::rowkey
