// RowBatch: rows as columns of bytes, as Table::ScanBatches returns them.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"

namespace klip {

struct ColumnName {
  std::string family;
  std::string qualifier;

  auto operator<=>(const ColumnName&) const = default;
};

// The keys of some rows and the newest values of some columns, without a Cell for each value: all bytes lie in one buffer.
class RowBatch {
 public:
  static constexpr size_t kMaxRows = 1024;
  static constexpr size_t kMaxBytes = size_t{1} << 20;  // a batch ends with the row that reaches it

  explicit RowBatch(const std::vector<ColumnName>& columns = {});

  size_t rows() const noexcept { return keys_.size(); }
  size_t bytes() const noexcept { return bytes_.size(); }

  std::string_view key(size_t row) const { return View(keys_[row]); }

  // The value of the column at this place in the list given to the constructor; nullopt: the row has no such column.
  std::optional<std::string_view> value(size_t column, size_t row) const {
    const Span& span = values_[slots_[column]][row];
    return span.at == kMissing ? std::nullopt : std::optional(View(span));
  }

  // --- Filling a batch (the engine, tables) ---

  // Sorted, each once. A column's place here is its slot.
  const std::vector<ColumnName>& columns() const noexcept { return columns_; }

  // Drops all rows, keeps the memory.
  void Clear();

  bool full() const noexcept { return !open_ && (rows() >= kMaxRows || bytes() >= kMaxBytes); }

  // Adds a row without values; Set adds them.
  void BeginRow(std::string_view key);
  void Set(size_t slot, std::string_view value) { values_[slot].back() = Store(value); }
  // Whether Add continues the last row.
  void set_open(bool open) noexcept { open_ = open; }

  // Adds a row, or continues one: values that it has already are newer and stay. REQUIRES: the Result is not empty.
  void Add(const Result& result);

  // REQUIRES: rows <= rows().
  void Truncate(size_t rows);

 private:
  static constexpr size_t kMissing = static_cast<size_t>(-1);
  struct Span {
    size_t at = kMissing;
    size_t bytes = 0;
  };

  std::string_view View(const Span& span) const { return {bytes_.data() + span.at, span.bytes}; }
  Span Store(std::string_view bytes) {
    bytes_.append(bytes);
    return {bytes_.size() - bytes.size(), bytes.size()};
  }

  std::vector<ColumnName> columns_;
  std::vector<size_t> slots_;  // of the columns in the order of the constructor's list
  std::string bytes_;
  std::vector<Span> keys_;
  std::vector<std::vector<Span>> values_;  // by slot
  bool open_ = false;
};

}  // namespace klip
