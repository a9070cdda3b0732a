// Definitions for klip/cell.h, klip/query.h and klip/mutation.h.
#include "klip/cell.h"

#include <algorithm>
#include <cstring>

#include "klip/bytes.h"
#include "klip/mutation.h"
#include "klip/query.h"

namespace klip {
namespace {

constexpr size_t kFirstBlockBytes = 256;

}  // namespace

void Result::Clear() {
  cells_.clear();
  // Keeps only the largest block, so that a reused Result soon has one that fits every row.
  if (blocks_.size() > 1) {
    blocks_.front() = std::move(blocks_.back());
    blocks_.resize(1);
  }
  used_bytes_ = 0;
  exists_ = false;
  stale_ = false;
  has_more_cells_in_row_ = false;
}

char* Result::AllocateSlow(size_t bytes) {
  size_t last = blocks_.empty() ? kFirstBlockBytes / 2 : blocks_.back().size_bytes;
  size_t size = std::max(bytes, last * 2);
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
  used_bytes_ = bytes;
  return blocks_.back().data.get();
}

std::string_view Result::Store(std::string_view bytes) {
  if (bytes.empty()) {
    return {};
  }
  char* copy = Allocate(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

void Result::AppendCopy(const Cell& cell) {
  // The cells of a Result belong to one row, mostly to one family: those bytes are stored once.
  const Cell* last = cells_.empty() ? nullptr : &cells_.back();
  const bool new_row = last == nullptr || last->row != cell.row;
  const bool new_family = last == nullptr || last->family != cell.family;
  const std::string_view row = new_row ? std::string_view() : last->row;
  const std::string_view family = new_family ? std::string_view() : last->family;
  char* to = Allocate((new_row ? cell.row.size() : 0) + (new_family ? cell.family.size() : 0) + cell.qualifier.size() +
                      cell.value.size() + cell.tags.size());
  const auto copy = [&to](std::string_view bytes) {
    if (bytes.empty()) {
      return std::string_view();
    }
    const std::string_view stored(to, bytes.size());
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
    return stored;
  };
  cells_.push_back(cell);
  Cell& stored = cells_.back();
  stored.row = new_row ? copy(stored.row) : row;  // `cell` may be an element of cells_, which has moved
  stored.family = new_family ? copy(stored.family) : family;
  stored.qualifier = copy(stored.qualifier);
  stored.value = copy(stored.value);
  stored.tags = copy(stored.tags);
}

Result Result::Clone() const {
  Result copy;
  for (const Cell& cell : cells_) {
    copy.AppendCopy(cell);
  }
  copy.exists_ = exists_;
  copy.stale_ = stale_;
  copy.has_more_cells_in_row_ = has_more_cells_in_row_;
  return copy;
}

const Cell* Result::Find(std::string_view family, std::string_view qualifier) const {
  auto found = std::find_if(cells_.begin(), cells_.end(),
                            [&](const Cell& cell) { return cell.family == family && cell.qualifier == qualifier; });
  return found == cells_.end() ? nullptr : &*found;
}

std::optional<std::string_view> Result::Value(std::string_view family, std::string_view qualifier) const {
  const Cell* cell = Find(family, qualifier);
  return cell == nullptr ? std::nullopt : std::optional(cell->value);
}

klip::Scan Scan::Prefix(std::string prefix) {
  std::string stop = PrefixSuccessor(prefix);
  return {.start_row = std::move(prefix), .stop_row = std::move(stop)};
}

Delete& Delete::AddFamily(std::string family, int64_t at_ms) {
  markers.push_back({CellType::kDeleteFamily, std::move(family), {}, at_ms});
  return *this;
}

Delete& Delete::AddFamilyVersion(std::string family, int64_t at_ms) {
  markers.push_back({CellType::kDeleteFamilyVersion, std::move(family), {}, at_ms});
  return *this;
}

Delete& Delete::AddColumns(std::string family, std::string qualifier, int64_t at_ms) {
  markers.push_back({CellType::kDeleteColumn, std::move(family), std::move(qualifier), at_ms});
  return *this;
}

Delete& Delete::AddColumn(std::string family, std::string qualifier, int64_t at_ms) {
  markers.push_back({CellType::kDelete, std::move(family), std::move(qualifier), at_ms});
  return *this;
}

klip::Increment& Increment::Add(std::string family, std::string qualifier, int64_t amount) {
  columns.push_back({std::move(family), std::move(qualifier), amount});
  return *this;
}

klip::Append& Append::Add(std::string family, std::string qualifier, std::string value) {
  columns.push_back({std::move(family), std::move(qualifier), std::move(value)});
  return *this;
}

RowCondition RowCondition::IfNotExists(std::string family, std::string qualifier) {
  return {.family = std::move(family), .qualifier = std::move(qualifier)};
}

RowCondition RowCondition::IfEquals(std::string family, std::string qualifier, std::string value) {
  return {.family = std::move(family), .qualifier = std::move(qualifier), .value = std::move(value)};
}

}  // namespace klip
