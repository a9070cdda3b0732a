// Phoenix's scalar functions. Pure; the clock is a parameter.
#pragma once

#include <cstdint>
#include <functional>
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
  int64_t now_ms = 0;     // start of the statement: CURRENT_DATE(), NOW()
  int64_t execution = 0;  // counts those of the statement
};

// A function with resolved argument types.
class BoundFunction {
 public:
  virtual ~BoundFunction() = default;
  const DataType& type() const { return type_; }
  // Whether it returns the same value for the same arguments throughout a statement: all but RAND.
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

// A scalar function, and how many arguments it takes.
struct FunctionShape {
  std::string_view name;
  size_t required = 0;
  size_t most = 0;
};
std::vector<FunctionShape> AllFunctions();

// How many arguments of a call mean something: a NULL at the end that is the default of an optional argument does not.
// `is_null(i)`: whether argument i is the literal NULL.
size_t MeaningfulArguments(std::string_view name, size_t arguments, const std::function<bool(size_t)>& is_null);

// Whether a mandatory argument is the constant NULL, for which Phoenix makes NULL of the whole call.
bool IsNullCall(std::string_view name, std::span<const FunctionArgument> arguments);

// The type that a parameter has as argument `at`, whose own type is kNull.
DataType ParameterType(std::string_view name, size_t at, std::span<const FunctionArgument> arguments);

// Errors, with Phoenix's numbers: no such function, wrong number of arguments, wrong types. Compiles constant patterns
// and formats once.
Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> arguments);

}  // namespace klip::sql
