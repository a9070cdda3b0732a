// Phoenix's scalar functions. Pure; the clock is a parameter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/letter_case.h"
#include "klip/sql_value.h"
#include "klip/status.h"

namespace klip::sql {

// The environment of a function: the running statement.
struct FunctionContext {
  int64_t now_ms = 0;  // start of the statement: CURRENT_DATE(), NOW()
};

// A function with resolved argument types.
class BoundFunction {
 public:
  virtual ~BoundFunction() = default;
  const DataType& type() const { return type_; }
  // Whether it returns the same value for the same arguments throughout a statement: all but RAND without a seed.
  virtual bool is_constant() const { return true; }
  // Of UPPER and LOWER without a locale, which an index can contain; nullopt: other functions.
  std::optional<base::LetterCase> letter_case() const { return letter_case_; }
  void SetLetterCase(base::LetterCase letter_case) { letter_case_ = letter_case; }
  // Most return NULL for NULL; the function decides. `values` have the types that it was bound for. Thread-safe.
  virtual Expected<Value> Call(std::span<const Value> values, const FunctionContext& context) const = 0;

 protected:
  DataType type_;

 private:
  std::optional<base::LetterCase> letter_case_;
};

// What is known of an argument when the statement is prepared.
struct FunctionArgument {
  DataType type;
  const Value* constant = nullptr;  // null: only known at run time
};

// Whether a scalar function has this name (upper case). Aggregates are not included.
bool IsFunction(std::string_view name);

// Errors, with Phoenix's numbers: no such function, wrong number of arguments, wrong types. Compiles constant patterns
// and formats once.
Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> arguments);

}  // namespace klip::sql
