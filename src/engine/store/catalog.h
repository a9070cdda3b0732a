// The catalog: namespaces, tables, families and regions, as one JSON file beside the database. It is small, read
// before the database is opened (RocksDB wants each column family's options then), and replaced as a whole by a
// rename, so that a change of it happened or did not.
//
// Byte strings are stored as HBase prints them (\xNN for what is not printable ASCII), so any bytes survive.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::engine {

inline constexpr const char* kCatalogName = "CATALOG";

struct TableRecord {
  TableDescriptor descriptor;
  bool enabled = true;
  std::map<std::string, uint32_t, std::less<>> family_ids;  // family (or index) name -> id
  std::vector<Region> regions;                              // sorted, gapless
  std::vector<RegionChange> changes;                        // see Regions::ForgetRegionChanges
};

struct Catalog {
  std::map<std::string, NamespaceDescriptor, std::less<>> namespaces;
  std::map<std::string, TableRecord, std::less<>> tables;
  bool split_enabled = true;
  bool merge_enabled = true;
  uint32_t next_family_id = 1;
  int64_t last_region_id = 0;

  // With the namespaces every store has.
  static Catalog Empty();
  bool HasIndexes() const;

  std::string ToJson() const;
  // Errors: kCorruption naming the key. `file` is for the text.
  static Expected<Catalog> FromJson(std::string_view json, std::string_view file);
};

// A table as it was, and the files of its families (RocksDB's LiveFileMetaData, as far as an import needs it).
struct SnapshotRecord {
  struct File {
    std::string name;  // "/000012.sst", in the family's directory
    int32_t level = 0;
    uint64_t file_number = 0;
    uint64_t size_bytes = 0;
    uint64_t entries = 0;
    uint64_t smallest_sequence = 0;
    uint64_t largest_sequence = 0;
    std::string smallest_key;
    std::string largest_key;
  };

  std::string name;
  int64_t created_ms = 0;
  int64_t ttl_s = 0;  // as in SnapshotInfo; stores of klip before they could expire have neither
  int64_t max_file_bytes = 0;
  bool skip_flush = false;  // as it was asked for
  TableRecord table;
  std::string comparator;
  std::map<std::string, std::vector<File>, std::less<>> files;  // family name -> files

  SnapshotInfo Info() const;

  std::string ToJson() const;
  static Expected<SnapshotRecord> FromJson(std::string_view json, std::string_view file);
};

}  // namespace klip::engine
