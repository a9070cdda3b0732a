// ColumnReader: reads the values of one column of a foreign Arrow array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "klip/arrow_abi.h"
#include "klip/status.h"

namespace klip::arrow {

// The kind of a value, independent of the width of its format.
enum class ValueKind : uint8_t {
  kNull,  // all values are null
  kBool,
  kInteger,  // signed
  kUnsigned,
  kReal,
  kText,   // utf8, large_utf8, utf8_view
  kBytes,  // binary, large_binary, binary_view, fixed-size binary
  kTime,   // date32, date64, timestamp: milliseconds since 1970
};

// Reads columns of the formats listed in ValueKind. Cheap to create for each array.
class ColumnReader {
 public:
  // Errors: kInvalidArgument naming the column: an unsupported format (nested, dictionary, ...); fewer buffers than its
  // format has.
  static Expected<ColumnReader> Open(const ArrowSchema& schema);
  // Sets the values to read. Both must stay valid while they are read.
  Status Read(const ArrowArray* array, int64_t offset);

  ValueKind kind() const { return kind_; }
  bool is_null(int64_t row) const;

  // REQUIRES: of that kind, and not null. Rows count from the struct array's first.
  bool boolean(int64_t row) const;
  int64_t integer(int64_t row) const;
  uint64_t unsigned_integer(int64_t row) const;
  double real(int64_t row) const;
  std::string_view bytes(int64_t row) const;  // of kText and kBytes
  // Errors: kInvalidArgument, a time with a fraction of a millisecond.
  Expected<int64_t> time_ms(int64_t row) const;

 private:
  template <typename T>
  T At(int64_t row) const {
    return static_cast<const T*>(array_->buffers[1])[offset_ + row];
  }
  int64_t Signed(int64_t row) const;

  ValueKind kind_ = ValueKind::kNull;
  std::string name_;
  char code_ = 'n';         // the first letter of the format
  bool view_ = false;       // utf8_view, binary_view
  int width_bytes_ = 0;     // of fixed-size binary
  int64_t per_second_ = 0;  // kTime: units per second; 0: days
  const ArrowArray* array_ = nullptr;
  int64_t offset_ = 0;
};

}  // namespace klip::arrow
