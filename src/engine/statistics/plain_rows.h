// PlainRows: counts the rows of an SST file whose entries are all puts without tags and sequences. Such a row is visible
// if one of its puts is, so the file's rows can be counted without reading them. Gathered while RocksDB writes the file,
// and stored in its table properties. Files with other entries, and files of older versions, have none.
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

// Receives each entry of a file.
class PlainRowsCounter {
 public:
  // A RocksDB put whose key contains a row. `key` and `value` as in engine/layout/cell_key.h.
  void Add(std::string_view key, std::string_view value, bool new_row);
  // Any other entry.
  void Spoil() { plain_ = false; }

  // nullopt: not all entries were plain, or there were none.
  std::optional<PlainRows> Finish() const;

 private:
  bool plain_ = true;
  PlainRows rows_;
};

}  // namespace klip::engine
