// Storage: a store's tables in memory and in files. Flushes, compactions, sizes, statistics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/statistics/kept_stretches.h"
#include "engine/view/table_view.h"
#include "filter/rows/key_sample.h"
#include "klip/admin.h"
#include "klip/cluster_metrics.h"
#include "klip/plan.h"
#include "klip/status.h"

namespace klip::engine {

struct Database;
struct FamilyStatistics;
class Views;
class Writer;

// Thread-safe.
class Storage {
 public:
  // All outlive it.
  Storage(const Database* database, const Views* views, Writer* writer);
  ~Storage();

  // Flushes all families, or one. Runs StorageHooks.
  Status Flush(std::string_view table, std::string_view family = {});
  Status Compact(std::string_view table, bool major, std::string_view family = {});
  // Flushes families without StorageHooks: allowed while locks are held.
  Status FlushFamilies(std::span<const Family> families);

  StoreMetrics Metrics();
  // Of files, and of memory as far as it has been counted since the last flush.
  Expected<TableStatistics> Statistics(const TableView& table);
  // Reads all cells in memory, so that the other statistics include them; takes some 0.3 us each. Does nothing if few are new.
  void CountMemory(const TableView& table);
  // Whether its files have rows.
  bool HasRowsInFiles(const TableView& table);
  // Those in memory, if Statistics does not include memory; else 0.
  int64_t UncountedCells(const TableView& table);
  // As far as statistics know; the table's own. Null: no row is known.
  const Family* FamilyOfMostRows(const TableView& table);
  // Of that family.
  filter::SampledKeys SampleOf(const TableView& table);
  // Of the family's files. 0: it has none.
  double CellsPerBlock(const Family& family);
  // For explain; see read/read_costs.h.
  KeptStretches& stretches() { return stretches_; }
  // Approximate bytes of rows in [start, end), in all families: on disk and, with `memory`, in memory.
  int64_t ApproximateBytes(const TableView& table, std::string_view start, std::string_view end,
                           bool memory = true) const;
  int64_t BytesOf(const Family& family, std::string_view start, std::string_view end, bool memory) const;
  // Up to `pieces` - 1 rows that cut [start, end) into pieces of about equal size, from the samples in the files. For
  // splits and parallel scans.
  std::vector<std::string> SplitPoints(const TableView& table, std::string_view start, std::string_view end,
                                       int pieces);
  // Names of the family's files that may contain rows of [start, end).
  std::vector<std::string> FileNames(const Family& family, std::string_view start, std::string_view end) const;
  // For each region, the number of files, over all families, that may contain its rows.
  std::vector<int32_t> FileCounts(const TableView& table) const;

  // Takes effect immediately; blocks in use stay.
  void ResizeBlockCache(int64_t bytes);
  // Drops all blocks that are not in use.
  CacheEviction ClearBlockCache();

  // Reads what the family's files record about their rows. Call it before any row is written.
  void NoteRowsOfFiles(const Family& family);
  // Call it when the family has been dropped.
  void Forget(const Family& family);

 private:
  std::shared_ptr<const FamilyStatistics> StatisticsOf(const Family& family);
  Status CompactFamily(const Family& family, bool major);
  Status CompactBy(const model::FamilyPolicy* policy, const Family& family, bool major);

  const Database* const database_;
  const Views* const views_;
  Writer* const writer_;
  KeptStretches stretches_;
  std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<const FamilyStatistics>> statistics_;  // by family id; guarded by mutex_
};

}  // namespace klip::engine
