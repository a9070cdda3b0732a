// Phoenix's scalar functions, over values. Pure, but for the clock that is handed in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/sql_value.h"
#include "klip/status.h"

namespace klip::sql {

// What a function may ask of the statement that it is part of.
struct FunctionContext {
  int64_t now_ms = 0;  // of the statement: CURRENT_DATE(), NOW()
};

// One function with its arguments' types settled.
class BoundFunction {
 public:
  virtual ~BoundFunction() = default;
  const DataType& type() const { return type_; }
  // Gives the same value for the same arguments throughout a statement: all but RAND without a seed.
  virtual bool is_constant() const { return true; }
  // NULL in, NULL out for most; the function decides. `values` have the types that it was bound for. Thread-safe.
  virtual Expected<Value> Call(std::span<const Value> values, const FunctionContext& context) const = 0;

 protected:
  DataType type_;
};

// An argument as it is known when the statement is prepared.
struct FunctionArgument {
  DataType type;
  const Value* constant = nullptr;  // null: known at run time only
};

// Whether there is a scalar function of this name (upper case). Aggregates are not among them.
bool IsFunction(std::string_view name);

// Errors, with Phoenix's numbers: no such function, a wrong number of arguments, types that do not fit. Constant patterns and formats
// are compiled here, once.
Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> arguments);

}  // namespace klip::sql
