// Columns of values: what expressions compute and operators hand on. About a thousand rows at a time, so that a step's loop runs over
// plain numbers, and its overhead is paid once a batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "klip/sql_value.h"
#include "sql/exec/spill.h"
#include "sql/types/codec.h"

namespace klip::sql {

// Rows that an operator makes at a time, at most.
inline constexpr size_t kBatchRows = 1024;

// How many elements a list has room for, once `more` have been appended.
template <typename T>
size_t CapacityWith(const std::vector<T>& list, size_t more) {
  const size_t size = list.size() + more;
  return size <= list.capacity() ? list.capacity() : std::max(2 * list.size(), size);
}

// Bytes that live until Clear.
class Arena {
 public:
  char* Allocate(size_t bytes) {
    if (bytes > free_) [[unlikely]] {
      Grow(bytes);
    }
    char* out = next_;
    next_ += bytes;
    free_ -= bytes;
    return out;
  }
  std::string_view Store(std::string_view bytes) {
    if (bytes.empty()) {
      return {};
    }
    char* out = Allocate(bytes.size());
    std::memcpy(out, bytes.data(), bytes.size());
    return {out, bytes.size()};
  }
  // Keeps the first block, unless it is large.
  void Clear();
  size_t bytes() const { return bytes_; }
  // Counts what its owner has beside it, too.
  void CountBeside(size_t bytes) {
    beside_ = bytes;
    Count();
  }
  // Its owner reserves the memory.
  void SetReserved() { memory_.SetReserved(); }

 private:
  void Grow(size_t bytes);
  void Count() { memory_.SetTo(static_cast<int64_t>(bytes_ + beside_)); }

  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t first_bytes_ = 0;
  char* next_ = nullptr;
  size_t free_ = 0;
  size_t bytes_ = 0;
  size_t beside_ = 0;
  ColumnMemory memory_;
};

// An arena whose owner reserves its memory.
class ReservedArena : public Arena {
 public:
  ReservedArena() { SetReserved(); }
};

// How the values of a type are held.
enum class Physical : uint8_t {
  kWhole,    // whole numbers, BOOLEAN (0, 1), DATE, TIME
  kReal,     // FLOAT, DOUBLE
  kDecimal,  // DECIMAL
  kText,     // text and bytes
  kOther,    // TIMESTAMP, arrays
};
Physical PhysicalOf(const DataType& type);

// Values of one type. Rows that are not NULL have theirs in the list that PhysicalOf names; the other lists are empty.
class Vector {
 public:
  Vector() = default;
  explicit Vector(const DataType& type) { Reset(type, 0); }

  // Of `rows` rows, all NULL.
  void Reset(const DataType& type, size_t rows);

  // Of `rows` rows: those there are stay, new ones are NULL.
  void Resize(size_t rows);

  const DataType& type() const { return type_; }
  Physical physical() const { return physical_; }
  size_t size() const { return null_.size(); }

  bool is_null(size_t row) const { return null_[row] != 0; }
  int64_t whole(size_t row) const { return whole_[row]; }
  double real(size_t row) const { return real_[row]; }
  const Decimal& decimal(size_t row) const { return decimal_[row]; }
  std::string_view text(size_t row) const { return text_[row]; }
  const Value& other(size_t row) const { return other_[row]; }

  // REQUIRES: physical() is the one set. Texts must live as long as the vector: see Store.
  void SetWhole(size_t row, int64_t value) {
    null_[row] = 0;
    whole_[row] = value;
  }
  void SetReal(size_t row, double value) {
    null_[row] = 0;
    real_[row] = value;
  }
  void SetDecimal(size_t row, const Decimal& value) {
    null_[row] = 0;
    decimal_[row] = value;
  }
  void SetText(size_t row, std::string_view value) {  // empty: NULL
    null_[row] = value.empty() ? 1 : 0;
    text_[row] = value;
  }
  void SetOther(size_t row, Value value) {
    null_[row] = value.is_null() ? 1 : 0;
    if (!value.is_null() && type_.array) {
      CountArray(value);
    }
    other_[row] = std::move(value);
  }
  void SetNull(size_t row) { null_[row] = 1; }

  // One value, with its type. REQUIRES for Set: the value is NULL or of this vector's type.
  Value At(size_t row) const;
  void Set(size_t row, const Value& value);
  // Copies a value of a vector of the same physical type; texts are stored.
  void Copy(size_t row, const Vector& from, size_t from_row);
  // As Copy, but `from` must outlive the value.
  void ViewOne(size_t row, const Vector& from, size_t from_row);
  // Takes all values, as views: `from` must outlive this one.
  void View(const Vector& from);

  std::string_view Store(std::string_view bytes) { return arena_.Store(bytes); }
  Arena& arena() { return arena_; }
  // What it holds, once `more` rows have been appended.
  size_t memory_bytes(size_t more = 0) const;
  // Its owner reserves the memory.
  void SetReserved() { arena_.SetReserved(); }

 private:
  void CountLists();
  void CountArray(const Value& array);

  DataType type_;
  Physical physical_ = Physical::kWhole;
  std::vector<uint8_t> null_;
  std::vector<int64_t> whole_;
  std::vector<double> real_;
  std::vector<Decimal> decimal_;
  std::vector<std::string_view> text_;
  std::vector<Value> other_;
  size_t counted_rows_ = 0;  // for which there is room
  size_t array_bytes_ = 0;   // of other_, since Reset
  Arena arena_;
};

// Rows as columns of one length.
struct Batch {
  size_t rows = 0;
  uint64_t serial = 0;  // set by who computes expressions over it; with its address, it identifies the rows. 0: none
  std::vector<Vector> columns;
};

// Numbers of rows of a batch, ascending.
using Selection = std::vector<uint32_t>;

// 0, 1, ... below `rows`. Valid for ever. REQUIRES: rows <= kBatchRows.
std::span<const uint32_t> AllRows(size_t rows);

// Copies the selected rows of `from` to `to`, whose columns get the same types.
void CopyRows(const Batch& from, std::span<const uint32_t> rows, Batch* to);

}  // namespace klip::sql
