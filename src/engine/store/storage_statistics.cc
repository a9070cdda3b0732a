// A store's statistics of its data: statistics from table properties, sizes, split points, metrics.
#include <algorithm>
#include <utility>

#include "rocksdb/statistics.h"
#include "rocksdb/table_properties.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/rocks/rocksdb_versions.h"
#include "engine/statistics/key_statistics.h"
#include "engine/store/database.h"
#include "engine/store/storage.h"
#include "engine/store/views.h"

namespace klip::engine {

// Of the files of one family, at one StoreEvents::file_generation.
struct FamilyStatistics {
  uint64_t generation = 0;
  KeyStatistics keys;
  std::vector<double> distinct_prefixes;            // keys.prefixes, estimated once
  std::shared_ptr<const filter::KeySample> sample;  // null: some file has none
  int64_t bytes_on_disk = 0;
  uint64_t blocks = 0;
  int64_t files = 0;
  int sorted_runs = 0;
};

namespace {

int64_t IntProperty(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, const std::string& name) {
  uint64_t value = 0;
  return db->GetIntProperty(handle, name, &value) ? static_cast<int64_t>(value) : 0;
}

// Null if a file has none, like files of older versions.
std::shared_ptr<const filter::KeySample> MergedSample(const rocksdb::TablePropertiesCollection& files) {
  auto merged = std::make_shared<filter::KeySample>();
  for (const auto& [file, table] : files) {
    const auto stored = table->user_collected_properties.find(kKeySampleProperty);
    filter::KeySample sample;
    if (stored == table->user_collected_properties.end() || !sample.Parse(stored->second)) {
      return nullptr;
    }
    merged->Merge(sample);
  }
  return merged;
}

}  // namespace

Storage::Storage(const Database* database, const Views* views, Writer* writer)
    : database_(database),
      views_(views),
      writer_(writer),
      stretches_(std::min(KeptStretches::kMostBytes,
                          database->shared.block_cache->GetCapacity() / KeptStretches::kShareOfCache)) {}
Storage::~Storage() = default;

void Storage::Forget(const Family& family) {
  stretches_.Erase(family.id);
  const std::lock_guard lock(mutex_);
  statistics_.erase(family.id);
}

// Merged statistics of a family's files, recomputed when the set of files has changed.
std::shared_ptr<const FamilyStatistics> Storage::StatisticsOf(const Family& family) {
  const uint64_t generation = database_->events->file_generation.load(std::memory_order_acquire);
  {
    const std::lock_guard lock(mutex_);
    const auto found = statistics_.find(family.id);
    if (found != statistics_.end() && found->second->generation == generation) {
      return found->second;
    }
  }
  auto fresh = std::make_shared<FamilyStatistics>();
  fresh->generation = generation;
  rocksdb::TablePropertiesCollection properties;
  if (database_->db->GetPropertiesOfAllTables(family.handle.get(), &properties).ok()) {
    fresh->sample = MergedSample(properties);
    for (const auto& [file, table] : properties) {
      fresh->blocks += table->num_data_blocks;
      const auto stored = table->user_collected_properties.find(kKeyStatisticsProperty);
      if (stored == table->user_collected_properties.end()) {
        continue;
      }
      // If a file's statistics are unreadable, only estimates suffer.
      if (const Expected<KeyStatistics> parsed = KeyStatistics::Parse(stored->second); parsed.ok()) {
        fresh->keys.Merge(*parsed);
      }
    }
  }
  for (const DistinctCounter& prefix : fresh->keys.prefixes) {
    fresh->distinct_prefixes.push_back(prefix.Estimate());
  }
  rocksdb::ColumnFamilyMetaData meta;
  database_->db->GetColumnFamilyMetaData(family.handle.get(), &meta);
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    fresh->bytes_on_disk += static_cast<int64_t>(level.size);
    fresh->files += static_cast<int64_t>(level.files.size());
    if (level.level == 0) {
      fresh->sorted_runs += static_cast<int>(level.files.size());
    } else if (!level.files.empty()) {
      ++fresh->sorted_runs;
    }
  }
  const std::lock_guard lock(mutex_);
  statistics_[family.id] = fresh;
  return fresh;
}

