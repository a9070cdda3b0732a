// The condition of a SparkSQLPushDownFilter, as a program of comparisons.
//
// hbase-spark writes a condition as words separated by blanks: "( city == 0 AND ( visits > 1 OR visits isNull ) )". A
// number refers to a value that is sent separately. A gate (AND, OR) has exactly two operands, in parentheses. Some
// thousand ORs come nested that deep, so nothing here is recursive: the parser keeps a list of open gates, and produces a
// list of comparisons. Each comparison has two targets, one for true and one for false.
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
  // Targets that are not comparisons.
  static constexpr size_t kKeep = SIZE_MAX;
  static constexpr size_t kDrop = SIZE_MAX - 1;

  struct Comparison {
    size_t column = 0;  // index in columns()
    SparkOp op = SparkOp::kPass;
    size_t value = 0;  // index in the filter's values, if the operator has one
    size_t if_true = kKeep;
    size_t if_false = kDrop;
  };

  // `values`: their number. Errors: kInvalidArgument, naming the byte of the text.
  static Expected<SparkExpression> Parse(std::string_view text, size_t values);

  // The names of the compared columns, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  // A row's value of a column.
  struct Value {
    bool is_there = false;
    std::string bytes;
  };

  // Whether the row passes. `of_row`: its value of each column. `values`: those of the filter. As in HBase, a row passes
  // if it cannot be compared, for example if a cell has too few bytes for a number: Spark checks each row again.
  bool Passes(const std::vector<Value>& of_row, const std::vector<std::string>& values) const;

 private:
  friend class SparkParser;

  std::vector<std::string> columns_;
  std::vector<Comparison> comparisons_;  // evaluation starts at the first one
};

}  // namespace klip::filter
