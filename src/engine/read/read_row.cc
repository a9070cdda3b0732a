// ReadRow of row_scanner.h: reads one row, with bloom filters where they help.
#include <algorithm>
#include <utility>
#include <vector>

#include "rocksdb/options.h"

#include "engine/layout/bloom_prefix.h"
#include "engine/layout/cell_key.h"
#include "engine/read/read_setup.h"
#include "engine/read/row_reader.h"
#include "engine/read/row_scanner.h"
#include "klip/filter_state.h"

namespace klip::engine {
namespace {

using Outcome = RowReader::Outcome;

// Seeks to each requested column separately, so that a filter on row and column can exclude files. The family's markers
// stand in the empty column.
Outcome ReadBySeeks(FamilyReader* reader, const std::vector<std::string>& qualifiers, RowReader* row, Result* result) {
  static const std::string kEmptyColumn("\0\1", 2);
  std::string prefix;
  row->StartFamily(reader);
  const auto read = [&](const std::string& qualifier) {
    prefix.assign(row->escaped_row()).append(qualifier);
    reader->cursor->SeekToStart(prefix);
    if (reader->cursor->at_end() || !reader->cursor->key().starts_with(prefix)) {
      return Outcome::kDone;
    }
    reader->cursor->EnterRow(prefix);
    return row->ReadColumn(reader, result);
  };
  Outcome outcome = Outcome::kDone;
  if (qualifiers.front() != kEmptyColumn) {
    outcome = read(kEmptyColumn);
  }
  for (size_t i = 0; i < qualifiers.size() && outcome == Outcome::kDone; ++i) {
    outcome = read(qualifiers[i]);
  }
  return outcome;
}

// ROWCOL filters help if the read names columns of every family.
bool ReadsBySeeks(const std::vector<FamilyReader>& readers, const Get& get) {
  return get.filter == nullptr && std::all_of(readers.begin(), readers.end(), [](const FamilyReader& reader) {
           return reader.family->descriptor.bloom == BloomKind::kRowCol && !reader.qualifiers().empty();
         });
}

Outcome ReadFamilies(std::vector<FamilyReader>* readers, bool by_seeks, bool existence_only, std::string_view start,
                     RowReader* row, Result* result) {
  for (FamilyReader& reader : *readers) {
    Outcome outcome = Outcome::kDone;
    if (by_seeks) {
      outcome = ReadBySeeks(&reader, reader.qualifiers(), row, result);
    } else {
      reader.cursor->SeekToStart(start);
      if (!reader.cursor->at_end()) {
        reader.cursor->EnterRow(row->escaped_row());
        outcome = row->ReadFamily(&reader, result);
      }
    }
    if (outcome == Outcome::kFailed || (existence_only && !result->empty())) {
      return outcome;
    }
  }
  return Outcome::kDone;
}

}  // namespace

Status ReadRow(const Store& store, const TablePtr& table, const Get& get, int64_t max_row_read_bytes, Result* result,
               ScanStatistics* statistics, const ReadView* view) {
  result->Clear();
  const std::string start = RowStartKey(get.row);
  const std::string end = RowEndKey(get.row);
  const rocksdb::Slice upper = end;  // outlives the cursors
  ScanStatistics local;
  ScanStatistics* counts = statistics != nullptr ? statistics : &local;
  ReadRequest request;
  request.row = get.row;
  request.columns = &get.columns;
  request.time_range = get.time_range;
  request.family_time_ranges = &get.family_time_ranges;
  request.max_versions = get.max_versions;
  request.has_filter = get.filter != nullptr;
  request.now_ms = view != nullptr ? view->now_ms() : store.NowMs();
  KLIP_ASSIGN_OR_RETURN(std::vector<FamilyReader> readers, MakeReaders(*table, request));

  std::unique_ptr<filter::FilterState> filter;
  if (get.filter != nullptr) {
    filter = get.filter->NewState(false);
    filter->Reset();
    if (filter->FilterAllRemaining() || filter->FilterRowKey(get.row)) {
      return filter->Error() != nullptr ? *filter->Error() : Status::Ok();
    }
  }
  RowReadLimits limits;
  limits.max_results_per_family = get.max_results_per_family;
  limits.row_offset_per_family = get.row_offset_per_family;
  limits.max_row_read_bytes = max_row_read_bytes;
  limits.existence_only = get.check_existence_only && (filter == nullptr || !filter->HasFilterRow());
  RowReader row(table.get(), limits, counts);
  row.set_filter(filter.get());

  const bool by_seeks = ReadsBySeeks(readers, get);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper;
  options.fill_cache = get.cache_blocks;
  // After a seek that used a filter on row and column, other columns may be missing.
  options.total_order_seek = !by_seeks && std::any_of(readers.begin(), readers.end(), [](const FamilyReader& reader) {
    return reader.family->descriptor.bloom == BloomKind::kRowCol;
  });
  KLIP_RETURN_IF_ERROR(OpenCursors(store, view, options, false, 0, &readers, counts));

  row.StartRow(start, start.size() == get.row.size() + 2);
  ++counts->rows_read;
  const Outcome outcome = ReadFamilies(&readers, by_seeks, limits.existence_only, start, &row, result);
  if (outcome == Outcome::kFailed) {
    result->Clear();
    return row.status();
  }
  KLIP_RETURN_IF_ERROR(CheckCursors(*table, readers));
  const bool found = row.Finish(result);
  KLIP_RETURN_IF_ERROR(row.status());
  counts->rows_returned += found ? 1 : 0;
  if (get.check_existence_only) {
    result->Clear();
    result->set_exists(found);
  }
  return Status::Ok();
}

}  // namespace klip::engine
