// PlainRows: the rows of one SST file whose entries are all puts without tags and sequences. Such a row is visible if one of its
// puts is, and so the file's rows can be counted without being read. Gathered while RocksDB writes the file, and kept in its table
// properties; a file with anything else in it, and one of an older version, has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace klip::engine {

// Key in rocksdb::TableProperties::user_collected_properties.
inline constexpr char kPlainRowsProperty[] = "klip.plain";

struct PlainRows {
  int64_t rows = 0;
  int64_t oldest_ms = 0;  // of all cells
  int64_t newest_ms = 0;

  std::string Serialize() const;
  // nullopt: damaged.
  static std::optional<PlainRows> Parse(std::string_view property);

  bool operator==(const PlainRows&) const = default;
};

// Told of each entry of a file.
class PlainRowsCounter {
 public:
  // A put of RocksDB, of a key that holds a row. `key` and `value` as engine/layout/cell_key.h has them.
  void Add(std::string_view key, std::string_view value, bool new_row);
  // Anything else.
  void Spoil() { plain_ = false; }

  // nullopt: not all entries were plain, or there were none.
  std::optional<PlainRows> Finish() const;

 private:
  bool plain_ = true;
  PlainRows rows_;
};

}  // namespace klip::engine
