// Parts of times, the clock, and time zones.
#include "sql/types/codec.h"
#include "sql/types/date_format.h"
#include "sql/types/function_table.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

constexpr std::string_view kStandardFormat = "yyyy-MM-dd HH:mm:ss.SSS";

enum class TimePart : uint8_t { kYear, kMonth, kWeek, kDayOfYear, kDayOfMonth, kDayOfWeek, kHour, kMinute, kSecond };

int64_t PartOf(TimePart part, int64_t ms) {
  int64_t days = FloorDivide(ms, kMsPerDay);
  int64_t rest = ms - days * kMsPerDay;
  CivilDay day = DayOf(days);
  switch (part) {
    case TimePart::kYear:
      return day.year <= 0 ? day.year - 1 : day.year;
    case TimePart::kMonth:
      return day.month;
    case TimePart::kWeek:
      return WeekOfYear(days);
    case TimePart::kDayOfYear:
      return days - DaysSince1970({day.year, 1, 1}) + 1;
    case TimePart::kDayOfMonth:
      return day.day;
    case TimePart::kDayOfWeek:
      return WeekDay(days);
    case TimePart::kHour:
      return rest / 3'600'000;
    case TimePart::kMinute:
      return rest / 60'000 % 60;
    case TimePart::kSecond:
      return rest / 1000 % 60;
  }
  return 0;
}

DataType IntegerType(ArgumentTypes /*arguments*/) { return {Type::kInteger}; }

template <TimePart kPart>
Expected<Value> PartOfTime(std::span<const Value> values, std::span<const DataType> /*types*/) {
  return Value(Type::kInteger, PartOf(kPart, MillisOf(values[0])));
}

template <Type kType>
Expected<std::unique_ptr<BoundFunction>> BindNow(ArgumentTypes /*arguments*/) {
  return MakeBoundFunction({kType}, [](std::span<const Value>, const FunctionContext& context) -> Expected<Value> {
    return Value(kType, context.now_ms);
  });
}

using ZoneArgument = CompiledArgument<TimeZone>;

Expected<std::unique_ptr<BoundFunction>> BindConvertZone(ArgumentTypes arguments) {
  KLIP_ASSIGN_OR_RETURN(ZoneArgument from, ZoneArgument::Of(arguments, 1, TimeZone::Of));
  KLIP_ASSIGN_OR_RETURN(ZoneArgument to, ZoneArgument::Of(arguments, 2, TimeZone::Of));
  auto convert = [from, to](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const TimeZone> left, from.For(values[1]));
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const TimeZone> right, to.For(values[2]));
    int64_t ms = MillisOf(values[0]);
    return Value(Type::kDate, ms - left->OffsetAt(ms) + right->OffsetAt(ms));  // the offset of `from` as if ms were UTC
  };
  return MakeBoundFunction({Type::kDate}, convert);
}

Expected<std::unique_ptr<BoundFunction>> BindZoneOffset(ArgumentTypes arguments) {
  KLIP_ASSIGN_OR_RETURN(ZoneArgument zone, ZoneArgument::Of(arguments, 0, TimeZone::Of));
  auto offset = [zone](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const TimeZone> found, zone.For(values[0]));
    return Value(Type::kInteger, found->OffsetAt(MillisOf(values[1])) / 60'000);
  };
  return MakeBoundFunction({Type::kInteger}, offset);
}

// TO_DATE and related ones: parse texts in Phoenix's format, or by a pattern; in UTC, or in a zone.
struct TimeParser {
  Type type;
  CompiledArgument<DateFormat> format;
  ZoneArgument zone;

  Expected<Value> Parse(std::span<const Value> values, int64_t now_ms) const {
    auto has = [values](size_t at) { return at < values.size() && !values[at].is_null(); };
    if (!has(0)) {
      return Value();
    }
    std::shared_ptr<const TimeZone> of;
    if (has(2)) {
      KLIP_ASSIGN_OR_RETURN(of, zone.For(values[2]));
    }
    int64_t ms = 0;
    if (!has(1) || values[1].text() == kStandardFormat) {
      KLIP_ASSIGN_OR_RETURN(Value parsed, ParseTime(values[0].text(), Type::kDate));
      ms = of == nullptr ? parsed.integer() : of->ToUtc(parsed.integer());
    } else {
      KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const DateFormat> by, format.For(values[1]));
      KLIP_ASSIGN_OR_RETURN(ms, by->Parse(values[0].text(), of == nullptr ? TimeZone() : *of, now_ms));
    }
    return IsTimestamp(type) ? Value(type, Value::Timestamp{ms, 0}) : Value(type, ms);
  }
};

template <Type kType>
Expected<std::unique_ptr<BoundFunction>> BindToTime(ArgumentTypes arguments) {
  TimeParser parser{kType, {}, {}};
  if (arguments.size() > 1) {
    KLIP_ASSIGN_OR_RETURN(parser.format, CompiledArgument<DateFormat>::Of(arguments, 1, DateFormat::Of));
  }
  if (arguments.size() > 2) {
    KLIP_ASSIGN_OR_RETURN(parser.zone, ZoneArgument::Of(arguments, 2, TimeZone::Of));
  }
  return MakeBoundFunction(
      {kType},
      [parser](std::span<const Value> values, const FunctionContext& context) {
        return parser.Parse(values, context.now_ms);
      },
      Nulls::kPassed);
}

}  // namespace

std::span<const FunctionEntry> TimeFunctions() {
  static const std::vector<Type> kTime = {Type::kTimestamp};
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<FunctionEntry> kTable = {
      {"CURRENT_DATE", 0, {}, nullptr, nullptr, BindNow<Type::kDate>},
      {"CURRENT_TIME", 0, {}, nullptr, nullptr, BindNow<Type::kTime>},
      {"NOW", 0, {}, nullptr, nullptr, BindNow<Type::kDate>},
      {"TO_DATE", 1, {kText, kText, kText}, nullptr, nullptr, BindToTime<Type::kDate>},
      {"TO_TIME", 1, {kText, kText, kText}, nullptr, nullptr, BindToTime<Type::kTime>},
      {"TO_TIMESTAMP", 1, {kText, kText, kText}, nullptr, nullptr, BindToTime<Type::kTimestamp>},
      {"YEAR", 1, {kTime}, IntegerType, PartOfTime<TimePart::kYear>},
      {"MONTH", 1, {kTime}, IntegerType, PartOfTime<TimePart::kMonth>},
      {"WEEK", 1, {kTime}, IntegerType, PartOfTime<TimePart::kWeek>},
      {"DAYOFYEAR", 1, {kTime}, IntegerType, PartOfTime<TimePart::kDayOfYear>},
      {"DAYOFMONTH", 1, {kTime}, IntegerType, PartOfTime<TimePart::kDayOfMonth>},
      {"DAYOFWEEK", 1, {kTime}, IntegerType, PartOfTime<TimePart::kDayOfWeek>},
      {"HOUR", 1, {kTime}, IntegerType, PartOfTime<TimePart::kHour>},
      {"MINUTE", 1, {kTime}, IntegerType, PartOfTime<TimePart::kMinute>},
      {"SECOND", 1, {kTime}, IntegerType, PartOfTime<TimePart::kSecond>},
      {"CONVERT_TZ", 3, {kTime, kText, kText}, nullptr, nullptr, BindConvertZone},
      {"TIMEZONE_OFFSET", 2, {kText, {Type::kDate}}, nullptr, nullptr, BindZoneOffset},
  };
  return kTable;
}

}  // namespace klip::sql
