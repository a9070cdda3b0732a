// RowSource: how table/ reads the engine. Only it calls engine::ReadRow, engine::ReadStored, engine::StoredReader and
// engine::RowScanner::Open.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/read/read_view.h"
#include "engine/read/row_scanner.h"
#include "engine/read/stored_cells.h"
#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/query.h"
#include "klip/status.h"
#include "table/info/checks.h"
#include "table/info/table_info.h"

namespace klip::table {

// Takes no locks: a caller that writes what it has read holds the row's lock.
class RowSource {
 public:
  // `view`: of a transaction; null: the store as it is now.
  RowSource(const engine::Store* store, const Limits& limits, engine::ReadViewPtr view = nullptr)
      : store_(store), limits_(limits), view_(std::move(view)) {}

  // *result is empty if there is no such row. Adds to *statistics.
  Status Get(const TableInfo& table, const klip::Get& get, Result* result, ScanStatistics* statistics = nullptr) const {
    return engine::ReadRow(*store_, table.view, get, limits_.max_row_read_bytes, result, statistics, view_.get());
  }

  Expected<std::unique_ptr<engine::RowScanner>> Open(const TableInfo& table, engine::RowScanSpec spec) const {
    spec.max_row_read_bytes = limits_.max_row_read_bytes;
    spec.view = view_;
    return engine::RowScanner::Open(*store_, table.view, std::move(spec));
  }

  // As engine::ReadStored.
  Status Stored(const engine::Family& family, std::string_view row, std::span<const std::string> qualifiers,
                std::vector<model::StoredCell>* cells) const {
    return engine::ReadStored(*store_, family, row, qualifiers, cells, view_.get());
  }

  // The moment that decides which TTLs have expired: ms since 1970.
  int64_t now_ms() const { return view_ != nullptr ? view_->now_ms() : store_->NowMs(); }

  // Not for a transaction.
  std::unique_ptr<engine::StoredReader> StoredOf(const engine::Family& family,
                                                 std::span<const std::string> qualifiers) const {
    return std::make_unique<engine::StoredReader>(*store_, family, qualifiers);
  }

 private:
  const engine::Store* store_;
  const Limits& limits_;
  engine::ReadViewPtr view_;
};

}  // namespace klip::table
