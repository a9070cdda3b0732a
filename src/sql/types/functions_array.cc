// Functions of arrays. Element numbers start at 1.
#include <algorithm>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"
#include "sql/types/memory.h"

namespace klip::sql {
namespace {

DataType OneOf(DataType type) {
  type.array = false;
  return type;
}

DataType ManyOf(DataType type) {
  type.array = true;
  return type;
}

bool IsNullType(const DataType& type) { return type.type == Type::kNull; }

// `element` converted to the array's element type. Errors: 203, 206.
Expected<Value> AsElement(const Value& element, const DataType& array) {
  return Convert(element, OneOf(array), /*cast=*/true);
}

Expected<std::unique_ptr<BoundFunction>> BindArrayLength(ArgumentTypes /*arguments*/) {
  return MakeBoundFunction({Type::kInteger},
                           [](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
                             return Value(Type::kInteger, static_cast<int64_t>(values[0].array().size()));
                           });
}

Expected<std::unique_ptr<BoundFunction>> BindArrayElement(ArgumentTypes arguments) {
  auto element = [](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    int64_t at = values[1].integer();
    if (at < 0) {
      return SqlError(201, "22000", "Illegal data. Index cannot be negative :" + std::to_string(at));
    }
    const Value::Array& elements = values[0].array();
    return at == 0 || static_cast<uint64_t>(at) > elements.size() ? Value() : elements[static_cast<size_t>(at - 1)];
  };
  return MakeBoundFunction(OneOf(arguments[0].type), element);
}

// Changes a non-NULL array by a value of its element type, or another array.
using ArrayChange = void (*)(Value::Array* array, const Value& other);

void AppendElement(Value::Array* array, const Value& other) { array->push_back(other); }
void PrependElement(Value::Array* array, const Value& other) { array->insert(array->begin(), other); }
void AppendArray(Value::Array* array, const Value& other) {
  array->insert(array->end(), other.array().begin(), other.array().end());
}
void RemoveElement(Value::Array* array, const Value& other) {
  std::erase_if(*array, [&other](const Value& value) { return !value.is_null() && CompareValues(value, other) == 0; });
}

struct ArrayChangeOptions {
  size_t array = 0;     // index of the array argument
  bool arrays = false;  // both arguments are arrays
  bool makes = true;    // a NULL array counts as empty
  bool nulls = false;   // a NULL becomes an element, for types of variable size
};

Expected<std::unique_ptr<BoundFunction>> BindChange(ArgumentTypes arguments, const ArrayChangeOptions& options,
                                                    ArrayChange change) {
  size_t at = options.array;
  DataType array = arguments[at].type;
  const DataType& other = arguments[1 - at].type;
  if (IsNullType(array)) {
    array = ManyOf(other);
  }
  auto changed = [at, array, options, change](std::span<const Value> values,
                                              const FunctionContext&) -> Expected<Value> {
    const Value& to = values[at];
    bool keep = values[1 - at].is_null() && !(options.nulls && FixedBytes(OneOf(array)) == 0);
    if (keep || (to.is_null() && !options.makes)) {
      return to;
    }
    KLIP_ASSIGN_OR_RETURN(Value more,
                          options.arrays ? Convert(values[1], array, /*cast=*/true) : AsElement(values[1 - at], array));
    Value::Array elements = to.is_null() ? Value::Array() : to.array();
    change(&elements, more);
    return elements.empty() ? Value() : Value(array.type, std::move(elements));
  };
  return MakeBoundFunction(array, changed, Nulls::kPassed);
}

Expected<std::unique_ptr<BoundFunction>> BindAppend(ArgumentTypes arguments) {
  return BindChange(arguments, {}, AppendElement);
}
Expected<std::unique_ptr<BoundFunction>> BindPrepend(ArgumentTypes arguments) {
  return BindChange(arguments, {.array = 1, .nulls = true}, PrependElement);
}
Expected<std::unique_ptr<BoundFunction>> BindConcatenate(ArgumentTypes arguments) {
  return BindChange(arguments, {.arrays = true}, AppendArray);
}
Expected<std::unique_ptr<BoundFunction>> BindRemove(ArgumentTypes arguments) {
  return BindChange(arguments, {.makes = false}, RemoveElement);
}

Expected<std::unique_ptr<BoundFunction>> BindFill(ArgumentTypes arguments) {
  DataType type = arguments[0].type;
  auto fill = [type](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[1].is_null() || (values[0].is_null() && FixedBytes(type) > 0)) {
      return Value();
    }
    int64_t count = values[1].integer();
    if (count <= 0) {
      return SqlError(201, "22000", "Illegal data. Array length should be greater than 0");
    }
    if (static_cast<uint64_t>(count) > kMaxResultBytes / (sizeof(Value) + values[0].ToString().size())) {
      return ResultTooLarge("ARRAY_FILL");
    }
    KLIP_RETURN_IF_ERROR(CheckRoomFor(static_cast<size_t>(count) * (sizeof(Value) + values[0].ToString().size())));
    return Value(type.type, Value::Array(static_cast<size_t>(count), values[0]));
  };
  return MakeBoundFunction(ManyOf(type), fill, Nulls::kPassed);
}

// Omits NULLs and their delimiters, unless there is a text for them.
std::string JoinElements(const Value::Array& array, std::string_view delimiter, const std::string* null) {
  std::string text;
  bool pending = false;  // a delimiter is due, since the last non-NULL element
  for (size_t i = 0; i < array.size(); i++) {
    if (!array[i].is_null() || null != nullptr) {
      text += array[i].is_null() ? *null : array[i].ToString();
      pending = true;
    }
    bool more = i + 1 < array.size() && (null != nullptr || !array[i + 1].is_null());
    if (more && pending) {
      text += delimiter;
      pending = false;
    }
  }
  return text;
}

Expected<std::unique_ptr<BoundFunction>> BindToString(ArgumentTypes /*arguments*/) {
  auto join = [](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[0].is_null() || values[1].is_null()) {
      return Value();
    }
    bool nulls = values.size() > 2 && !values[2].is_null();
    return Value::Text(JoinElements(values[0].array(), values[1].text(), nulls ? &values[2].text() : nullptr));
  };
  return MakeBoundFunction({Type::kVarchar}, join, Nulls::kPassed);
}

