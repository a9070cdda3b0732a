#include "sql/types/functions.h"

#include <algorithm>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

class TableFunction : public BoundFunction {
 public:
  TableFunction(const FunctionEntry* entry, std::span<const FunctionArgument> arguments) : entry_(entry) {
    type_ = entry->type(arguments);
    for (const FunctionArgument& argument : arguments) {
      types_.push_back(argument.type);
    }
  }

  Expected<Value> Call(std::span<const Value> values, const FunctionContext& /*context*/) const override {
    bool null = std::any_of(values.begin(), values.end(), [](const Value& value) { return value.is_null(); });
    return null ? Value() : entry_->call(values, types_);
  }

 private:
  const FunctionEntry* entry_;  // of a static table
  std::vector<DataType> types_;
};

const FunctionEntry* FindFunction(std::string_view name) {
  for (std::span<const FunctionEntry> table : {TextFunctions(), MathFunctions()}) {
    for (const FunctionEntry& entry : table) {
      if (entry.name == name) {
        return &entry;
      }
    }
  }
  return nullptr;
}

Status WrongArgument(const FunctionEntry& entry, size_t at, const DataType& type) {
  std::string expected;
  for (Type allowed : entry.arguments[at]) {
    expected += (expected.empty() ? "[" : ", ") + std::string(TypeName(allowed));
  }
  return SqlError(203, "22005",
                  "Type mismatch. expected: " + expected + "] but was: " + std::string(TypeName(type.type)) +
                      (type.array ? " ARRAY" : "") + " at " + std::string(entry.name) + " argument " +
                      std::to_string(at + 1));
}

}  // namespace

bool IsFunction(std::string_view name) { return FindFunction(name) != nullptr; }

Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> arguments) {
  const FunctionEntry* entry = FindFunction(name);
  if (entry == nullptr || arguments.size() < entry->required || arguments.size() > entry->arguments.size()) {
    return SqlError(6001, "42F01", "Function undefined. functionName=" + std::string(name));
  }
  for (size_t i = 0; i < arguments.size(); i++) {
    const DataType& type = arguments[i].type;
    const std::vector<Type>& allowed = entry->arguments[i];
    bool fits = std::any_of(allowed.begin(), allowed.end(), [&](Type to) { return Coercible(type.type, to); });
    if (type.array || !fits) {
      return WrongArgument(*entry, i, type);
    }
  }
  return std::unique_ptr<BoundFunction>(std::make_unique<TableFunction>(entry, arguments));
}

}  // namespace klip::sql
