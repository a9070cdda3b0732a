#include "avatica/wire.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/errors.h"
#include "sql/types/codec.h"
#include "sql/types/number_text.h"

namespace klip::avatica {
namespace {

using sql::DataType;
using sql::Type;
using sql::Value;

constexpr int64_t kDayMs = 86'400'000;
constexpr uint32_t kJdbcArray = 2003;
constexpr uint32_t kJdbcArrayBase = 3000;  // Phoenix's codes for array parameters
constexpr uint32_t kNullable = 1;

// JDBC's names for the types of a result: Phoenix's unsigned types have the codes of the signed ones.
struct WireType {
  int jdbc;
  pb::Rep rep;
  const char* java;
};

WireType WireTypeOf(Type type) {
  switch (type) {
    case Type::kBoolean:
      return {16, pb::BOOLEAN, "java.lang.Boolean"};
    case Type::kTinyint:
    case Type::kUnsignedTinyint:
      return {-6, pb::BYTE, "java.lang.Byte"};
    case Type::kSmallint:
    case Type::kUnsignedSmallint:
      return {5, pb::SHORT, "java.lang.Short"};
    case Type::kInteger:
    case Type::kUnsignedInt:
      return {4, pb::INTEGER, "java.lang.Integer"};
    case Type::kBigint:
    case Type::kUnsignedLong:
      return {-5, pb::LONG, "java.lang.Long"};
    case Type::kFloat:
    case Type::kUnsignedFloat:
      return {6, pb::DOUBLE, "java.lang.Float"};
    case Type::kDouble:
    case Type::kUnsignedDouble:
      return {8, pb::DOUBLE, "java.lang.Double"};
    case Type::kDecimal:
      return {3, pb::OBJECT, "java.math.BigDecimal"};
    case Type::kChar:
      return {1, pb::STRING, "java.lang.String"};
    case Type::kBinary:
      return {-2, pb::BYTE_STRING, "[B"};
    case Type::kVarbinary:
      return {-3, pb::BYTE_STRING, "[B"};
    case Type::kDate:
    case Type::kUnsignedDate:
      return {91, pb::INTEGER, "java.sql.Date"};
    case Type::kTime:
    case Type::kUnsignedTime:
      return {92, pb::INTEGER, "java.sql.Time"};
    case Type::kTimestamp:
    case Type::kUnsignedTimestamp:
      return {93, pb::LONG, "java.sql.Timestamp"};
    case Type::kVarchar:
    case Type::kNull:
      return {12, pb::STRING, "java.lang.String"};
  }
  return {12, pb::STRING, "java.lang.String"};
}

int64_t DaysOf(int64_t ms) { return ms / kDayMs - (ms % kDayMs < 0 ? 1 : 0); }
int64_t MsOfDay(int64_t ms) { return ms % kDayMs + (ms % kDayMs < 0 ? kDayMs : 0); }

void WriteNull(pb::TypedValue* out) {
  out->set_type(pb::NULL_);
  out->set_null(true);
}

void WriteScalar(const Value& value, Type type, pb::TypedValue* out) {
  const Value::Data& data = value.data();
  out->set_type(WireTypeOf(type).rep);
  if (const auto* number = std::get_if<int64_t>(&data)) {
    bool date = type == Type::kDate || type == Type::kUnsignedDate;
    bool time = type == Type::kTime || type == Type::kUnsignedTime;
    out->set_number_value(date ? DaysOf(*number) : time ? MsOfDay(*number) : *number);
  } else if (const auto* truth = std::get_if<bool>(&data)) {
    out->set_bool_value(*truth);
  } else if (const auto* real = std::get_if<double>(&data)) {
    out->set_double_value(*real);
  } else if (const auto* decimal = std::get_if<sql::Decimal>(&data)) {
    out->set_type(pb::BIG_DECIMAL);
    out->set_string_value(decimal->ToString());
  } else if (const auto* time_stamp = std::get_if<Value::Timestamp>(&data)) {
    out->set_number_value(time_stamp->ms);
  } else if (const auto* text = std::get_if<std::string>(&data)) {
    if (out->type() == pb::BYTE_STRING) {
      out->set_bytes_value(*text);
    } else {
      out->set_string_value(value.ToString());
    }
  } else {
    WriteNull(out);
  }
}

}  // namespace

void WriteValue(const Value& value, const DataType& type, pb::ColumnValue* out) {
  if (value.is_array()) {
    out->set_has_array_value(true);
    for (const Value& item : value.array()) {
      pb::TypedValue* element = out->add_array_value();
      item.is_null() ? WriteNull(element) : WriteScalar(item, type.type, element);
    }
    return;
  }
  pb::TypedValue* scalar = out->mutable_scalar_value();
  value.is_null() ? WriteNull(scalar) : WriteScalar(value, type.type, scalar);
}

namespace {

// Two's complement, the highest byte first.
Expected<Value> ReadBigInteger(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(__int128)) {
    return base::Invalid("a BIG_INTEGER of " + std::to_string(bytes.size()) + " bytes");
  }
  auto number = static_cast<__int128>(static_cast<int8_t>(bytes[0]));  // NOLINT(bugprone-signed-char-misuse): the sign
  for (char byte : bytes.substr(1)) {
    number = static_cast<__int128>((static_cast<unsigned __int128>(number) << 8U) | static_cast<uint8_t>(byte));
  }
  KLIP_ASSIGN_OR_RETURN(sql::Decimal decimal, sql::Decimal::Parse(sql::WholeText(number)));  // up to 38 digits
  return Value::Number(decimal);
}

Expected<Value> ReadScalar(const pb::TypedValue& value) {
  switch (value.type()) {
    case pb::PRIMITIVE_BOOLEAN:
    case pb::BOOLEAN:
      return Value::Boolean(value.bool_value());
    case pb::PRIMITIVE_BYTE:
    case pb::PRIMITIVE_SHORT:
    case pb::PRIMITIVE_INT:
    case pb::PRIMITIVE_LONG:
    case pb::BYTE:
    case pb::SHORT:
    case pb::INTEGER:
    case pb::LONG:
    case pb::NUMBER:
      return Value::Integer(value.number_value());
    case pb::PRIMITIVE_FLOAT:
    case pb::FLOAT:  // the bits of Java's Float, from some drivers
      return Value::Double(std::bit_cast<float>(static_cast<int32_t>(value.number_value())));
    case pb::PRIMITIVE_DOUBLE:
    case pb::DOUBLE:
      return Value::Double(value.double_value());
    case pb::PRIMITIVE_CHAR:
    case pb::CHARACTER:
    case pb::STRING:
      return Value::Text(value.string_value());
    case pb::BYTE_STRING:
      return Value::Bytes(value.bytes_value());
    case pb::BIG_INTEGER:
      return ReadBigInteger(value.bytes_value());
    case pb::BIG_DECIMAL: {
      KLIP_ASSIGN_OR_RETURN(sql::Decimal decimal, sql::ParseRounded(value.string_value()));
      return Value::Number(decimal);
    }
    case pb::JAVA_SQL_DATE:
      if (value.number_value() > INT32_MAX || value.number_value() < INT32_MIN) {
        return base::Invalid("a date of " + std::to_string(value.number_value()) + " days");
      }
      return Value(Type::kDate, value.number_value() * kDayMs);
    case pb::JAVA_SQL_TIME:
      return Value(Type::kTime, value.number_value());
    case pb::JAVA_SQL_TIMESTAMP:
    case pb::JAVA_UTIL_DATE:
      return Value(Type::kTimestamp, Value::Timestamp{.ms = value.number_value()});
    default:
      return base::Invalid("unsupported Avatica representation of a parameter: " + std::to_string(value.type()));
  }
}

bool IsNull(const pb::TypedValue& value) {
  return value.null() || value.implicitly_null() || value.type() == pb::NULL_ || value.type() == pb::OBJECT;
}

}  // namespace

