// Results of SQL as a stream.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "arrow/stream.h"
#include "klip/arrow.h"

namespace klip {
namespace arrow {
namespace {

std::string FormatOf(const sql::DataType& type) {
  switch (type.type) {
    case sql::Type::kNull:
    case sql::Type::kChar:
    case sql::Type::kVarchar:
      return "u";
    case sql::Type::kBoolean:
      return "b";
    case sql::Type::kTinyint:
    case sql::Type::kUnsignedTinyint:
      return "c";
    case sql::Type::kSmallint:
    case sql::Type::kUnsignedSmallint:
      return "s";
    case sql::Type::kInteger:
    case sql::Type::kUnsignedInt:
      return "i";
    case sql::Type::kBigint:
    case sql::Type::kUnsignedLong:
      return "l";
    case sql::Type::kFloat:
    case sql::Type::kUnsignedFloat:
      return "f";
    case sql::Type::kDouble:
    case sql::Type::kUnsignedDouble:
      return "g";
    case sql::Type::kDecimal:
      return type.scale < 0 ? "g"
                            : "d:" + std::to_string(type.precision == 0 ? sql::Decimal::kMaxDigits : type.precision) +
                                  "," + std::to_string(type.scale);
    case sql::Type::kBinary:
    case sql::Type::kVarbinary:
      return "z";
    case sql::Type::kDate:
    case sql::Type::kTime:
    case sql::Type::kUnsignedDate:
    case sql::Type::kUnsignedTime:
      return "tsm:";
    case sql::Type::kTimestamp:
    case sql::Type::kUnsignedTimestamp:
      return "tsn:";
  }
  return "z";
}

Field FieldOf(const std::string& name, const sql::DataType& type) {
  if (!type.array) {
    return {name, FormatOf(type)};
  }
  return {name, "+l", {{"item", FormatOf(type)}}};
}

// The number at this scale. Errors: it has too many digits after or before the point.
Expected<__int128> Unscaled(const sql::Decimal& value, int scale) {
  __int128 unscaled = value.unscaled();
  bool fits = true;
  for (int have = value.scale(); fits && have < scale; ++have) {
    fits = !__builtin_mul_overflow(unscaled, 10, &unscaled);
  }
  for (int have = value.scale(); fits && have > scale; --have) {
    fits = unscaled % 10 == 0;
    unscaled /= 10;
  }
  if (!fits) {
    return Status(Code::kInvalidArgument,
                  value.ToString() + " does not fit in a decimal128 of scale " + std::to_string(scale));
  }
  return unscaled;
}

// `field` and `type` are the column's, or those of its items.
Status AppendValue(const sql::Value& value, const Field& field, const sql::DataType& type, ColumnBuilder* out) {
  if (value.is_null()) {
    out->AppendNull();
    return Status::Ok();
  }
  if (value.is_array()) {
    for (const sql::Value& one : value.array()) {
      KLIP_RETURN_IF_ERROR(AppendValue(one, field.items.front(), type, out->items()));
    }
    out->AppendList();
    return Status::Ok();
  }
  switch (field.format.front()) {
    case 'b':
      out->AppendBool(value.boolean());
      return Status::Ok();
    case 'c':
      out->Append(static_cast<int8_t>(value.integer()));
      return Status::Ok();
    case 's':
      out->Append(static_cast<int16_t>(value.integer()));
      return Status::Ok();
    case 'i':
      out->Append(static_cast<int32_t>(value.integer()));
      return Status::Ok();
    case 'l':
      out->Append(value.integer());
      return Status::Ok();
    case 'f':
      out->Append(static_cast<float>(value.real()));
      return Status::Ok();
    case 'g':
      out->Append(type.type == sql::Type::kDecimal ? std::strtod(value.decimal().ToString().c_str(), nullptr)
                                                   : value.real());
      return Status::Ok();
    case 'd': {
      KLIP_ASSIGN_OR_RETURN(const __int128 unscaled, Unscaled(value.decimal(), type.scale));
      out->Append(unscaled);
      return Status::Ok();
    }
    case 't': {
      if (field.format == "tsm:") {
        out->Append(value.integer());
        return Status::Ok();
      }
      constexpr int64_t kNanosPerMs = 1'000'000;
      int64_t nanos = 0;
      if (__builtin_mul_overflow(value.timestamp().ms, kNanosPerMs, &nanos) ||
          __builtin_add_overflow(nanos, int64_t{value.timestamp().nanos}, &nanos)) {
        return {Code::kInvalidArgument,
                value.ToString() + " is outside the years 1677 to 2262, the range of nanoseconds"};
      }
      out->Append(nanos);
      return Status::Ok();
    }
    default:
      if (value.type() == sql::Type::kChar) {  // prints otherwise than it is held
        out->AppendBytes(value.ToString());
      } else {
        out->AppendBytes(value.text());
      }
      return Status::Ok();
  }
}

class SqlRows final : public RowSource {
 public:
  explicit SqlRows(std::unique_ptr<sql::Rows> rows) : rows_(std::move(rows)) {
    for (const sql::Column& column : rows_->columns()) {
      fields_.push_back(FieldOf(column.label, column.type));
    }
  }

  const std::vector<Field>& fields() const override { return fields_; }

  Expected<bool> AppendRow(std::vector<ColumnBuilder>* columns) override {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows_->Next());
    for (size_t i = 0; more && i < fields_.size(); ++i) {
      const sql::Column& column = rows_->columns()[i];
      const Status appended = AppendValue(rows_->value(i), fields_[i], column.type, &(*columns)[i]);
      if (!appended.ok()) {
        return Status(appended.code(), "column '" + column.label + "': " + appended.message());
      }
    }
    return more;
  }

 private:
  std::unique_ptr<sql::Rows> rows_;
  std::vector<Field> fields_;
};

}  // namespace
}  // namespace arrow

Status SqlArrow(std::unique_ptr<sql::Rows> rows, int batch_rows, ArrowArrayStream* out) {
  if (rows->columns().empty()) {
    return {Code::kInvalidArgument, "the statement returns no rows"};
  }
  if (batch_rows < 1) {
    return {Code::kInvalidArgument, "batch_rows is below 1"};
  }
  arrow::MakeStream(std::make_unique<arrow::SqlRows>(std::move(rows)), batch_rows, out);
  return Status::Ok();
}

}  // namespace klip