void Storage::NoteRowsOfFiles(const Family& family) {
  family.state->NoteRowBytes(StatisticsOf(family)->keys.shortest_row_bytes);
  rocksdb::TablePropertiesCollection properties;
  if (!database_->db->GetPropertiesOfAllTables(family.handle.get(), &properties).ok()) {
    family.state->leads->GiveUp();
    family.state->has_range_deletions = true;
    return;
  }
  for (const auto& [file, table] : properties) {
    if (table->num_range_deletions != 0) {
      family.state->has_range_deletions = true;
    }
    const auto stored = table->user_collected_properties.find(kLeadingValuesProperty);
    if (stored == table->user_collected_properties.end() || stored->second.empty() ||
        !family.state->leads->AddSerialized(stored->second).ok()) {
      family.state->leads->GiveUp();  // jumps only become more expensive
    }
  }
}

const Family* Storage::FamilyOfMostRows(const TableView& table) {
  const Family* found = nullptr;
  int64_t most = 0;
  for (const Family& family : table.families) {
    if (const int64_t rows = StatisticsOf(family)->keys.rows; rows > most) {
      most = rows;
      found = &family;
    }
  }
  return found;
}

double Storage::CellsPerBlock(const Family& family) {
  const auto statistics = StatisticsOf(family);
  return statistics->blocks == 0
             ? 0
             : static_cast<double>(statistics->keys.cells) / static_cast<double>(statistics->blocks);
}

filter::SampledKeys Storage::SampleOf(const TableView& table) {
  const Family* const family = FamilyOfMostRows(table);
  if (family == nullptr) {
    return {};
  }
  filter::SampledKeys out = {.sample = StatisticsOf(*family)->sample};
  if (const auto policy = family->state->policy.load(); policy->min_versions == 0) {
    out.oldest_ms = policy->OldestUnexpired(database_->options.clock_ms());
  }
  out.leads = family->state->leads->Known();
  return out;
}

Expected<TableStatistics> Storage::Statistics(const TableView& table) {
  TableStatistics out;
  for (const Family& family : table.families) {
    const auto statistics = StatisticsOf(family);
    const KeyStatistics& keys = statistics->keys;
    // Each family contains some of the rows: the largest represents the table best.
    if (keys.rows > out.rows || out.fields.empty()) {
      out.rows = std::max(out.rows, keys.rows);
      out.fields.clear();
      for (const double distinct : statistics->distinct_prefixes) {
        out.fields.push_back({.name = {}, .distinct_prefixes = distinct});
      }
    }
    out.cells += keys.cells;
    out.delete_markers += keys.delete_markers;
    out.bytes_on_disk += statistics->bytes_on_disk;
    out.sorted_runs = std::max(out.sorted_runs, statistics->sorted_runs);
    out.bytes_in_memory +=
        IntProperty(database_->db.get(), family.handle.get(), rocksdb::DB::Properties::kCurSizeAllMemTables);
  }
  return out;
}

namespace {

// The keys of rows in [start, end); an empty `end` means up to the last key.
rocksdb::Range KeyRange(std::string_view start, std::string_view end, std::string* low, std::string* high) {
  *low = RowLowerBound(start);
  *high = end.empty() ? std::string(9, '\xff') : RowLowerBound(end);
  return {*low, *high};
}

}  // namespace

int64_t Storage::BytesOf(const Family& family, std::string_view start, std::string_view end, bool memory) const {
  std::string low;
  std::string high;
  const rocksdb::Range range = KeyRange(start, end, &low, &high);
  if (low >= high) {
    return 0;  // RocksDB would abort
  }
  rocksdb::SizeApproximationOptions how;
  how.include_files = true;
  how.include_memtables = memory;
  uint64_t bytes = 0;
  return database_->db->GetApproximateSizes(how, family.handle.get(), &range, 1, &bytes).ok()
             ? static_cast<int64_t>(bytes)
             : 0;
}

int64_t Storage::ApproximateBytes(const TableView& table, std::string_view start, std::string_view end,
                                  bool memory) const {
  int64_t bytes = 0;
  for (const Family& family : table.families) {
    bytes += BytesOf(family, start, end, memory);
  }
  return bytes;
}

