// The parameters of a statement. The parser numbered them; the plan reads them from slots.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sql/exec/expression.h"

namespace klip::sql {

class Parameters {
 public:
  Parameters() = default;
  // `types`: what an earlier plan of the statement found. Those that are missing follow from what stands beside a parameter.
  explicit Parameters(size_t count, std::span<const DataType> types = {});

  // From now on they are literals with these values, whose types need not be those that the plan would choose.
  // REQUIRES: a value for each parameter of the statement.
  void Fix(std::span<const Value> values) { values_.emplace(values.begin(), values.end()); }
  bool fixed() const { return values_.has_value(); }

  // REQUIRES: the statement has it, or Add returned it.
  BoundPtr Read(size_t position) const;
  const SlotPtr& slot(size_t position) const { return slots_[position]; }
  // A parameter that the plan itself sets.
  int Add(const DataType& type);

  // Called where a plan cannot be made without the value of a parameter: each execution plans again, with values.
  void NeedValues() { needs_values_ = true; }

  // Those of the statement; VARCHAR for one that nothing tells.
  std::vector<DataType> Types() const;
  // Whether an expression was made before its type was known, so that the statement must be planned again with Types().
  bool has_untyped() const;
  // Whether the plan can run with the values: each can be converted, without a loss, to all types as which it is read.
  bool Fit(std::span<const Value> values) const;
  // REQUIRES: they fit.
  void Set(std::span<const Value> values);

 private:
  size_t count_ = 0;
  std::vector<SlotPtr> slots_;  // first those of the statement
  std::optional<std::vector<Value>> values_;
  bool needs_values_ = false;
};

}  // namespace klip::sql
