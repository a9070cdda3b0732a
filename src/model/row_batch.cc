#include "klip/row_batch.h"

#include <algorithm>
#include <tuple>

namespace klip {

RowBatch::RowBatch(const std::vector<ColumnName>& columns) : columns_(columns) {
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  for (const ColumnName& column : columns) {
    slots_.push_back(
        static_cast<size_t>(std::lower_bound(columns_.begin(), columns_.end(), column) - columns_.begin()));
  }
  values_.resize(columns_.size());
}

void RowBatch::Clear() { Truncate(0); }

void RowBatch::BeginRow(std::string_view key) {
  keys_.push_back(Store(key));
  for (std::vector<Span>& column : values_) {
    column.emplace_back();
  }
}

void RowBatch::Add(const Result& result) {
  if (!open_) {
    BeginRow(result.row());
  }
  open_ = result.has_more_cells_in_row();
  size_t cell = 0;  // both lists are sorted by family and qualifier
  for (size_t slot = 0; slot < columns_.size(); ++slot) {
    const auto wanted = std::tuple<std::string_view, std::string_view>(columns_[slot].family, columns_[slot].qualifier);
    while (cell < result.size() && std::tie(result[cell].family, result[cell].qualifier) < wanted) {
      ++cell;
    }
    if (cell < result.size() && std::tie(result[cell].family, result[cell].qualifier) == wanted &&
        values_[slot].back().at == kMissing) {
      Set(slot, result[cell].value);
    }
  }
}

void RowBatch::Truncate(size_t rows) {
  bytes_.resize(rows == 0 ? 0 : rows == keys_.size() ? bytes_.size() : keys_[rows].at);
  keys_.resize(rows);
  for (std::vector<Span>& column : values_) {
    column.resize(rows);
  }
  open_ = false;
}

}  // namespace klip
