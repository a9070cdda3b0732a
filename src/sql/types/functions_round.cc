// ROUND, CEIL, FLOOR and TRUNC.
#include "klip/sql.h"
#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

enum class Rounding : uint8_t { kHalfUp, kUp, kDown };  // kUp, kDown: to the next greater or smaller one

Expected<Decimal> RoundTo(const Decimal& value, int64_t scale, Rounding rounding) {
  if (scale > Decimal::kMaxDigits || scale < -Decimal::kMaxDigits) {
    return SqlError(201, "22000",
                    "Illegal data. Invalid second argument for scale: " + std::to_string(scale) +
                        ". The scale must be between 0 and 38 inclusive.");
  }
  auto to = static_cast<int>(scale);
  if (value.scale() <= to) {
    return value;
  }
  Decimal result = Rescale(value, to, rounding == Rounding::kHalfUp);
  if (rounding == Rounding::kUp && result < value) {
    return Add(result, Decimal(1, to));
  }
  return rounding == Rounding::kDown && result > value ? Subtract(result, Decimal(1, to)) : result;
}

// Whole numbers stay as they are, whatever the scale.
Expected<std::unique_ptr<BoundFunction>> BindRoundNumber(ArgumentTypes arguments, Rounding rounding) {
  if (arguments.size() > 1 && IsText(arguments[1].type.type)) {
    return SqlError(201, "22000", "Illegal data. Invalid second argument for scale");
  }
  bool whole = Coercible(arguments[0].type.type, Type::kBigint);
  auto round = [whole, rounding](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (whole || values[0].is_null()) {
      return values[0];
    }
    int64_t scale = values.size() > 1 && !values[1].is_null() ? values[1].integer() : 0;
    KLIP_ASSIGN_OR_RETURN(Value number, Convert(values[0], {Type::kDecimal}));
    KLIP_ASSIGN_OR_RETURN(Decimal rounded, RoundTo(number.decimal(), scale, rounding));
    return Value::Number(Normalized(rounded));
  };
  return MakeBoundFunction(whole ? arguments[0].type : DataType{Type::kDecimal}, round, Nulls::kPassed);
}

template <Rounding kRounding>
Expected<std::unique_ptr<BoundFunction>> BindRound(ArgumentTypes arguments) {
  return BindRoundNumber(arguments, kRounding);
}

}  // namespace

std::span<const FunctionEntry> RoundFunctions() {
  static const std::vector<std::vector<Type>> kArguments = {
      {Type::kDecimal}, {Type::kVarchar, Type::kInteger}, {Type::kInteger}};
  static const std::vector<FunctionEntry> kTable = {
      {"ROUND", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kHalfUp>},
      {"CEIL", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kUp>},
      {"FLOOR", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kDown>},
      {"TRUNC", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kDown>},
  };
  return kTable;
}

}  // namespace klip::sql
