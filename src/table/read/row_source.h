// RowSource: how table/ reads the engine. Nothing else here calls engine::ReadRow or engine::RowScanner::Open.
#pragma once

#include <memory>
#include <utility>

#include "engine/read/row_scanner.h"
#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/query.h"
#include "klip/status.h"
#include "table/info/checks.h"
#include "table/info/table_info.h"

namespace klip::table {

// Takes no locks: whoever writes what it has read holds the row's lock.
class RowSource {
 public:
  RowSource(const engine::Store* store, const Limits& limits) : store_(store), limits_(limits) {}

  // *result is empty when there is no such row. *statistics is added to.
  Status Get(const TableInfo& table, const klip::Get& get, Result* result, ScanStatistics* statistics = nullptr) const {
    return engine::ReadRow(*store_, table.view, get, limits_.max_row_read_bytes, result, statistics);
  }

  Expected<std::unique_ptr<engine::RowScanner>> Open(const TableInfo& table, engine::RowScanSpec spec) const {
    spec.max_row_read_bytes = limits_.max_row_read_bytes;
    return engine::RowScanner::Open(*store_, table.view, std::move(spec));
  }

 private:
  const engine::Store* store_;
  const Limits& limits_;
};

}  // namespace klip::table
