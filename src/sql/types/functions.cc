#include "sql/types/functions.h"

#include <algorithm>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

bool AnyNull(std::span<const Value> values) {
  return std::any_of(values.begin(), values.end(), [](const Value& value) { return value.is_null(); });
}

class TableFunction : public BoundFunction {
 public:
  TableFunction(const FunctionEntry* entry, std::span<const FunctionArgument> arguments) : entry_(entry) {
    type_ = entry->type(arguments);
    for (const FunctionArgument& argument : arguments) {
      types_.push_back(argument.type);
    }
  }

  Expected<Value> Call(std::span<const Value> values, const FunctionContext& /*context*/) const override {
    return AnyNull(values) ? Value() : entry_->call(values, types_);
  }

 private:
  const FunctionEntry* entry_;  // in a static table
  std::vector<DataType> types_;
};

const FunctionEntry* FindFunction(std::string_view name) {
  static const auto kTables = {TextFunctions(),  CaseFunctions(), FormatFunctions(), MathFunctions(), RegexFunctions(),
                               RoundFunctions(), TimeFunctions(), BytesFunctions(),  ArrayFunctions()};
  for (std::span<const FunctionEntry> table : kTables) {
    for (const FunctionEntry& entry : table) {
      if (entry.name == name) {
        return &entry;
      }
    }
  }
  return nullptr;
}

class BodyFunction : public BoundFunction {
 public:
  BodyFunction(const DataType& type, FunctionBody body, Nulls nulls, bool constant)
      : body_(std::move(body)), nulls_(nulls), constant_(constant) {
    type_ = type;
  }

  bool is_constant() const override { return constant_; }
  Expected<Value> Call(std::span<const Value> values, const FunctionContext& context) const override {
    return nulls_ == Nulls::kGiveNull && AnyNull(values) ? Value() : body_(values, context);
  }

 private:
  FunctionBody body_;
  Nulls nulls_;
  bool constant_;
};

}  // namespace

std::unique_ptr<BoundFunction> MakeBoundFunction(const DataType& type, FunctionBody body, Nulls nulls, bool constant) {
  return std::make_unique<BodyFunction>(type, std::move(body), nulls, constant);
}

Status WrongArgument(std::string_view function, std::span<const Type> allowed, size_t at, const DataType& type) {
  std::string expected;
  for (Type one : allowed) {
    expected += (expected.empty() ? "[" : ", ") + std::string(TypeName(one));
  }
  return SqlError(203, "22005",
                  "Type mismatch. expected: " + expected + "] but was: " + std::string(TypeName(type.type)) +
                      (type.array ? " ARRAY" : "") + " at " + std::string(function) + " argument " +
                      std::to_string(at + 1));
}

Status ResultTooLarge(std::string_view function) {
  return SqlError(206, "22003",
                  "The data exceeds the max capacity for the data type. " + std::string(function) + " gives at most " +
                      std::to_string(kMaxResultBytes) + " bytes");
}

// An INTEGER for a BIGINT that is one: -2 is a BIGINT.
DataType NarrowType(const FunctionArgument& argument) {
  const Value* const constant = argument.constant;
  const bool narrow = argument.type.type == Type::kBigint && !argument.type.array && constant != nullptr &&
                      Convert(*constant, {.type = Type::kInteger}).ok();
  return narrow ? DataType{.type = Type::kInteger} : argument.type;
}

bool IsFunction(std::string_view name) { return FindFunction(name) != nullptr; }

size_t MeaningfulArguments(std::string_view name, size_t arguments, const std::function<bool(size_t)>& is_null) {
  const FunctionEntry* const entry = FindFunction(name);
  if (entry == nullptr || arguments > entry->arguments.size() || name == "COALESCE") {
    return arguments;
  }
  while (arguments > entry->required && is_null(arguments - 1)) {
    --arguments;
  }
  return arguments;
}

bool IsNullCall(std::string_view name, std::span<const FunctionArgument> arguments) {
  static constexpr std::string_view kTakeNull[] = {"COALESCE", "ARRAY_APPEND", "ARRAY_PREPEND", "ARRAY_CAT",
                                                   "ARRAY_REMOVE"};
  const FunctionEntry* const entry = FindFunction(name);
  return entry != nullptr && std::ranges::find(kTakeNull, name) == std::end(kTakeNull) &&
         std::ranges::any_of(arguments.first(std::min(entry->required, arguments.size())),
                             [](const FunctionArgument& argument) {
                               return argument.constant != nullptr && argument.constant->is_null();
                             });
}

Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> arguments) {
  const FunctionEntry* entry = FindFunction(name);
  if (entry == nullptr || arguments.size() < entry->required || arguments.size() > entry->arguments.size()) {
    return SqlError(6001, "42F01", "Function undefined. functionName=" + std::string(name));
  }
  for (size_t i = 0; i < arguments.size(); i++) {
    const DataType type = NarrowType(arguments[i]);
    const std::vector<Type>& allowed = entry->arguments[i];
    bool fits = std::any_of(allowed.begin(), allowed.end(), [&](Type to) { return Coercible(type.type, to); });
    if (!allowed.empty() && (type.array || !fits)) {
      return WrongArgument(entry->name, allowed, i, type);
    }
  }
  if (entry->bind != nullptr) {
    return entry->bind(arguments);
  }
  return std::unique_ptr<BoundFunction>(std::make_unique<TableFunction>(entry, arguments));
}

}  // namespace klip::sql
