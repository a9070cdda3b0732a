// KeySample: some of a table's keys, drawn so that what is true of them is about true of all. Estimates of how many
// rows and different key prefixes fit a condition come from it.
//
// Rows and prefixes are drawn by their hash: those with the lowest hashes are kept. So each is as likely as any other,
// the same row in two files is drawn in both or in neither and counts once, and samples of two files merge into that of
// both. A sample whose bounds are wide enough holds everything, and then estimates are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace klip::filter {

// The same on every machine: samples of files are compared by it.
uint64_t SampleHash(std::string_view bytes);

struct KeySample {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
  static constexpr size_t kMaxRows =
      2048;  // TUNING: 2 % of error for a condition that every second row fits, 30 % for one in 200
  static constexpr size_t kMaxPrefixes = 1024;  // of one depth
  static constexpr size_t kMaxValues = 1024;    // of one part
  static constexpr size_t kMaxParts = 10;       // the leading ones; what comes behind is seen in rows only

  struct Row {
    std::string bytes;            // at most kMaxBytes
    uint64_t hash = 0;            // of all of it
    int64_t newest_ms = kNever;   // timestamp of its newest put
    int64_t deleted_ms = kNever;  // puts up to here are deleted by markers of the whole row
    bool operator==(const Row&) const = default;
  };
  struct Prefix {
    std::string bytes;
    uint64_t hash = 0;
    double rows = 0;  // that begin with it
    bool operator==(const Prefix&) const = default;
  };
  // Drawn from all that there are: those whose hash is at most `limit`. Sorted by bytes.
  template <typename Item>
  struct Draw {
    uint64_t limit = UINT64_MAX;
    std::vector<Item> items;

    bool all() const { return limit == UINT64_MAX; }
    // How many there are for each that was drawn.
    double Weight() const { return 0x1p64 / (static_cast<double>(limit) + 1); }
    double Count() const { return static_cast<double>(items.size()) * Weight(); }
    // Keeps the `most` with the lowest hashes.
    void Limit(size_t most);
    // Nothing was drawn, as it would be the same as another draw.
    bool left_out() const { return limit == 0; }
    bool operator==(const Draw&) const = default;
  };
  // A value of one part of the key, whatever stands before it.
  struct Value {
    std::string bytes;
    double rows = 0;
    double prefixes = 0;  // different values of the parts before and this one that end in it
    bool operator==(const Value&) const = default;
  };
  struct Values {
    std::vector<Value> common;  // the most common ones, sorted by bytes
    double rows = 0;            // of those left out as well
    double prefixes = 0;
    double left_out = 0;  // different values, about
    bool operator==(const Values&) const = default;
  };
  // TUNING: longer rows are drawn with their first bytes, which is where key fields are; longer values are not listed.
  static constexpr size_t kMaxBytes = 128;
  static constexpr size_t kMaxValueBytes = 32;

  Draw<Row> rows;
  std::vector<Draw<Prefix>> prefixes;  // [i]: different values of parts 0..i; left out where those are the rows
  std::vector<Values> values;          // [i]: of part i

  bool empty() const { return rows.items.empty(); }
  // prefixes[depth]; where they were left out, made from the rows.
  const Draw<Prefix>& PrefixesOf(size_t depth, Draw<Prefix>* storage) const;

  // Adds that of another file. Of another number of parts: those of `other` are left out.
  void Merge(const KeySample& other);

  // At most about `max_bytes`: fewer are then kept of each kind.
  std::string Serialize(size_t max_bytes) const;
  // False: `bytes` is not what Serialize made.
  bool Parse(std::string_view bytes);

  bool operator==(const KeySample&) const = default;
};

// What a table knows of its keys, as of one moment.
struct SampledKeys {
  std::shared_ptr<const KeySample> sample;  // null: there is none of all its files
  int64_t oldest_ms = KeySample::kNever;    // rows without a newer put have expired
  size_t known_parts = 0;                   // so many leading parts' values are known, all of them (LeadingValues)

  bool IsLive(const KeySample::Row& row) const { return row.newest_ms > row.deleted_ms && row.newest_ms >= oldest_ms; }
};

}  // namespace klip::filter
