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
#include "engine/view/cell_reads.h"
#include "filter/rows/left_out_values.h"

namespace klip::engine {

// Of one family's files, at one StoreEvents::file_generation; and of its memory, as far as CountMemory has read it since then.
struct FamilyStatistics {
  uint64_t generation = 0;
  KeyStatistics keys;                                     // of files
  KeyStatistics memory;                                   // without anchors
  uint64_t entries_in_memory = 0;                         // that `memory` counts
  std::vector<double> distinct_prefixes;                  // of both, estimated once
  std::shared_ptr<const filter::KeySample> files_sample;  // null: some file has none
  std::shared_ptr<const filter::KeySample> sample;        // of both; null: as before
  int64_t bytes_on_disk = 0;
  uint64_t blocks = 0;
  int64_t files = 0;
  int sorted_runs = 0;
};

namespace {

// TUNING: memory is counted again when it has grown by one in so many entries.
constexpr uint64_t kNewInMemory = 10;

int64_t IntProperty(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, const std::string& name) {
  uint64_t value = 0;
  return db->GetIntProperty(handle, name, &value) ? static_cast<int64_t>(value) : 0;
}

uint64_t EntriesInMemory(rocksdb::DB* db, const Family& family) {
  return static_cast<uint64_t>(
      IntProperty(db, family.handle.get(), rocksdb::DB::Properties::kNumEntriesActiveMemTable) +
      IntProperty(db, family.handle.get(), rocksdb::DB::Properties::kNumEntriesImmMemTables));
}

// Null: there is none, as in files of older versions.
std::shared_ptr<filter::KeySample> SampleIn(const rocksdb::UserCollectedProperties& properties) {
  const auto stored = properties.find(kKeySampleProperty);
  auto sample = std::make_shared<filter::KeySample>();
  return stored != properties.end() && sample->Parse(stored->second) ? std::move(sample) : nullptr;
}

// Without rows if they are unreadable: then only estimates suffer.
KeyStatistics KeysIn(const rocksdb::UserCollectedProperties& properties) {
  const auto stored = properties.find(kKeyStatisticsProperty);
  Expected<KeyStatistics> keys =
      stored == properties.end() ? Expected<KeyStatistics>(KeyStatistics()) : KeyStatistics::Parse(stored->second);
  return keys.ok() ? *std::move(keys) : KeyStatistics();
}

// Null if a file has none.
std::shared_ptr<const filter::KeySample> MergedSample(const rocksdb::TablePropertiesCollection& files) {
  auto merged = std::make_shared<filter::KeySample>();
  for (const auto& [file, table] : files) {
    const auto sample = SampleIn(table->user_collected_properties);
    if (sample == nullptr) {
      return nullptr;
    }
    merged->Merge(*sample);
  }
  return merged;
}

// The same with its numbers of omitted values.
std::shared_ptr<const filter::KeySample> Counted(const std::shared_ptr<const filter::KeySample>& merged,
                                                 const Family& family) {
  if (merged == nullptr) {
    return nullptr;
  }
  auto sample = std::make_shared<filter::KeySample>(*merged);
  filter::CountLeftOut(*family.state->key_parts.load(), sample.get());
  return sample;
}

// What a file with the family's cells in memory would record.
rocksdb::UserCollectedProperties PropertiesOfMemory(rocksdb::DB* db, const Family& family) {
  rocksdb::ReadOptions options = CellReads(family);
  options.read_tier = rocksdb::kMemtableTier;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> cells(db->NewIterator(options, family.handle.get()));
  const std::unique_ptr<rocksdb::TablePropertiesCollector> collector(
      NewKeyStatisticsFactory(family.state)->CreateTablePropertiesCollector({}));
  for (cells->SeekToFirst(); cells->Valid(); cells->Next()) {
    collector->AddUserKey(cells->key(), cells->value(), rocksdb::kEntryPut, 0, 0).PermitUncheckedError();
  }
  rocksdb::UserCollectedProperties properties;
  collector->Finish(&properties).PermitUncheckedError();
  return properties;
}

// Of files and memory together.
void Summarize(const Family& family, FamilyStatistics* statistics) {
  KeyStatistics both = statistics->keys;
  both.Merge(statistics->memory);
  if (both.rows > 0) {
    const double cells_per_row = static_cast<double>(both.cells) / static_cast<double>(both.rows);
    family.state->cells_per_row.store(cells_per_row, std::memory_order_relaxed);
  }
  statistics->distinct_prefixes.clear();
  for (const DistinctCounter& prefix : both.prefixes) {
    statistics->distinct_prefixes.push_back(prefix.Estimate());
  }
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

// Merged statistics of a family, recomputed when the set of files has changed.
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
    fresh->files_sample = MergedSample(properties);
    fresh->sample = Counted(fresh->files_sample, family);
    for (const auto& [file, table] : properties) {
      fresh->blocks += table->num_data_blocks;
      fresh->keys.Merge(KeysIn(table->user_collected_properties));
    }
  }
  Summarize(family, fresh.get());
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

void Storage::CountMemory(const TableView& table) {
  for (const Family& family : table.families) {
    const auto before = StatisticsOf(family);
    const uint64_t counted = before->entries_in_memory;
    const uint64_t entries = EntriesInMemory(database_->db.get(), family);
    if (entries <= counted + counted / kNewInMemory && entries >= counted) {
      continue;
    }
    const rocksdb::UserCollectedProperties properties = PropertiesOfMemory(database_->db.get(), family);
    auto fresh = std::make_shared<FamilyStatistics>(*before);
    fresh->memory = KeysIn(properties);
    fresh->memory.anchors.clear();
    fresh->entries_in_memory = entries;
    Summarize(family, fresh.get());
    const auto in_memory = SampleIn(properties);
    if (fresh->files_sample != nullptr && in_memory != nullptr) {
      auto merged = std::make_shared<filter::KeySample>(*fresh->files_sample);
      merged->Merge(*in_memory);
      fresh->sample = Counted(merged, family);
    }
    const std::lock_guard lock(mutex_);
    statistics_[family.id] = fresh;
  }
}

bool Storage::HasRowsInFiles(const TableView& table) {
  return std::ranges::any_of(table.families,
                             [this](const Family& family) { return StatisticsOf(family)->keys.rows > 0; });
}

int64_t Storage::UncountedCells(const TableView& table) {
  uint64_t cells = 0;
  for (const Family& family : table.families) {
    cells += StatisticsOf(family)->entries_in_memory > 0 ? 0 : EntriesInMemory(database_->db.get(), family);
  }
  return static_cast<int64_t>(cells);
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
    const auto statistics = StatisticsOf(family);
    if (const int64_t rows = statistics->keys.rows + statistics->memory.rows; rows > most) {
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
    const KeyStatistics& memory = statistics->memory;
    // Since it was counted, memory has grown.
    const double growth = statistics->entries_in_memory == 0
                              ? 1
                              : std::max(1.0, static_cast<double>(EntriesInMemory(database_->db.get(), family)) /
                                                  static_cast<double>(statistics->entries_in_memory));
    const auto with_memory = [growth](int64_t in_files, int64_t in_memory) {
      return in_files + static_cast<int64_t>(static_cast<double>(in_memory) * growth);
    };
    const int64_t rows = with_memory(keys.rows, memory.rows);
    // Each family contains some of the rows: the largest represents the table best.
    if (rows > out.rows || out.fields.empty()) {
      out.rows = std::max(out.rows, rows);
      out.fields.clear();
      for (const double distinct : statistics->distinct_prefixes) {
        out.fields.push_back({.name = {}, .distinct_prefixes = distinct});
      }
    }
    out.cells += with_memory(keys.cells, memory.cells);
    out.delete_markers += with_memory(keys.delete_markers, memory.delete_markers);
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