Expected<Value> ReadValue(const pb::TypedValue& value) {
  if (IsNull(value)) {
    return Value();
  }
  if (value.type() != pb::ARRAY) {
    return ReadScalar(value);
  }
  Value::Array array;
  Type type = Type::kNull;
  for (const pb::TypedValue& element : value.array_value()) {
    if (IsNull(element)) {
      array.emplace_back();
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(Value item, ReadScalar(element));
    type = item.type();
    array.push_back(std::move(item));
  }
  return Value(type, std::move(array));
}

namespace {

uint32_t DisplaySize(const DataType& type) {
  constexpr int kTime = 23;  // "2014-06-28 12:30:00.000"
  constexpr int kOther = 40;
  const int limit = std::max(type.max_length, type.precision);
  const bool time = sql::IsTime(type.type) && !sql::IsTimestamp(type.type) && !type.array;
  return static_cast<uint32_t>(limit > 0 ? limit : time ? kTime : kOther);
}

}  // namespace

void WriteColumn(const sql::Column& column, uint32_t ordinal, pb::ColumnMetaData* out) {
  const DataType& type = column.type;
  WireType wire = WireTypeOf(type.type);
  out->set_ordinal(ordinal);
  out->set_searchable(true);
  out->set_case_sensitive(column.case_sensitive);
  out->set_nullable(column.nullable ? kNullable : 0);
  out->set_signed_(sql::IsNumber(type.type) && !type.array);  // unsigned types too, as in Phoenix
  out->set_display_size(DisplaySize(type));
  out->set_label(column.label);
  // As Phoenix's query server: a column of a join with its table, an expression behind its alias, and the first table for
  // all of them, with its schema.
  const bool qualified = column.label.ends_with("." + column.name);
  out->set_column_name(!column.expression.empty()         ? column.expression
                       : column.name.empty() || qualified ? column.label
                                                          : column.name);
  out->set_schema_name("");
  out->set_table_name(column.source);
  out->set_precision(static_cast<uint32_t>(type.precision > 0 ? type.precision : type.max_length));
  out->set_scale(static_cast<uint32_t>(std::max(type.scale, 0)));
  out->set_read_only(true);
  out->set_column_class_name(type.array ? "java.sql.Array" : wire.java);
  pb::AvaticaType* of = out->mutable_type();
  of->set_id(type.array ? kJdbcArray : static_cast<uint32_t>(wire.jdbc));
  of->set_name(std::string(sql::TypeName(type.type)) + (type.array ? " ARRAY" : ""));
  of->set_rep(type.array ? pb::ARRAY : wire.rep);
  if (type.array) {
    pb::AvaticaType* component = of->mutable_component();
    component->set_id(static_cast<uint32_t>(wire.jdbc));
    component->set_name(std::string(sql::TypeName(type.type)));
    component->set_rep(wire.rep);
  }
}

void WriteParameter(const DataType& type, int position, pb::AvaticaParameter* out) {
  WireType wire = WireTypeOf(type.type);
  // Phoenix's query server omits these; Avatica's tests expect them.
  out->set_signed_(sql::IsNumber(type.type));
  out->set_precision(static_cast<uint32_t>(type.precision > 0 ? type.precision : type.max_length));
  out->set_scale(static_cast<uint32_t>(std::max(type.scale, 0)));
  out->set_parameter_type(static_cast<uint32_t>(wire.jdbc) + (type.array ? kJdbcArrayBase : 0));
  out->set_type_name(std::string(sql::TypeName(type.type)) + (type.array ? " ARRAY" : ""));
  out->set_class_name(type.array ? "java.sql.Array" : wire.java);
  out->set_name("?" + std::to_string(position + 1));
}

void WriteSignature(const std::vector<sql::Column>& columns, const std::vector<DataType>& parameters,
                    const std::string& text, pb::Signature* out) {
  out->set_sql(text);
  out->mutable_cursor_factory()->set_style(pb::CursorFactory::LIST);
  uint32_t ordinal = 0;
  for (const sql::Column& column : columns) {
    WriteColumn(column, ordinal++, out->add_columns());
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    WriteParameter(parameters[i], static_cast<int>(i), out->add_parameters());
  }
}

}  // namespace klip::avatica