std::vector<std::string> Storage::SplitPoints(const TableView& table, std::string_view start, std::string_view end,
                                              int pieces) {
  // The family with the most bytes decides, as in HBase.
  std::vector<KeyStatistics::Anchor> anchors;
  int64_t most = 0;
  for (const Family& family : table.families) {
    const auto statistics = StatisticsOf(family);
    std::vector<KeyStatistics::Anchor> inside;
    int64_t bytes = 0;
    for (const KeyStatistics::Anchor& anchor : statistics->keys.anchors) {
      if (anchor.row >= start && (end.empty() || anchor.row < end)) {
        bytes += anchor.bytes;
        inside.push_back(anchor);
      }
    }
    if (bytes > most) {
      most = bytes;
      anchors = std::move(inside);
    }
  }
  std::vector<std::string> points;
  int64_t before = 0;
  for (const KeyStatistics::Anchor& anchor : anchors) {
    const auto next = static_cast<int64_t>(points.size()) + 1;
    if (next >= pieces) {
      break;
    }
    if (before * pieces >= most * next && anchor.row > start && (points.empty() || anchor.row > points.back())) {
      points.push_back(anchor.row);
    }
    before += anchor.bytes;
  }
  return points;
}

namespace {

// Calls visit(file) for the family's files that may contain rows of [start, end).
template <typename Visit>
void VisitFiles(const rocksdb::ColumnFamilyMetaData& family, std::string_view start, std::string_view end,
                Visit visit) {
  const std::string low = RowLowerBound(start);
  const std::string high = end.empty() ? std::string() : RowLowerBound(end);
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (file.largestkey >= low && (high.empty() || file.smallestkey < high)) {
        visit(file);
      }
    }
  }
}

}  // namespace

std::vector<std::string> Storage::FileNames(const Family& family, std::string_view start, std::string_view end) const {
  rocksdb::ColumnFamilyMetaData files;
  database_->db->GetColumnFamilyMetaData(family.handle.get(), &files);
  std::vector<std::string> names;
  VisitFiles(files, start, end, [&](const rocksdb::SstFileMetaData& file) { names.push_back(file.name); });
  return names;
}

std::vector<int32_t> Storage::FileCounts(const TableView& table) const {
  std::vector<int32_t> counts(table.regions->size());
  for (const Family& family : table.families) {
    rocksdb::ColumnFamilyMetaData files;
    database_->db->GetColumnFamilyMetaData(family.handle.get(), &files);
    for (size_t i = 0; i < counts.size(); ++i) {
      const Region& region = (*table.regions)[i];
      VisitFiles(files, region.start_key, region.end_key, [&](const rocksdb::SstFileMetaData&) { ++counts[i]; });
    }
  }
  return counts;
}

StoreMetrics Storage::Metrics() {
  const rocksdb::Statistics& tickers = *database_->shared.statistics;
  const auto ticker = [&](rocksdb::Tickers name) { return static_cast<int64_t>(tickers.getTickerCount(name)); };
  StoreMetrics metrics;
  metrics.bloom_useful = static_cast<int64_t>(CountBloomUseful(tickers));
  metrics.block_cache_hits = ticker(rocksdb::BLOCK_CACHE_HIT);
  metrics.block_cache_misses = ticker(rocksdb::BLOCK_CACHE_MISS);
  metrics.block_cache_bytes = static_cast<int64_t>(database_->shared.block_cache->GetUsage());
  metrics.wal_syncs = ticker(rocksdb::WAL_FILE_SYNCED);
  metrics.running_compactions = database_->events->running_compactions.load(std::memory_order_relaxed);
  uint64_t sum = 0;
  if (database_->db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &sum)) {
    metrics.memtable_bytes = static_cast<int64_t>(sum);
  }
  if (database_->db->GetAggregatedIntProperty(rocksdb::DB::Properties::kEstimateTableReadersMem, &sum)) {
    metrics.table_reader_bytes = static_cast<int64_t>(sum);
  }
  for (const TablePtr& view : views_->All()) {
    for (const Family& family : view->AllFamilies()) {
      const auto statistics = StatisticsOf(family);
      metrics.files += statistics->files;
      metrics.bytes_on_disk += statistics->bytes_on_disk;
    }
  }
  return metrics;
}

}  // namespace klip::engine
