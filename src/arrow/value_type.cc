#include "arrow/value_type.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "klip/bytes.h"
#include "rowkey/key_codec.h"
#include "rowkey/schema_parser.h"
#include "rowkey/time_text.h"

namespace klip::arrow {
namespace {

constexpr int kMaxInt64Digits = 18;  // every number of so many digits is an int64

Status Refuse(std::string_view bytes, std::string_view why) {
  return {Code::kInvalidArgument, rowkey::Shown(bytes) + " " + std::string(why)};
}

Status WrongWidth(std::string_view bytes, size_t wanted) {
  return {Code::kInvalidArgument,
          rowkey::Shown(bytes) + " has " + std::to_string(bytes.size()) + " bytes, not " + std::to_string(wanted)};
}

uint64_t ReadNumber(std::string_view bytes) {
  uint64_t value = 0;
  for (const char c : bytes) {
    value = (value << 8) | static_cast<unsigned char>(c);
  }
  return value;
}

void AppendWhole(int width, int64_t value, ColumnBuilder* out) {
  switch (width) {
    case 1:
      return out->Append(static_cast<int8_t>(value));
    case 2:
      return out->Append(static_cast<int16_t>(value));
    case 4:
      return out->Append(static_cast<int32_t>(value));
    default:
      return out->Append(value);
  }
}

// "20140628" as days since 1970.
std::optional<int32_t> DayNumber(std::string_view digits) {
  namespace chrono = std::chrono;
  const auto number = [digits](size_t from, size_t count) {
    unsigned value = 0;
    for (const char c : digits.substr(from, count)) {
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
  };
  const chrono::year_month_day day(chrono::year(static_cast<int>(number(0, 4))), chrono::month(number(4, 2)),
                                   chrono::day(number(6, 2)));
  if (!day.ok()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(chrono::sys_days(day).time_since_epoch().count());
}

// "20140628", if `ms` is midnight of a day.
Expected<std::string> DateText(int64_t ms) {
  constexpr int64_t kDayMs = 86'400'000;
  std::optional<std::string> day = rowkey::DayOf(ms);
  return day.has_value() && ms % kDayMs == 0
             ? Expected<std::string>(*std::move(day))
             : Status(Code::kInvalidArgument, "the time is not a day of the years 0 to 9999");
}

// A value as text, in the format of RowKeySchema's fields and the types of cells: "42", "20140628", "\x00A" for bytes.
Status TextOf(const KeyField& field, const ColumnReader& values, int64_t row, std::string* out) {
  switch (values.kind()) {
    case ValueKind::kInteger:
      *out = std::to_string(values.integer(row));
      return Status::Ok();
    case ValueKind::kUnsigned:
      *out = std::to_string(values.unsigned_integer(row));
      return Status::Ok();
    case ValueKind::kText:
    case ValueKind::kBytes:
      if (field.type == KeyFieldType::kBytes) {
        *out = ToStringBinary(values.bytes(row));
      } else {
        out->assign(values.bytes(row));
      }
      return Status::Ok();
    case ValueKind::kTime: {
      KLIP_ASSIGN_OR_RETURN(const int64_t ms, values.time_ms(row));
      if (field.type == KeyFieldType::kDate) {
        KLIP_ASSIGN_OR_RETURN(*out, DateText(ms));
      } else {
        *out = std::to_string(ms);
      }
      return Status::Ok();
    }
    default:
      return {Code::kInvalidArgument, "a boolean or a number with a fraction cannot be stored"};
  }
}

}  // namespace

Expected<ValueType> ValueType::OfCell(const std::string& text) {
  if (text == "boolean" || text == "f32" || text == "f64") {
    return ValueType(text == "boolean" ? Kind::kBoolean : text == "f32" ? Kind::kFloat : Kind::kDouble, {}, false);
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<KeyField> parsed, rowkey::ParseFields("x:" + text));
  KeyField field = std::move(parsed.front());
  if (parsed.size() != 1 || field.derived() || field.type == KeyFieldType::kHash) {
    return Status(Code::kInvalidArgument, "'" + text + "' is not a type of cells");
  }
  field.delimiter.reset();
  return ValueType(Kind::kField, std::move(field), /*in_key=*/false);
}

std::string ValueType::format() const {
  switch (kind_) {
    case Kind::kBoolean:
      return "b";
    case Kind::kFloat:
      return "f";
    case Kind::kDouble:
      return "g";
    case Kind::kField:
      break;
  }
  const auto by_width = [&](std::string_view letters) {
    return std::string(1, letters[static_cast<size_t>(std::countr_zero(static_cast<unsigned>(field_.width_bytes)))]);
  };
  switch (field_.type) {
    case KeyFieldType::kText:
      return "u";
    case KeyFieldType::kDigits:
      return field_.width_bytes <= kMaxInt64Digits ? "l" : "u";
    case KeyFieldType::kDate:
      return "tdD";
    case KeyFieldType::kUnsigned:
      return by_width("CSIL");
    case KeyFieldType::kSigned:
      return by_width("csil");
    case KeyFieldType::kTimestamp:
    case KeyFieldType::kReverseTimestamp:
      return "tsm:UTC";
    default:
      return "z";
  }
}

Status ValueType::Append(std::string_view bytes, ColumnBuilder* out) const {
  switch (kind_) {
    case Kind::kBoolean:
      if (bytes.size() != 1) {
        return WrongWidth(bytes, 1);
      }
      out->AppendBool(bytes[0] != 0);
      return Status::Ok();
    case Kind::kFloat:
      if (bytes.size() != sizeof(float)) {
        return WrongWidth(bytes, sizeof(float));
      }
      out->Append(std::bit_cast<float>(ReadBigEndian<uint32_t>(bytes.data())));
      return Status::Ok();
    case Kind::kDouble:
      if (bytes.size() != sizeof(double)) {
        return WrongWidth(bytes, sizeof(double));
      }
      out->Append(std::bit_cast<double>(ReadBigEndian<uint64_t>(bytes.data())));
      return Status::Ok();
    case Kind::kField:
      break;
  }
  if (field_.width_bytes > 0 && bytes.size() != static_cast<size_t>(field_.width_bytes)) {
    return WrongWidth(bytes, static_cast<size_t>(field_.width_bytes));
  }
  if (in_key_ && (field_.descending || field_.type == KeyFieldType::kReverseTimestamp)) {
    std::string flipped(bytes);
    rowkey::Flip(field_, &flipped);
    return AppendField(flipped, out);
  }
  return AppendField(bytes, out);
}

// `bytes` in the order of values.
Status ValueType::AppendField(std::string_view bytes, ColumnBuilder* out) const {
  switch (field_.type) {
    case KeyFieldType::kText:
      while (field_.width_bytes > 0 && bytes.ends_with(field_.pad)) {
        bytes.remove_suffix(1);
      }
      if (!base::IsUtf8(bytes)) {
        return Refuse(bytes, "is not UTF-8; read the column as bytes");
      }
      out->AppendBytes(bytes);
      return Status::Ok();
    case KeyFieldType::kDigits: {
      if (bytes.find_first_not_of("0123456789") != std::string_view::npos) {
        return Refuse(bytes, "does not consist of decimal digits");
      }
      if (bytes.size() > kMaxInt64Digits) {
        out->AppendBytes(bytes.substr(std::min(bytes.find_first_not_of('0'), bytes.size() - 1)));
        return Status::Ok();
      }
      int64_t number = 0;
      for (const char c : bytes) {
        number = number * 10 + (c - '0');
      }
      out->Append(number);
      return Status::Ok();
    }
    case KeyFieldType::kDate: {
      const bool digits = bytes.find_first_not_of("0123456789") == std::string_view::npos;
      const std::optional<int32_t> day = digits ? DayNumber(bytes) : std::nullopt;
      if (!day.has_value()) {
        return Refuse(bytes, "is not a day of the calendar");
      }
      out->Append(*day);
      return Status::Ok();
    }
    case KeyFieldType::kUnsigned:
      AppendWhole(field_.width_bytes, static_cast<int64_t>(ReadNumber(bytes)), out);
      return Status::Ok();
    case KeyFieldType::kSigned: {
      const uint64_t sign = in_key_ ? uint64_t{1} << (8 * field_.width_bytes - 1) : 0;
      AppendWhole(field_.width_bytes, static_cast<int64_t>(ReadNumber(bytes) ^ sign), out);
      return Status::Ok();
    }
    case KeyFieldType::kTimestamp:
    case KeyFieldType::kReverseTimestamp: {
      const uint64_t time = ReadNumber(bytes);
      if (time > static_cast<uint64_t>(INT64_MAX)) {
        return Refuse(bytes, "is not a timestamp");
      }
      out->Append(static_cast<int64_t>(time));
      return Status::Ok();
    }
    default:
      out->AppendBytes(bytes);
      return Status::Ok();
  }
}

Status ValueType::Encode(const ColumnReader& values, int64_t row, std::string* out) const {
  const bool whole = values.kind() == ValueKind::kInteger || values.kind() == ValueKind::kUnsigned;
  if (kind_ == Kind::kBoolean) {
    if (values.kind() != ValueKind::kBool) {
      return {Code::kInvalidArgument, "it requires booleans"};
    }
    out->assign(1, values.boolean(row) ? '\xff' : '\0');  // as Bytes.toBytes(boolean)
    return Status::Ok();
  }
  if (kind_ == Kind::kFloat || kind_ == Kind::kDouble) {
    if (values.kind() != ValueKind::kReal && !whole) {
      return {Code::kInvalidArgument, "it requires numbers"};
    }
    const double value = values.kind() == ValueKind::kReal      ? values.real(row)
                         : values.kind() == ValueKind::kInteger ? static_cast<double>(values.integer(row))
                                                                : static_cast<double>(values.unsigned_integer(row));
    *out = kind_ == Kind::kDouble ? BigEndian(std::bit_cast<uint64_t>(value))
                                  : BigEndian(std::bit_cast<uint32_t>(static_cast<float>(value)));
    return Status::Ok();
  }
  if (field_.width_bytes == 0 && (values.kind() == ValueKind::kBytes || values.kind() == ValueKind::kText)) {
    out->assign(values.bytes(row));
    return Status::Ok();
  }
  std::string text;
  KLIP_RETURN_IF_ERROR(TextOf(field_, values, row, &text));
  KLIP_ASSIGN_OR_RETURN(*out, rowkey::EncodeField(field_, text));
  if (field_.type == KeyFieldType::kSigned) {
    out->front() = static_cast<char>(out->front() ^ '\x80');
  }
  return Status::Ok();
}

Status ValueType::ToText(const ColumnReader& values, int64_t row, std::string* out) const {
  return TextOf(field_, values, row, out);
}

}  // namespace klip::arrow
