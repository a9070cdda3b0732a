// KeySample: a random sample of a table's keys. Estimates of the rows and distinct key prefixes that match a condition
// come from it.
//
// Rows and prefixes are drawn by their hash: those with the lowest hashes are kept. So each is equally likely. A row that
// is in two files is drawn in both or in neither, and counts once. The samples of two files merge into that of both. If
// the limits are high enough, a sample contains everything, and estimates are exact.
//
// Example: keep 2 rows. The hashes of a, b, c and d are 10, 70, 40 and 90 (of 0 to 99): a and c are kept. All rows with
// hashes up to 69 are in the sample, so each stands for 100 / 70, about 1.4 rows. If a matches a condition and c does not,
// the estimate is 1.4 rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/leading_values.h"
#include "filter/rows/row_stretches.h"

namespace klip::filter {

// The same on every machine, so that samples of different files are comparable.
uint64_t SampleHash(std::string_view bytes);

struct KeySample {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
  static constexpr size_t kMaxRows =
      2048;  // TUNING: 2 % of error for a condition that half of the rows match, 30 % for one in 200
  static constexpr size_t kMaxPrefixes = 1024;  // of one depth
  static constexpr size_t kMaxValues = 1024;    // of one part
  static constexpr size_t kMaxParts = 10;       // the leading ones; only rows contain later parts

  struct Row {
    std::string bytes;            // at most kMaxBytes
    uint64_t hash = 0;            // of all its bytes
    int64_t newest_ms = kNever;   // timestamp of its newest put
    int64_t deleted_ms = kNever;  // puts up to here are deleted by row markers
    bool operator==(const Row&) const = default;
  };
  struct Prefix {
    std::string bytes;
    uint64_t hash = 0;
    double rows = 0;  // the rows that start with it
    bool operator==(const Prefix&) const = default;
  };
  // A draw: the items whose hash is at most `limit`. Sorted by bytes.
  template <typename Item>
  struct Draw {
    uint64_t limit = UINT64_MAX;
    std::vector<Item> items;

    bool all() const { return limit == UINT64_MAX; }
    // How many items each drawn one stands for.
    double Weight() const { return 0x1p64 / (static_cast<double>(limit) + 1); }
    double Count() const { return static_cast<double>(items.size()) * Weight(); }
    // Keeps the `most` with the lowest hashes.
    void Limit(size_t most);
    // Omitted, because it would be the same as another draw.
    bool left_out() const { return limit == 0; }
    bool operator==(const Draw&) const = default;
  };
  // A value of one part of the key, after any prefix.
  struct Value {
    std::string bytes;
    double rows = 0;
    double prefixes = 0;  // distinct values of the parts up to this one that end in it
    bool operator==(const Value&) const = default;
  };
  struct Values {
    std::vector<Value> common;  // the most common ones, sorted by bytes
    double rows = 0;            // including those of omitted values
    double prefixes = 0;
    double left_out = 0;  // approximate number of distinct omitted values; of several files, the least that it can be
    double most_left_out = 0;  // if these have no omitted value in common; not serialized
    bool operator==(const Values&) const = default;
  };
  // TUNING: of longer rows, the first bytes are kept, which contain the key fields; longer values are not listed.
  static constexpr size_t kMaxBytes = 128;
  static constexpr size_t kMaxValueBytes = 32;

  Draw<Row> rows;
  std::vector<Draw<Prefix>> prefixes;  // [i]: distinct values of parts 0..i; omitted if those are the rows
  std::vector<Values> values;          // [i]: of part i

  bool empty() const { return rows.items.empty(); }
  // prefixes[depth]; if omitted, made from the rows.
  const Draw<Prefix>& PrefixesOf(size_t depth, Draw<Prefix>* storage) const;

  // Merges the sample of another file. Ignores it if it has another number of parts.
  void Merge(const KeySample& other);

  // At most about `max_bytes`: keeps fewer items of each kind if needed.
  std::string Serialize(size_t max_bytes) const;
  // False: Serialize did not make `bytes`.
  bool Parse(std::string_view bytes);

  bool operator==(const KeySample&) const = default;
};

// A table's statistics of its keys at one moment.
struct SampledKeys {
  std::shared_ptr<const KeySample> sample;        // null: not all its files have one
  int64_t oldest_ms = KeySample::kNever;          // rows without a newer put have expired
  std::shared_ptr<const KnownLeads> leads;        // null: not completely known
  std::shared_ptr<const RowStretches> stretches;  // null: none were read

  // The values of so many leading parts are completely known.
  size_t known_parts() const { return leads == nullptr ? 0 : leads->parts.size(); }
  bool IsLive(const KeySample::Row& row) const { return row.newest_ms > row.deleted_ms && row.newest_ms >= oldest_ms; }
  bool IsLive(const RowStretch& stretch, size_t row) const {
    return stretch.newest_ms(row) > RowStretch::kDeleted && stretch.newest_ms(row) >= oldest_ms;
  }
};

}  // namespace klip::filter
