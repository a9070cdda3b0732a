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

std::span<const std::span<const FunctionEntry>> Tables() {
  static const std::vector<std::span<const FunctionEntry>> kTables = {
      TextFunctions(),  CaseFunctions(), FormatFunctions(), MathFunctions(), RegexFunctions(),
      RoundFunctions(), TimeFunctions(), BytesFunctions(),  ArrayFunctions()};
  return kTables;
}

const FunctionEntry* FindFunction(std::string_view name) {
  for (std::span<const FunctionEntry> table : Tables()) {
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

namespace {

Status WrongArgument(std::string_view function, std::string_view expected, size_t at, const DataType& type) {
  return SqlError(203, "22005",
                  "Type mismatch. expected: [" + std::string(expected) +
                      "] but was: " + std::string(TypeName(type.type)) + (type.array ? " ARRAY" : "") + " at " +
                      std::string(function) + " argument " + std::to_string(at + 1));
}

// Of the argument that is the function's array; kNull: it has none, or nothing is known of it.
DataType ArrayType(const FunctionEntry& entry, std::span<const FunctionArgument> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (entry.arguments[i].shape == Argument::Shape::kArray) {
      return arguments[i].type;
    }
  }
  return {};
}

// Whether the call may have an argument of this type there.
Status CheckArgument(const FunctionEntry& entry, size_t at, const DataType& type, const DataType& array) {
  using Shape = Argument::Shape;
  const Argument& argument = entry.arguments[at];
  if ((type.type == Type::kNull && !type.array) || argument.shape == Shape::kAny) {
    return Status::Ok();
  }
  const bool wants_array = argument.shape == Shape::kArray || argument.shape == Shape::kSimilarArray;
  if (wants_array != type.array && argument.shape != Shape::kOne) {
    return WrongArgument(entry.name, wants_array ? "BINARY ARRAY, VARBINARY ARRAY" : "BINARY, VARBINARY", at, type);
  }
  if (argument.shape == Shape::kElement || argument.shape == Shape::kSimilarArray) {
    return array.type == Type::kNull || type.type == Type::kNull || Coercible(type.type, array.type)
               ? Status::Ok()
               : SqlError(203, "22005",
                          "Type mismatch. " + std::string(TypeName(array.type)) + " and " +
                              std::string(TypeName(type.type)));
  }
  const auto fits = [&](Type to) { return Coercible(type.type, to); };
  if (argument.shape != Shape::kOne || (!type.array && std::ranges::any_of(argument.types, fits))) {
    return Status::Ok();
  }
  std::string expected;
  for (const Type one : argument.types) {
    expected += (expected.empty() ? "" : ", ") + std::string(TypeName(one));
  }
  return WrongArgument(entry.name, expected, at, type);
}

}  // namespace

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

std::vector<FunctionShape> AllFunctions() {
  std::vector<FunctionShape> all;
  for (const std::span<const FunctionEntry> table : Tables()) {
    for (const FunctionEntry& entry : table) {
      all.push_back({entry.name, entry.required, entry.arguments.size()});
    }
  }
  return all;
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

DataType ParameterType(std::string_view name, size_t at, std::span<const FunctionArgument> arguments) {
  using Shape = Argument::Shape;
  const FunctionEntry* const entry = FindFunction(name);
  if (entry == nullptr || at >= entry->arguments.size() || arguments.size() > entry->arguments.size()) {
    return {.type = Type::kVarchar};
  }
  const Argument& argument = entry->arguments[at];
  const bool wants_array = argument.shape == Shape::kArray || argument.shape == Shape::kSimilarArray;
  if (argument.shape == Shape::kOne) {
    // ROUND(number, digits) and ROUND(time, unit)
    const bool of_time = IsTime(arguments[0].type.type);
    const bool by_text = arguments.size() > 1 && IsText(arguments[1].type.type);
    const auto is_time = [](Type type) { return IsTime(type); };
    const Type other = argument.types.back();
    return {.type = (is_time(argument.types.front()) && !by_text) || (other == Type::kInteger && !of_time)
                        ? other
                        : argument.types.front()};
  }
  for (const FunctionArgument& known : arguments) {
    if (known.type.type != Type::kNull && argument.shape != Shape::kScalar) {
      return {.type = known.type.type, .array = argument.shape == Shape::kAny ? known.type.array : wants_array};
    }
  }
  return {.type = Type::kVarchar, .array = wants_array};
}

Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> arguments) {
  const FunctionEntry* entry = FindFunction(name);
  if (entry == nullptr || arguments.size() < entry->required || arguments.size() > entry->arguments.size()) {
    return SqlError(6001, "42F01", "Function undefined. functionName=" + std::string(name));
  }
  const DataType array = ArrayType(*entry, arguments);
  for (size_t i = 0; i < arguments.size(); i++) {
    KLIP_RETURN_IF_ERROR(CheckArgument(*entry, i, NarrowType(arguments[i]), array));
  }
  if (entry->bind != nullptr) {
    return entry->bind(arguments);
  }
  return std::unique_ptr<BoundFunction>(std::make_unique<TableFunction>(entry, arguments));
}

}  // namespace klip::sql
