// Reads: scans of a table with kRows sampled rows, each the fastest of several runs. From their times follow the costs of
// steps, of rows handed out, and of seeks near and far:
//
//   all rows                      rows * (cells * step + return)
//   all rows, none handed out     rows *  cells * step
//   every kNear-th, kFar-th row   seeks * seek + steps * step + found * return
//   some of the queries           seeks * seek + steps * step + found * return + others * look
//
// Writes: the rows as they are; with kMoreBytes more in a value; with an index on a column.
//
// Example: 4,096 rows of one cell are read in 1.6 ms, and in 1.2 ms if a filter drops them all: 0.3 us a step, 0.1 us a row returned.
// The scan of every 256th row takes 0.1 ms for 16 seeks: 6 us each.
#include "advise/lab_costs.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "advise/trial_store.h"
#include "filter/rows/row_set.h"
#include "klip/comparator.h"
#include "klip/filter.h"
#include "rowkey/column_filter.h"

namespace klip::advise {
namespace {

constexpr size_t kRows = 8192;  // more than a table knows leading values of
constexpr size_t kLeastRows = 500;
constexpr size_t kRowsToPut = 1000;
constexpr size_t kMoreBytes = 500;
constexpr size_t kNear = 16;
constexpr size_t kFar = rowkey::CostModel::kFarCells;
constexpr size_t kMostQueries = 8;
constexpr double kLeastDropped = 256;

// The cost of a seek to every nth of these rows.
Expected<double> SeekUs(const std::vector<std::string>& rows, size_t every, const rowkey::CostModel& costs,
                        Table* table) {
  std::vector<RowRange> wanted;
  for (size_t i = every; i < rows.size(); i += every) {
    wanted.push_back({.start = rows[i], .stop = rows[i] + std::string(1, '\0')});
  }
  klip::Scan scan;
  scan.rows = filter::RowSet::FromRanges(wanted);
  KLIP_ASSIGN_OR_RETURN(const ScanStatistics read, TimeScan(scan, table));
  const double others =
      static_cast<double>(read.steps) * costs.step_us + static_cast<double>(read.rows_returned) * costs.return_us;
  return (static_cast<double>(read.elapsed_us) - others) / std::max(1.0, static_cast<double>(read.seeks));
}

// What the queries take beyond that, for each row that they read and do not return. Those that mainly seek say nothing about it.
Expected<double> LookUs(const LabQueries& queries, const rowkey::CostModel& costs, Table* table) {
  double us = 0;
  double rows = 0;
  size_t tried = 0;
  for (const LabQuery& query : queries.queries) {
    if (rowkey::AsksColumns(query.where) || query.limit_rows > 0 || ++tried > kMostQueries) {
      continue;
    }
    klip::Scan scan;
    scan.where = query.where;
    KLIP_ASSIGN_OR_RETURN(const ScanStatistics read, TimeScan(scan, table));
    const auto took_us = static_cast<double>(read.elapsed_us);
    const auto seeks = static_cast<double>(read.seeks);
    const double seeks_us = seeks * costs.SeekUs(static_cast<double>(read.cells_read) / std::max(1.0, seeks));
    const auto dropped = static_cast<double>(read.rows_read - read.rows_returned);
    if (dropped >= kLeastDropped && seeks_us < took_us / 4) {
      us += took_us - seeks_us - static_cast<double>(read.steps) * costs.step_us -
            static_cast<double>(read.rows_returned) * costs.return_us;
      rows += dropped;
    }
  }
  return rows > 0 ? std::max(0.0, us / rows) : 0;
}

Status MeasureReads(const LabInput& input, const KeyDesign& present, TrialStore* store, rowkey::CostModel* costs) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, store->Load(input, present, "reads", kRows));
  std::vector<std::string> rows;
  {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, table->Scan({}));
    Result row;
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    while (more) {
      rows.emplace_back(row.row());
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    }
  }
  KLIP_ASSIGN_OR_RETURN(const ScanStatistics all, TimeScan({}, table.get()));
  klip::Scan none;
  none.filter = ValueFilter(CompareOp::kEqual, BinaryComparator("\x01no value"));
  KLIP_ASSIGN_OR_RETURN(const ScanStatistics dropped, TimeScan(none, table.get()));
  const auto count = static_cast<double>(rows.size());
  const double cells = std::max(1.0, static_cast<double>(all.cells_read) / count);
  const double row_us = static_cast<double>(all.elapsed_us) / count;
  rowkey::CostModel measured;
  measured.step_us =
      std::clamp(static_cast<double>(dropped.elapsed_us) / count / cells, row_us / cells / 4, row_us / cells);
  measured.short_step_us = measured.step_us;
  measured.return_us = std::max(0.0, row_us - cells * measured.step_us);
  KLIP_ASSIGN_OR_RETURN(measured.seek_us, SeekUs(rows, kNear, measured, table.get()));
  KLIP_ASSIGN_OR_RETURN(measured.far_seek_us, SeekUs(rows, kFar, measured, table.get()));
  measured.seek_us = std::max(measured.seek_us, measured.step_us);
  measured.far_seek_us = std::max(measured.far_seek_us, measured.seek_us);
  measured.fetch_us = measured.far_seek_us + cells * measured.step_us;
  KLIP_ASSIGN_OR_RETURN(measured.look_us, LookUs(input.queries, measured, table.get()));
  // What a scan compares when it decides between steps and a seek: only the moves, not what it does with a row afterwards.
  KLIP_ASSIGN_OR_RETURN(const Explain explained, table->Explain({}));
  if (explained.costs) {
    measured.short_step_us = measured.seek_us * explained.costs->short_step_us / explained.costs->seek_us;
  }
  *costs = measured;  // `measured` stays false: scans of the designs' tables do not know them
  return {};
}

Status MeasureWrites(const LabInput& input, const KeyDesign& present, TrialStore* store, LabCosts* costs) {
  const LabInput bare = {.sample = input.sample, .queries = input.queries, .indexes = {}};
  KLIP_ASSIGN_OR_RETURN(costs->put_us, store->TimePuts(bare, present, "puts", kRowsToPut));
  KLIP_ASSIGN_OR_RETURN(const double larger_us, store->TimePuts(bare, present, "more", kRowsToPut, kMoreBytes));
  costs->byte_us = std::max(0.0, larger_us - costs->put_us) / kMoreBytes;
  KeyDesign indexed = present;
  KLIP_ASSIGN_OR_RETURN(indexed.indexes.emplace_back(), IndexDescriptor::Parse("trial", "d:0 text"));
  KLIP_ASSIGN_OR_RETURN(const double indexed_us, store->TimePuts(bare, indexed, "indexed", kRowsToPut));
  costs->entry_us = std::max(0.0, indexed_us - costs->put_us);
  return {};
}

}  // namespace

Expected<LabCosts> MeasureCosts(const LabInput& input) {
  LabCosts costs;
  if (input.sample.size() < kLeastRows) {
    return costs;
  }
  TrialStore store;
  KLIP_RETURN_IF_ERROR(store.Open());
  const KeyDesign present = {.schema = input.sample.schema.ToString(), .what = "the present keys"};
  KLIP_RETURN_IF_ERROR(MeasureReads(input, present, &store, &costs.read));
  KLIP_RETURN_IF_ERROR(MeasureWrites(input, present, &store, &costs));
  costs.measured = true;
  return costs;
}

}  // namespace klip::advise
