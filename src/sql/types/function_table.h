// The format in which the files of functions list them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/types/functions.h"

namespace klip::sql {

using ArgumentTypes = std::span<const FunctionArgument>;

// What an argument may be. NULL may be each of them.
struct Argument {
  enum class Shape : uint8_t {
    kOne,          // a value that may be coerced to one of the types
    kScalar,       // a value that is no array
    kAny,          // any value
    kArray,        // an array
    kElement,      // what may be an element of the function's array
    kSimilarArray  // an array whose elements may be elements of the function's array
  };

  Argument(std::initializer_list<Type> of) : types(of) {}   // NOLINT(google-explicit-constructor): tables list them
  Argument(std::vector<Type> of) : types(std::move(of)) {}  // NOLINT(google-explicit-constructor)
  Argument(Shape of) : shape(of) {}                         // NOLINT(google-explicit-constructor)

  Shape shape = Shape::kOne;
  std::vector<Type> types;
};

// One function. `call` gets non-NULL values of the arguments' types; `types` are those that it was bound for.
struct FunctionEntry {
  std::string_view name;
  size_t required;  // the number of mandatory arguments
  std::vector<Argument> arguments;
  DataType (*type)(ArgumentTypes arguments) = nullptr;
  Expected<Value> (*call)(std::span<const Value> values, std::span<const DataType> types) = nullptr;
  // Instead of the two: creates the function for these arguments, with MakeBoundFunction.
  Expected<std::unique_ptr<BoundFunction>> (*bind)(ArgumentTypes arguments) = nullptr;
};

using FunctionBody = std::function<Expected<Value>(std::span<const Value> values, const FunctionContext& context)>;
enum class Nulls : uint8_t { kGiveNull, kPassed };  // the effect of a NULL among the values; kPassed: the body gets it
std::unique_ptr<BoundFunction> MakeBoundFunction(const DataType& type, FunctionBody body,
                                                 Nulls nulls = Nulls::kGiveNull, bool constant = true);

// Compiles a text (a pattern, a format) with `make`: once if the argument is constant, else for each call.
template <typename Compiled>
class CompiledArgument {
 public:
  using Make = Expected<Compiled> (*)(std::string_view text);

  static Expected<CompiledArgument> Of(ArgumentTypes arguments, size_t at, Make make) {
    CompiledArgument result;
    result.make_ = make;
    const Value* constant = arguments[at].constant;
    if (constant != nullptr && !constant->is_null()) {
      KLIP_ASSIGN_OR_RETURN(Compiled compiled, make(constant->text()));
      result.compiled_ = std::make_shared<const Compiled>(std::move(compiled));
    }
    return result;
  }
  Expected<std::shared_ptr<const Compiled>> For(const Value& value) const {
    if (compiled_ != nullptr) {
      return compiled_;
    }
    KLIP_ASSIGN_OR_RETURN(Compiled compiled, make_(value.text()));
    return std::shared_ptr<const Compiled>(std::make_shared<const Compiled>(std::move(compiled)));
  }

 private:
  Make make_ = nullptr;
  std::shared_ptr<const Compiled> compiled_;
};

// The maximum size of results whose size arguments determine: LPAD, ARRAY_FILL. Otherwise error 206 (22003).
constexpr size_t kMaxResultBytes = size_t{64} << 20;
Status ResultTooLarge(std::string_view function);

std::span<const FunctionEntry> TextFunctions();
std::span<const FunctionEntry> ArrayFunctions();
std::span<const FunctionEntry> BytesFunctions();
std::span<const FunctionEntry> CaseFunctions();
std::span<const FunctionEntry> FormatFunctions();
std::span<const FunctionEntry> MathFunctions();
std::span<const FunctionEntry> RegexFunctions();
std::span<const FunctionEntry> RoundFunctions();
std::span<const FunctionEntry> TimeFunctions();

}  // namespace klip::sql
