// ROUND, CEIL, FLOOR and TRUNC.
#include <algorithm>
#include <array>
#include <cctype>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

enum class Rounding : uint8_t { kHalfUp, kUp, kDown };  // kUp, kDown: to the next greater or smaller value

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

// Whole numbers do not change, whatever the scale.
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

enum class TimeUnit : uint8_t { kDay, kHour, kMinute, kSecond, kMillisecond, kWeek, kMonth, kYear };

Expected<TimeUnit> ParseUnit(std::string_view text) {
  constexpr std::array<std::string_view, 8> kNames = {"DAY",         "HOUR", "MINUTE", "SECOND",
                                                      "MILLISECOND", "WEEK", "MONTH",  "YEAR"};
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  auto found = std::find(kNames.begin(), kNames.end(), upper);
  if (found == kNames.end()) {
    return SqlError(201, "22000",
                    "Illegal data. Invalid value of time unit " + std::string(text) +
                        ". Only a time unit value that belongs to one of these : DAY, HOUR, MINUTE, SECOND, "
                        "MILLISECOND, WEEK, MONTH, YEAR is allowed.");
  }
  return static_cast<TimeUnit>(found - kNames.begin());
}

// Fixed units, as in Phoenix: adds half of the unit, or all but one millisecond, and cuts towards zero. Before 1970 that
// rounds up.
Expected<int64_t> RoundClock(int64_t ms, TimeUnit unit, int64_t multiplier, Rounding rounding) {
  constexpr std::array<int64_t, 5> kUnits = {kMsPerDay, 3'600'000, 60'000, 1000, 1};
  int64_t step = kUnits[static_cast<size_t>(unit)] * multiplier;
  if (step <= 0) {
    return SqlError(201, "22000", "Illegal data. The multiplier of a time unit must be positive");
  }
  int64_t add = rounding == Rounding::kHalfUp ? step / 2 : rounding == Rounding::kUp ? step - 1 : 0;
  bool room = ms <= INT64_MAX - std::max<int64_t>(add, 0);
  return (room ? (ms + add) / step : (ms - add) / step + 1) * step;
}

// Calendar units: half to the even week, month or year.
int64_t RoundCalendar(int64_t ms, TimeUnit unit, Rounding rounding) {
  int64_t days = FloorDivide(ms, kMsPerDay);
  CivilDay day = DayOf(days);
  int64_t first = days - WeekDay(days) + 1;
  int64_t next = first + 7;
  int64_t number = WeekOfYear(next);  // of the following one
  if (unit == TimeUnit::kMonth) {
    first = DaysSince1970({day.year, day.month, 1});
    next = DaysSince1970({day.year + (day.month == 12 ? 1 : 0), day.month % 12 + 1, 1});
    number = day.month % 12 + 1;
  } else if (unit == TimeUnit::kYear) {
    first = DaysSince1970({day.year, 1, 1});
    next = DaysSince1970({day.year + 1, 1, 1});
    number = day.year + 1;
  }
  int64_t down = ms - first * kMsPerDay;
  int64_t up = next * kMsPerDay - ms;
  bool to_next = rounding == Rounding::kUp     ? down > 0
                 : rounding == Rounding::kDown ? false
                                               : up < down || (up == down && number % 2 == 0);
  return (to_next ? next : first) * kMsPerDay;
}

Expected<int64_t> RoundTime(int64_t ms, TimeUnit unit, int64_t multiplier, Rounding rounding) {
  return unit >= TimeUnit::kWeek ? RoundCalendar(ms, unit, rounding) : RoundClock(ms, unit, multiplier, rounding);
}

// A TIMESTAMP becomes a DATE, except where Phoenix rounds its nanoseconds to milliseconds.
Expected<std::unique_ptr<BoundFunction>> BindRoundTime(ArgumentTypes arguments, Rounding rounding) {
  const DataType type = arguments[0].type.type == Type::kNull ? DataType{Type::kDate} : arguments[0].type;
  if (arguments.size() < 2 || !IsText(arguments[1].type.type)) {
    return SqlError(201, "22000", "Illegal data. No time unit value specified.");
  }
  KLIP_ASSIGN_OR_RETURN(CompiledArgument<TimeUnit> unit, CompiledArgument<TimeUnit>::Of(arguments, 1, ParseUnit));
  TimeUnit known = TimeUnit::kDay;
  if (arguments[1].constant != nullptr && !arguments[1].constant->is_null()) {
    KLIP_ASSIGN_OR_RETURN(known, ParseUnit(arguments[1].constant->text()));
  }
  bool nanos =
      IsTimestamp(type.type) && rounding != Rounding::kDown && known == TimeUnit::kMillisecond && arguments.size() == 2;
  if (nanos) {
    return MakeBoundFunction(
        type, [type = type.type, rounding](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
          Value::Timestamp time = values[0].timestamp();
          bool up = time.nanos >= (rounding == Rounding::kUp ? 1 : 500'000);
          return up ? Value(type, Value::Timestamp{time.ms + 1, 0}) : values[0];
        });
  }
  Type to = type.type == Type::kTimestamp           ? Type::kDate
            : type.type == Type::kUnsignedTimestamp ? Type::kUnsignedDate
                                                    : type.type;
  return MakeBoundFunction(
      {to}, [unit, to, rounding](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
        KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const TimeUnit> by, unit.For(values[1]));
        int64_t multiplier = values.size() > 2 ? values[2].integer() : 1;
        KLIP_ASSIGN_OR_RETURN(int64_t rounded, RoundTime(MillisOf(values[0]), *by, multiplier, rounding));
        return Value(to, rounded);
      });
}

template <Rounding kRounding>
Expected<std::unique_ptr<BoundFunction>> BindRound(ArgumentTypes arguments) {
  const Type type = arguments[0].type.type;
  const bool time = IsTime(type) || (type == Type::kNull && arguments.size() > 1 && IsText(arguments[1].type.type));
  return time ? BindRoundTime(arguments, kRounding) : BindRoundNumber(arguments, kRounding);
}

}  // namespace

std::span<const FunctionEntry> RoundFunctions() {
  static const std::vector<Argument> kArguments = {
      {Type::kTimestamp, Type::kDecimal}, {Type::kVarchar, Type::kInteger}, {Type::kInteger}};
  static const std::vector<FunctionEntry> kTable = {
      {"ROUND", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kHalfUp>},
      {"CEIL", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kUp>},
      {"FLOOR", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kDown>},
      {"TRUNC", 1, kArguments, nullptr, nullptr, BindRound<Rounding::kDown>},
  };
  return kTable;
}

}  // namespace klip::sql
