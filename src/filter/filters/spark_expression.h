// The condition of a SparkSQLPushDownFilter, as a program of comparisons.
//
// hbase-spark writes a condition as words between single blanks: "( city == 0 AND ( visits > 1 OR visits isNull ) )". A number
// stands for a value that is sent beside the text; a gate has exactly two sides, in parentheses. Conditions of some thousand ORs
// come nested that deep, so nothing here recurses: the parser keeps the open gates in a list, and what it makes is a list of
// comparisons, each of which knows where to go on when it is true and when it is false.
//
//   ( a == 0 AND ( b > 1 OR c isNull ) )      0: a == value 0    true: 1       false: drop
//                                             1: b > value 1     true: keep    false: 2
//                                             2: c isNull        true: keep    false: drop
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip::filter {

enum class SparkOp : uint8_t {
  kEqual,
  kNotEqual,
  kStartsWith,
  kIsNull,
  kIsNotNull,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kPass,
};

class SparkExpression {
 public:
  // Places to go on that are no comparison.
  static constexpr size_t kKeep = SIZE_MAX;
  static constexpr size_t kDrop = SIZE_MAX - 1;

  struct Comparison {
    size_t column = 0;  // of columns()
    SparkOp op = SparkOp::kPass;
    size_t value = 0;  // of the filter's values, where the operator has one
    size_t if_true = kKeep;
    size_t if_false = kDrop;
  };

  // `values`: how many there are. Errors: kInvalidArgument, naming the byte of the text.
  static Expected<SparkExpression> Parse(std::string_view text, size_t values);

  // The names of columns that are compared, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  // What a row has of a column.
  struct Value {
    bool is_there = false;
    std::string bytes;
  };

  // Does the row pass? `of_row`: of each column. `values`: those of the filter. As in HBase, a row passes that cannot be
  // compared, as when a cell has too few bytes for a number: Spark looks at each row once more.
  bool Passes(const std::vector<Value>& of_row, const std::vector<std::string>& values) const;

 private:
  friend class SparkParser;

  std::vector<std::string> columns_;
  std::vector<Comparison> comparisons_;  // the first one is where to begin
};

}  // namespace klip::filter
