// KeyStatistics: statistics of the keys of one SST file. Gathered while RocksDB writes the file, stored in its table
// properties, merged over the files of a family. The planner's estimates and split points come from them.
//
// Example: keys are user and date. One file has the rows anna20140628, anna20140629 and bert20140628, so `prefixes` counts
// 2 users and 3 keys. Another file has anna20140630. Merged, there are 4 rows, 2 users and 4 keys. So a query on the date
// alone needs about two jumps: one per user.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/leading_values.h"
#include "klip/status.h"

namespace rocksdb {
class TablePropertiesCollectorFactory;
}

namespace klip::engine {

struct FamilyState;

// Key in rocksdb::TableProperties::user_collected_properties.
inline constexpr char kKeyStatisticsProperty[] = "klip.stats";

// The same for filter::KeySample.
inline constexpr char kKeySampleProperty[] = "klip.sample";

// TUNING: limit of a file's KeyStatistics and KeySample together. All open files keep them in memory.
inline constexpr size_t kMaxStatisticsBytes = 64 << 10;

// The same for filter::LeadingValues, serialized; "" if there are too many.
inline constexpr char kLeadingValuesProperty[] = "klip.leads";

// The parts that distinguish the rows of a family: those of its schema that end before the row does, else cuts after every four bytes.
std::vector<filter::KeyPart> LeadParts(const std::vector<filter::KeyPart>& key_parts);

// Counts distinct 64-bit hashes, within about 3 %. Small sets are stored and counted exactly.
class DistinctCounter {
 public:
  void Add(uint64_t hash);
  void Merge(const DistinctCounter& other);
  double Estimate() const;

  void AppendTo(std::string* out) const;
  // Removes the counter from the front of *input; false if there is none.
  bool ParseFrom(std::string_view* input);

  bool operator==(const DistinctCounter&) const = default;

 private:
  void AddToRegisters(uint64_t hash);
  void Densify();

  std::vector<uint64_t> few_;       // sorted; in use while registers_ is empty
  std::vector<uint8_t> registers_;  // HyperLogLog
};

struct KeyStatistics {
  // A sampled row, which stands for the rows from it up to the next anchor.
  struct Anchor {
    std::string row;
    int64_t rows = 0;
    int64_t bytes = 0;  // keys and values, uncompressed
    bool operator==(const Anchor&) const = default;
  };
  static constexpr size_t kMaxAnchors = 256;
  static constexpr size_t kMaxParts = 64;

  int64_t rows = 0;
  int64_t cells = 0;  // delete markers included
  int64_t delete_markers = 0;
  uint32_t shortest_row_bytes = UINT32_MAX;  // UINT32_MAX: no row
  std::vector<DistinctCounter> prefixes;     // [i]: different values of key parts 0..i
  std::vector<Anchor> anchors;               // sorted by row

  // Errors: kCorruption naming the offset.
  static Expected<KeyStatistics> Parse(std::string_view property);
  std::string Serialize() const;

  // Adds the statistics of another file of the same family. If the files were made under different row-key schemas, their
  // numbers of `prefixes` differ; then those of `other` are ignored.
  void Merge(const KeyStatistics& other);

  bool operator==(const KeyStatistics&) const = default;
};

// One per RocksDB column family. Reads the key parts for each file.
std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewKeyStatisticsFactory(std::shared_ptr<FamilyState> state);

}  // namespace klip::engine
