// Cell and Result: what reads return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace klip {

// HBase's type codes. At one row, column and timestamp a higher code sorts first, so deletes come before the puts they mask.
enum class CellType : uint8_t {
  kPut = 4,
  kDelete = 8,                // one version: exactly this timestamp
  kDeleteFamilyVersion = 10,  // every column of the family at exactly this timestamp
  kDeleteColumn = 12,         // all versions of the column up to this timestamp
  kDeleteFamily = 14,         // all columns of the family up to this timestamp
};

// As a mutation's timestamp: now, set by the store. As a read's upper bound: no bound.
inline constexpr int64_t kLatestTimestamp = std::numeric_limits<int64_t>::max();

// All versions that the family keeps.
inline constexpr int32_t kAllVersions = std::numeric_limits<int32_t>::max();

inline constexpr size_t kMaxRowBytes = 32767;
inline constexpr size_t kMaxFamilyBytes = 127;

// One version of one column. A view: the bytes belong to the Result (or to the object that provided the cell).
struct Cell {
  std::string_view row;
  std::string_view family;
  std::string_view qualifier;
  int64_t timestamp_ms = 0;
  CellType type = CellType::kPut;
  std::string_view value;
  std::string_view tags;  // HBase's tag bytes: (length 2, type 1, data)*; empty for most cells
};

// Cells of one row (or of a piece of one, with Scan::batch), in HBase's order: family, qualifier, newest first.
// Owns its bytes. Move-only: cells point into it. Moving keeps them valid.
class Result {
 public:
  Result() = default;
  Result(Result&&) noexcept = default;
  Result& operator=(Result&&) noexcept = default;
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  // A deep copy.
  Result Clone() const;

  bool empty() const noexcept { return cells_.empty(); }
  size_t size() const noexcept { return cells_.size(); }
  const Cell& operator[](size_t index) const { return cells_[index]; }
  const std::vector<Cell>& cells() const noexcept { return cells_; }
  auto begin() const noexcept { return cells_.begin(); }
  auto end() const noexcept { return cells_.end(); }

  // The row key; empty if there are no cells.
  std::string_view row() const noexcept { return cells_.empty() ? std::string_view() : cells_[0].row; }

  // The newest cell of the column, or nullptr.
  const Cell* Find(std::string_view family, std::string_view qualifier) const;

  // The newest value of the column, or nullopt if the row has no such column. Points into this Result.
  std::optional<std::string_view> Value(std::string_view family, std::string_view qualifier) const;

  // The result of Get::check_existence_only, which returns no cells.
  bool exists() const noexcept { return exists_ || !cells_.empty(); }

  // True if a replica answered (Consistency::kTimeline): the cells may be stale.
  bool stale() const noexcept { return stale_; }

  // True if further Results of the same row follow (Scan::batch, Scan::allow_partial_results).
  bool has_more_cells_in_row() const noexcept { return has_more_cells_in_row_; }

  // --- Building a Result (the engine, clients, tests) ---

  // Drops all cells and keeps the memory.
  void Clear();

  // `bytes` of storage that live as long as this Result (until Clear). Never null.
  char* Allocate(size_t bytes);

  // Copies `bytes` into this Result's storage.
  std::string_view Store(std::string_view bytes);

  // Appends a cell whose views must live as long as this Result: storage from Allocate or Store, or static bytes.
  void Append(const Cell& cell) { cells_.push_back(cell); }
  // An empty cell, to be filled in the same way. Valid until the next one is appended.
  Cell& Append() { return cells_.emplace_back(Cell{}); }  // without {}, GCC 12 clears it by a slow `rep stos`

  // Appends a copy of the cell.
  void AppendCopy(const Cell& cell);

  // REQUIRES: count <= size().
  void Truncate(size_t count) { cells_.resize(count); }
  void Erase(size_t index) { cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(index)); }
  Cell& Mutable(size_t index) { return cells_[index]; }

  void set_exists(bool exists) noexcept { exists_ = exists; }
  void set_stale(bool stale) noexcept { stale_ = stale; }
  void set_has_more_cells_in_row(bool more) noexcept { has_more_cells_in_row_ = more; }

 private:
  struct Block {
    std::unique_ptr<char[]> data;
    size_t size_bytes = 0;
  };

  char* AllocateSlow(size_t bytes);

  std::vector<Cell> cells_;
  std::vector<Block> blocks_;  // the last one is being filled
  size_t used_bytes_ = 0;      // of the last block
  bool exists_ = false;
  bool stale_ = false;
  bool has_more_cells_in_row_ = false;
};

inline char* Result::Allocate(size_t bytes) {
  if (!blocks_.empty() && blocks_.back().size_bytes - used_bytes_ >= bytes) [[likely]] {
    char* out = blocks_.back().data.get() + used_bytes_;
    used_bytes_ += bytes;
    return out;
  }
  return AllocateSlow(bytes);
}

}  // namespace klip
