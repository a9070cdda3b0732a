// KeySampler: draws a filter::KeySample from the rows of one file while it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/statistics/key_statistics.h"
#include "filter/rows/key_sample.h"
#include "klip/cell.h"

namespace klip::engine {

// Rows come in key order: StartRow, then AddCell for each of its cells. EndRun reports runs of rows that share a prefix.
class KeySampler {
 public:
  explicit KeySampler(size_t parts) : prefixes_(parts), values_(parts) {}

  // `hash`: SampleHash(row).
  void StartRow(std::string_view row, uint64_t hash) {
    ++rows_seen_;
    row_drawn_ = hash <= rows_.limit && DrawRow(row, hash);
  }
  bool wants_cells() const { return row_drawn_; }
  // REQUIRES: wants_cells().
  void AddCell(CellType type, int64_t timestamp_ms);

  // `rows` rows had the same key parts 0..part, which are `prefix`; the last of them is `value`. `hash`:
  // SampleHash(prefix).
  void EndRun(size_t part, std::string_view prefix, std::string_view value, uint64_t hash, int64_t rows) {
    if (hash <= prefixes_[part].limit) {
      DrawPrefix(&prefixes_[part], prefix, hash, rows);
    }
    PartValues& values = values_[part];
    ++values.runs;
    // The low bits decide here, since the high bits decide what is drawn.
    if (rows >= few_rows_ || static_cast<int64_t>(hash & static_cast<uint64_t>(few_rows_ - 1)) < rows) {
      CountValue(&values, value, rows);
    }
  }

  // The sample. `prefix_is_row`: no row continues after its last part.
  filter::KeySample Finish(int64_t rows, bool prefix_is_row);

 private:
  struct PartValues {
    std::unordered_map<uint64_t, filter::KeySample::Value> by_hash;
    DistinctCounter distinct;
    int64_t runs = 0;
    int64_t counted = 0;  // of them
  };

  static double DistinctOf(const PartValues& values);
  bool DrawRow(std::string_view row, uint64_t hash);
  static void DrawPrefix(filter::KeySample::Draw<filter::KeySample::Prefix>* drawn, std::string_view prefix,
                         uint64_t hash, int64_t rows);
  void CountValue(PartValues* values, std::string_view value, int64_t rows);

  filter::KeySample::Draw<filter::KeySample::Row> rows_;
  std::vector<filter::KeySample::Draw<filter::KeySample::Prefix>> prefixes_;
  std::vector<PartValues> values_;
  bool row_drawn_ = false;
  int64_t rows_seen_ = 0;
  int64_t few_rows_ = 1;  // a power of two: only some of the shorter runs are counted, with more weight
};

}  // namespace klip::engine