// Without a delimiter, splits into characters. Drops empty texts at the end, like Java's split.
Value::Array SplitByDelimiter(std::string_view text, std::string_view delimiter) {
  Value::Array parts;
  for (size_t from = 0; from <= text.size();) {
    size_t end = text.find(delimiter, from + (delimiter.empty() ? 1 : 0));
    while (delimiter.empty() && end < text.size() && (text[end] & 0xC0) == 0x80) {
      end++;
    }
    parts.push_back(Value::Text(std::string(text.substr(from, end - from))));
    from = end == std::string_view::npos ? text.size() + 1 : end + delimiter.size();
  }
  while (parts.size() > 1 && parts.back().is_null()) {
    parts.pop_back();
  }
  return parts;
}

Expected<std::unique_ptr<BoundFunction>> BindToArray(ArgumentTypes /*arguments*/) {
  auto split = [](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[0].is_null()) {
      return Value();
    }
    Value::Array parts =
        SplitByDelimiter(values[0].text(), values[1].is_null() ? std::string_view() : values[1].text());
    if (values.size() > 2 && !values[2].is_null() && !values[1].is_null()) {
      std::replace(parts.begin(), parts.end(), Value::Text(values[2].text()), Value());
    }
    return Value(Type::kVarchar, std::move(parts));
  };
  return MakeBoundFunction({.type = Type::kVarchar, .array = true}, split, Nulls::kPassed);
}

}  // namespace

std::span<const FunctionEntry> ArrayFunctions() {
  using enum Argument::Shape;
  static const std::vector<Type> kText = {Type::kVarchar, Type::kChar};
  static const std::vector<Type> kWhole = {Type::kInteger};
  static const std::vector<FunctionEntry> kTable = {
      {"ARRAY_LENGTH", 1, {kArray}, nullptr, nullptr, BindArrayLength},
      {"ARRAY_ELEM", 2, {kArray, kWhole}, nullptr, nullptr, BindArrayElement},
      {"ARRAY_APPEND", 2, {kArray, kElement}, nullptr, nullptr, BindAppend},
      {"ARRAY_PREPEND", 2, {kElement, kArray}, nullptr, nullptr, BindPrepend},
      {"ARRAY_CAT", 2, {kArray, kSimilarArray}, nullptr, nullptr, BindConcatenate},
      {"ARRAY_REMOVE", 2, {kArray, kElement}, nullptr, nullptr, BindRemove},
      {"ARRAY_FILL", 2, {kScalar, kWhole}, nullptr, nullptr, BindFill},
      {"ARRAY_TO_STRING", 2, {kArray, kText, kText}, nullptr, nullptr, BindToString},
      {"STRING_TO_ARRAY", 2, {kText, kText, kText}, nullptr, nullptr, BindToArray},
  };
  return kTable;
}

}  // namespace klip::sql
