// TO_CHAR and TO_NUMBER.
#include "sql/types/codec.h"
#include "sql/types/date_format.h"
#include "sql/types/function_table.h"
#include "sql/types/number_format.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

constexpr std::string_view kNumberPattern = "#,##0.###";  // Phoenix's default

bool HasArgument(std::span<const Value> values, size_t at) { return at < values.size() && !values[at].is_null(); }

Expected<CompiledArgument<NumberFormat>> NumberPattern(ArgumentTypes arguments) {
  return arguments.size() > 1 ? CompiledArgument<NumberFormat>::Of(arguments, 1, NumberFormat::Of)
                              : CompiledArgument<NumberFormat>();
}

Expected<std::unique_ptr<BoundFunction>> BindTimeToChar(ArgumentTypes arguments) {
  CompiledArgument<DateFormat> pattern;
  if (arguments.size() > 1) {
    KLIP_ASSIGN_OR_RETURN(pattern, CompiledArgument<DateFormat>::Of(arguments, 1, DateFormat::Of));
  }
  auto print = [pattern](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[0].is_null()) {
      return Value();
    }
    if (!HasArgument(values, 1)) {
      return Value::Text(TimeText(MillisOf(values[0])));
    }
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const DateFormat> format, pattern.For(values[1]));
    return Value::Text(format->Format(MillisOf(values[0])));
  };
  return MakeBoundFunction({Type::kVarchar}, print, Nulls::kPassed);
}

Expected<std::unique_ptr<BoundFunction>> BindToChar(ArgumentTypes arguments) {
  if (IsTime(arguments[0].type.type)) {
    return BindTimeToChar(arguments);
  }
  KLIP_ASSIGN_OR_RETURN(CompiledArgument<NumberFormat> pattern, NumberPattern(arguments));
  KLIP_ASSIGN_OR_RETURN(NumberFormat standard, NumberFormat::Of(kNumberPattern));
  auto print = [pattern, standard](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[0].is_null()) {
      return Value();
    }
    if (!HasArgument(values, 1)) {
      return Value::Text(standard.Format(values[0]));
    }
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const NumberFormat> format, pattern.For(values[1]));
    return Value::Text(format->Format(values[0]));
  };
  return MakeBoundFunction({Type::kVarchar}, print, Nulls::kPassed);
}

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') {
    text.remove_suffix(1);
  }
  return text;
}

// For a time: its milliseconds.
Expected<std::unique_ptr<BoundFunction>> BindToNumber(ArgumentTypes arguments) {
  bool time = IsTime(arguments[0].type.type);
  CompiledArgument<NumberFormat> pattern;
  if (!time) {
    KLIP_ASSIGN_OR_RETURN(pattern, NumberPattern(arguments));
  }
  auto parse = [time, pattern](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[0].is_null()) {
      return Value();
    }
    if (time) {
      return Value::Number(Decimal(MillisOf(values[0])));
    }
    std::string text(Stripped(values[0].text()));
    if (!HasArgument(values, 1)) {
      KLIP_ASSIGN_OR_RETURN(Value number, Convert(Value(Type::kVarchar, text), {Type::kDecimal}));
      return Value::Number(Normalized(number.decimal()));
    }
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const NumberFormat> format, pattern.For(values[1]));
    return format->Parse(text);
  };
  return MakeBoundFunction({Type::kDecimal}, parse, Nulls::kPassed);
}

}  // namespace

std::span<const FunctionEntry> FormatFunctions() {
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<FunctionEntry> kTable = {
      {"TO_CHAR", 1, {{Type::kTimestamp, Type::kDecimal}, kText}, nullptr, nullptr, BindToChar},
      {"TO_NUMBER", 1, {{Type::kVarchar, Type::kTimestamp}, kText}, nullptr, nullptr, BindToNumber},
  };
  return kTable;
}

}  // namespace klip::sql
