// Prepares scans and gets before they read a cell: checks, the families and rules of the read, and iterators that see
// one moment.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/options.h"

#include "engine/read/read_view.h"
#include "engine/read/row_reader.h"
#include "engine/store/store.h"
#include "klip/query.h"
#include "klip/status.h"

namespace klip::engine {

struct ReadRequest {
  std::string_view row;  // for error texts: the region that receives the request
  const std::vector<ColumnSpec>* columns = nullptr;
  TimeRange time_range;
  const std::map<std::string, TimeRange>* family_time_ranges = nullptr;
  int32_t max_versions = 1;
  bool raw = false;
  bool has_filter = false;
  int64_t now_ms = 0;
};

// The families to read, sorted by name, without cursors. The readers keep pointers into `table`.
// Errors: kNoSuchColumnFamily, kInvalidArgument, kDoNotRetry with HBase's texts.
Expected<std::vector<FamilyReader>> MakeReaders(const TableView& table, const ReadRequest& request);

// Opens a cursor for each reader. All families are read as of one moment. Errors: also those of ReadView::CheckAge.
Status OpenCursors(const Store& store, const ReadView* view, rocksdb::ReadOptions options, bool reversed,
                   double expected_gap, std::vector<FamilyReader>* readers, ScanStatistics* statistics);

// Ok, or the error that ended a cursor early.
Status CheckCursors(const TableView& table, const std::vector<FamilyReader>& readers);

}  // namespace klip::engine
