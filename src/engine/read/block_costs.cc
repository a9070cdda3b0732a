#include "engine/read/block_costs.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/perf_context.h"

#include "engine/layout/cell_key.h"
#include "engine/read/read_costs.h"
#include "engine/store/storage.h"
#include "engine/view/cell_reads.h"

namespace klip::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kProbes = 64;
constexpr int kReads = 4;
constexpr std::chrono::milliseconds kEnoughTime{30};
constexpr int kCellsAfter = kFarCells;  // some blocks, unless cells are small

double MicrosSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The first wanted row at or after this one; nullopt: there is none.
std::optional<std::string> WantedFrom(const std::string& row, filter::RowCursor* wanted) {
  const filter::RowCursor::Verdict verdict = wanted->Look(row);
  if (verdict == filter::RowCursor::Verdict::kEnd) {
    return std::nullopt;
  }
  return verdict == filter::RowCursor::Verdict::kInside ? row : std::string(wanted->target());
}

// Keys of up to kProbes wanted rows that follow sampled ones. Not the places of MeasureCosts, whose blocks it has just read.
std::vector<std::string> ProbesIn(const filter::KeySample& sample, const filter::RowSet& wanted) {
  const std::vector<filter::KeySample::Row>& rows = sample.rows.items;
  const auto by_bytes = &filter::KeySample::Row::bytes;
  const RowRange range = wanted.Bounds();
  const auto from = std::ranges::lower_bound(rows, range.start, {}, by_bytes);
  const auto to =
      range.stop.empty() ? rows.end() : std::ranges::lower_bound(from, rows.end(), range.stop, {}, by_bytes);
  const auto count = static_cast<size_t>(to - from);
  const size_t probes = std::min(kProbes, count);
  const auto cursor = wanted.NewCursor(/*reversed=*/false);
  std::vector<std::string> keys = {RowLowerBound(range.start)};
  for (size_t i = 0; i < probes; ++i) {
    const std::string& row = from[static_cast<ptrdiff_t>((2 * i + 1) * count / (2 * probes))].bytes;
    if (const std::optional<std::string> found = WantedFrom(row, cursor.get()); found.has_value()) {
      keys.push_back(RowLowerBound(*found));
    }
  }
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::unique_ptr<rocksdb::Iterator> NewIterator(const Store& store, const Family& family, rocksdb::ReadTier tier) {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  options.ignore_range_deletions = !HasRangeDeletions(family);
  options.read_tier = tier;
  return store.NewIterator(family, options);
}

// The keys whose blocks are not in the cache.
std::vector<std::string> NotCached(const Store& store, const Family& family, const std::vector<std::string>& keys) {
  std::vector<std::string> out;
  const auto cached = NewIterator(store, family, rocksdb::kBlockCacheTier);
  for (const std::string& key : keys) {
    cached->Seek(key);
    if (cached->status().IsIncomplete()) {
      out.push_back(key);
    }
  }
  return out;
}

// Reads blocks at some of the keys, and those after them.
void ReadBlocks(const Store& store, const Family& family, const std::vector<std::string>& keys, const ReadCosts& costs,
                BlockCosts* out) {
  const Clock::time_point start = Clock::now();
  const auto blocks_since = [](uint64_t before) {
    return static_cast<double>(rocksdb::get_perf_context()->block_read_count - before);
  };
  double far_us = 0;
  double far_blocks = 0;
  double near_us = 0;
  double near_blocks = 0;
  const size_t stride = std::max<size_t>(1, keys.size() / kReads);
  const auto iterator = NewIterator(store, family, rocksdb::kReadAllTier);
  for (size_t i = 0; i < keys.size() && (i == 0 || Clock::now() - start < kEnoughTime); i += stride) {
    uint64_t before = rocksdb::get_perf_context()->block_read_count;
    Clock::time_point then = Clock::now();
    iterator->Seek(keys[i]);
    far_us += MicrosSince(then) - costs.far_seek_us;
    far_blocks += blocks_since(before);
    before = rocksdb::get_perf_context()->block_read_count;
    then = Clock::now();
    int steps = 0;
    for (; steps < kCellsAfter && iterator->Valid(); ++steps) {
      iterator->Next();
    }
    if (const double blocks = blocks_since(before); blocks > 0) {
      near_us += MicrosSince(then) - steps * costs.step_us;
      near_blocks += blocks;
    }
  }
  out->far_us = std::max(0.0, far_us / std::max(1.0, far_blocks));
  out->near_us = near_blocks > 0 ? std::clamp(near_us / near_blocks, 0.0, out->far_us) : out->far_us;
}

}  // namespace

BlockCosts MeasureBlocks(const Store& store, const TablePtr& table, const filter::RowSet& wanted) {
  Storage& storage = store.storage();
  const Family* const family = storage.FamilyOfMostRows(*table);
  const Expected<TableStatistics> statistics = storage.Statistics(*table);
  const auto known = family == nullptr || !statistics.ok() ? nullptr : KnownCosts(&storage, *table, *statistics);
  if (known == nullptr || known->fixed_blocks.has_value()) {
    return known == nullptr ? BlockCosts() : *known->fixed_blocks;
  }
  const filter::SampledKeys keys = storage.SampleOf(*table);
  if (keys.sample == nullptr) {
    return {};
  }
  const std::vector<std::string> probes = ProbesIn(*keys.sample, wanted);
  const std::vector<std::string> missing = NotCached(store, *family, probes);
  BlockCosts costs = {.cells_per_block = storage.CellsPerBlock(*family)};
  costs.cached = 1 - static_cast<double>(missing.size()) / static_cast<double>(probes.size());
  if (!missing.empty()) {
    ReadBlocks(store, *family, missing, known->costs, &costs);
  }
  return costs;
}

}  // namespace klip::engine
