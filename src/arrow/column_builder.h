// ColumnBuilder: builds an Arrow array value by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "klip/arrow_abi.h"

namespace klip::arrow {

// A column of a stream, in the terms of the C data interface.
struct Field {
  std::string name;
  std::string format;             // "l" is int64, "u" utf8, "+l" a list, ...
  std::vector<Field> items = {};  // of a list "+l": the type of its values; of a map "+m": those of its keys and values
  bool nullable = true;
};

// Fills *out. The receiver calls its release.
void ExportSchema(const std::vector<Field>& fields, ArrowSchema* out);

// The values of one field. Each value is added by one of the append functions, according to the field's format.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(const Field& field);

  void AppendNull();
  // Appends a number; T has the width of the format.
  template <typename T>
  void Append(T value) {
    AppendValid(true);
    const size_t at = data_.size();
    data_.resize(at + sizeof(T));
    std::memcpy(data_.data() + at, &value, sizeof(T));
  }
  void AppendBool(bool value);
  void AppendBytes(std::string_view bytes);  // utf8, binary
  // For a list or map: append its items, then call the function that ends the value.
  ColumnBuilder* items() { return items_.data(); }  // as many as the field has
  void AppendList();

  int64_t rows() const { return rows_; }
  size_t bytes() const;

  // Moves the values out, and leaves the builder empty.
  void Finish(ArrowArray* out);

 private:
  enum class Layout : uint8_t { kFixed, kBits, kBytes, kList, kMap };

  void AppendValid(bool valid);

  Layout layout_;
  size_t width_ = 0;  // kFixed: bytes of a value
  int64_t rows_ = 0;
  int64_t nulls_ = 0;
  std::vector<uint8_t> valid_;  // bits
  std::vector<char> data_;
  std::vector<int32_t> ends_;  // kBytes, kList, kMap: 0, then where each value ends
  std::vector<ColumnBuilder> items_;
};

inline void ColumnBuilder::AppendValid(bool valid) {
  const auto bit = static_cast<unsigned>(rows_ % 8);
  if (bit == 0) {
    valid_.push_back(0);
  }
  valid_.back() = static_cast<uint8_t>(valid_.back() | (unsigned{valid} << bit));
  nulls_ += valid ? 0 : 1;
  ++rows_;
}

// The struct array of all columns. REQUIRES: all have the same number of rows.
void FinishStruct(std::vector<ColumnBuilder>* columns, ArrowArray* out);

}  // namespace klip::arrow
