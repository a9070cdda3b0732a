#include "sql/exec/vector.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace klip::sql {

void Arena::Grow(size_t bytes) {
  constexpr size_t kBlockBytes = 16 << 10;
  const size_t size = std::max(bytes, std::min(kBlockBytes << std::min<size_t>(blocks_.size(), 6), size_t{1} << 20));
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  if (blocks_.size() == 1) {
    first_bytes_ = size;
  }
  next_ = blocks_.back().get();
  free_ = size;
  bytes_ += size;
  Count();
}

void Arena::Clear() {
  constexpr size_t kLarge = size_t{1} << 20;
  if (blocks_.empty()) {
    return;
  }
  if (first_bytes_ > kLarge) {
    blocks_.clear();
    next_ = nullptr;
    free_ = bytes_ = first_bytes_ = 0;
    Count();
    return;
  }
  blocks_.resize(1);
  next_ = blocks_.front().get();
  free_ = bytes_ = first_bytes_;
  Count();
}

Physical PhysicalOf(const DataType& type) {
  if (type.array || IsTimestamp(type.type)) {
    return Physical::kOther;
  }
  switch (type.type) {
    case Type::kFloat:
    case Type::kDouble:
    case Type::kUnsignedFloat:
    case Type::kUnsignedDouble:
      return Physical::kReal;
    case Type::kDecimal:
      return Physical::kDecimal;
    case Type::kChar:
    case Type::kVarchar:
    case Type::kBinary:
    case Type::kVarbinary:
      return Physical::kText;
    default:
      return Physical::kWhole;
  }
}

void Vector::Reset(const DataType& type, size_t rows) {
  type_ = type;
  physical_ = PhysicalOf(type);
  null_.clear();
  array_bytes_ = 0;
  arena_.Clear();
  Resize(rows);
}

void Vector::CountLists() {
  const size_t width = physical_ == Physical::kWhole || physical_ == Physical::kReal ? sizeof(int64_t)
                       : physical_ == Physical::kDecimal                             ? sizeof(Decimal)
                       : physical_ == Physical::kText                                ? sizeof(std::string_view)
                                                                                     : sizeof(Value);
  arena_.CountBeside(counted_rows_ * (1 + width) + array_bytes_);
}

void Vector::CountArray(const Value& array) {
  array_bytes_ += array.array().size() * sizeof(Value);
  for (const Value& element : array.array()) {
    array_bytes_ += IsText(element.type()) && !element.is_null() ? element.text().size() : 0;
  }
  CountLists();
}

void Vector::Resize(size_t rows) {
  if (rows > counted_rows_) {
    constexpr size_t kRowsAtOnce = 64;
    counted_rows_ = (rows + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce;
    CountLists();
  }
  null_.resize(rows, 1);
  whole_.resize(physical_ == Physical::kWhole ? rows : 0);
  real_.resize(physical_ == Physical::kReal ? rows : 0);
  decimal_.resize(physical_ == Physical::kDecimal ? rows : 0);
  text_.resize(physical_ == Physical::kText ? rows : 0);
  other_.resize(physical_ == Physical::kOther ? rows : 0);
}

Value Vector::At(size_t row) const {
  if (is_null(row)) {
    return {};
  }
  switch (physical_) {
    case Physical::kWhole:
      return type_.type == Type::kBoolean ? Value::Boolean(whole_[row] != 0) : Value(type_.type, whole_[row]);
    case Physical::kReal:
      return {type_.type, real_[row]};
    case Physical::kDecimal:
      return {type_.type, decimal_[row]};
    case Physical::kText:
      return {type_.type, std::string(text_[row])};
    case Physical::kOther:
      break;
  }
  return other_[row];
}

void Vector::Set(size_t row, const Value& value) {
  if (value.is_null()) {
    SetNull(row);
    return;
  }
  switch (physical_) {
    case Physical::kWhole:
      SetWhole(row, type_.type == Type::kBoolean ? static_cast<int64_t>(value.boolean()) : value.integer());
      return;
    case Physical::kReal:
      SetReal(row, value.real());
      return;
    case Physical::kDecimal:
      SetDecimal(row, value.decimal());
      return;
    case Physical::kText:
      SetText(row, Store(value.text()));
      return;
    case Physical::kOther:
      SetOther(row, value);
  }
}

void Vector::Copy(size_t row, const Vector& from, size_t from_row) {
  if (from.is_null(from_row)) {
    SetNull(row);
    return;
  }
  switch (physical_) {
    case Physical::kWhole:
      SetWhole(row, from.whole_[from_row]);
      return;
    case Physical::kReal:
      SetReal(row, from.real_[from_row]);
      return;
    case Physical::kDecimal:
      SetDecimal(row, from.decimal_[from_row]);
      return;
    case Physical::kText:
      SetText(row, Store(from.text_[from_row]));
      return;
    case Physical::kOther:
      SetOther(row, from.other_[from_row]);
  }
}

void Vector::ViewOne(size_t row, const Vector& from, size_t from_row) {
  if (physical_ == Physical::kText && !from.is_null(from_row)) {
    SetText(row, from.text_[from_row]);
  } else {
    Copy(row, from, from_row);
  }
}

void Vector::View(const Vector& from) {
  type_ = from.type_;
  physical_ = from.physical_;
  null_ = from.null_;
  whole_ = from.whole_;
  real_ = from.real_;
  decimal_ = from.decimal_;
  text_ = from.text_;
  other_ = from.other_;
}

size_t Vector::memory_bytes(size_t more) const {
  const auto of = [&](const auto& list, Physical physical) {
    return CapacityWith(list, physical == physical_ ? more : 0) * sizeof(list[0]);
  };
  return CapacityWith(null_, more) + of(whole_, Physical::kWhole) + of(real_, Physical::kReal) +
         of(decimal_, Physical::kDecimal) + of(text_, Physical::kText) + of(other_, Physical::kOther) + arena_.bytes();
}

std::span<const uint32_t> AllRows(size_t rows) {
  static const auto kAll = [] {
    std::array<uint32_t, kBatchRows> all{};
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }();
  return std::span(kAll).first(rows);
}

void CopyRows(const Batch& from, std::span<const uint32_t> rows, Batch* to) {
  to->rows = rows.size();
  to->columns.resize(from.columns.size());
  for (size_t column = 0; column < from.columns.size(); ++column) {
    Vector& out = to->columns[column];
    out.Reset(from.columns[column].type(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      out.Copy(i, from.columns[column], rows[i]);
    }
  }
}

}  // namespace klip::sql
