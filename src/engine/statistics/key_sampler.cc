// Draws a sample in one pass and bounded memory. Most rows only cost the comparison of a hash.
//
// Rows and prefixes are kept if their hash is below a limit, which falls as they become too many. Values are counted by
// runs of rows. A run of r rows is counted if r >= t. Otherwise it is counted with probability r / t, as if it had t
// rows, which keeps the expected sums correct. The threshold t grows with the file: 1 for the first 4,096 rows, then
// doubling whenever the rows double. So a file costs some 2,000 look-ups, and as many for each doubling of its rows.
//
// Example: t = 8. A run of 20 rows of "alice" adds 20. Of 8 runs of one row each, about one is counted, and adds 8 rows
// (and 8 prefixes): the total is right on average, at an eighth of the look-ups.
#include "engine/statistics/key_sampler.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace klip::engine {
namespace {

using filter::KeySample;

constexpr int64_t kAllCounted = 2048;  // TUNING: rows after which the threshold begins to grow
constexpr size_t kMostValues = 4 * KeySample::kMaxValues;

template <typename Item>
void SortByBytes(std::vector<Item>* items) {
  std::sort(items->begin(), items->end(), [](const Item& a, const Item& b) { return a.bytes < b.bytes; });
  items->erase(
      std::unique(items->begin(), items->end(), [](const Item& a, const Item& b) { return a.bytes == b.bytes; }),
      items->end());  // long items are cut, so cut ones may be equal
}

std::vector<KeySample::Value> MostCommon(const std::unordered_map<uint64_t, KeySample::Value>& by_hash, size_t most) {
  std::vector<KeySample::Value> values;
  values.reserve(by_hash.size());
  for (const auto& [hash, value] : by_hash) {
    values.push_back(value);
  }
  if (values.size() > most) {
    std::nth_element(
        values.begin(), values.begin() + static_cast<std::ptrdiff_t>(most), values.end(),
        [](const auto& a, const auto& b) { return std::tie(b.rows, b.bytes) < std::tie(a.rows, a.bytes); });
    values.resize(most);
  }
  return values;
}

}  // namespace

bool KeySampler::DrawRow(std::string_view row, uint64_t hash) {
  if (rows_.items.size() == 2 * KeySample::kMaxRows) {
    rows_.Limit(KeySample::kMaxRows);
    if (hash > rows_.limit) {
      return false;
    }
  }
  rows_.items.push_back({.bytes = std::string(row.substr(0, KeySample::kMaxBytes)), .hash = hash});
  return true;
}

void KeySampler::AddCell(CellType type, int64_t timestamp_ms) {
  KeySample::Row& row = rows_.items.back();
  if (type == CellType::kPut) {
    row.newest_ms = std::max(row.newest_ms, timestamp_ms);
  } else if (type == CellType::kDeleteFamily) {
    row.deleted_ms = std::max(row.deleted_ms, timestamp_ms);
  }
}

void KeySampler::DrawPrefix(KeySample::Draw<KeySample::Prefix>* drawn, std::string_view prefix, uint64_t hash,
                            int64_t rows) {
  if (drawn->items.size() == 2 * KeySample::kMaxPrefixes) {
    drawn->Limit(KeySample::kMaxPrefixes);
    if (hash > drawn->limit) {
      return;
    }
  }
  drawn->items.push_back(
      {.bytes = std::string(prefix.substr(0, KeySample::kMaxBytes)), .hash = hash, .rows = static_cast<double>(rows)});
}

void KeySampler::CountValue(PartValues* values, std::string_view value, int64_t rows) {
  const uint64_t hash = filter::SampleHash(value);
  values->distinct.Add(hash);
  ++values->counted;
  const int64_t threshold = few_rows_;  // the one by which the run was chosen
  while (rows_seen_ >= 2 * kAllCounted * few_rows_) {
    few_rows_ *= 2;
  }
  if (value.size() > KeySample::kMaxValueBytes) {
    return;
  }
  const auto [at, is_new] = values->by_hash.try_emplace(hash);
  if (is_new) {
    at->second.bytes = value;
  }
  at->second.rows += static_cast<double>(std::max(rows, threshold));
  at->second.prefixes += std::max(1.0, static_cast<double>(threshold) / static_cast<double>(rows));
  if (values->by_hash.size() > kMostValues) {
    std::unordered_map<uint64_t, KeySample::Value> kept;
    kept.reserve(kMostValues + 1);
    for (KeySample::Value& common : MostCommon(values->by_hash, kMostValues / 2)) {
      kept.emplace(filter::SampleHash(common.bytes), std::move(common));
    }
    values->by_hash = std::move(kept);
  }
}

// Extrapolates from the counted runs to all runs. If nearly all counted runs had distinct values, the others have new
// ones too; if few had, the others repeat them.
double KeySampler::DistinctOf(const PartValues& values) {
  const double distinct = values.distinct.Estimate();
  const double counted = std::max(1.0, static_cast<double>(values.counted));
  return distinct * std::pow(static_cast<double>(values.runs) / counted, std::min(1.0, distinct / counted));
}

KeySample KeySampler::Finish(int64_t rows, bool prefix_is_row) {
  KeySample sample;
  sample.rows = std::move(rows_);
  sample.rows.Limit(KeySample::kMaxRows);
  SortByBytes(&sample.rows.items);
  for (size_t i = 0; i < prefixes_.size(); ++i) {
    KeySample::Draw<KeySample::Prefix>& prefixes = sample.prefixes.emplace_back(std::move(prefixes_[i]));
    prefixes.Limit(KeySample::kMaxPrefixes);
    SortByBytes(&prefixes.items);
    if (prefix_is_row && i + 1 == prefixes_.size()) {
      prefixes = {.limit = 0, .items = {}};
    }
    PartValues& counted = values_[i];
    KeySample::Values& values = sample.values.emplace_back();
    values.common = MostCommon(counted.by_hash, KeySample::kMaxValues);
    if (few_rows_ > 1 || counted.by_hash.size() > values.common.size()) {
      // Of the values that came once, these are a few: which ones is chance, as is the count of theirs.
      std::erase_if(values.common,
                    [this](const KeySample::Value& value) { return value.rows <= static_cast<double>(few_rows_); });
    }
    SortByBytes(&values.common);
    values.rows = static_cast<double>(rows);
    values.prefixes = static_cast<double>(counted.runs);
    values.left_out = values.most_left_out =
        std::max(0.0, DistinctOf(counted) - static_cast<double>(values.common.size()));
  }
  return sample;
}

}  // namespace klip::engine
