// The catalog: namespaces, tables, families and regions, as one JSON file beside the database. It is small, and read
// before the database is opened, when RocksDB needs the options of each column family. A rename replaces the whole file,
// so a change is atomic.
//
// Byte strings are stored as HBase prints them (\xNN for bytes that are not printable ASCII), so any bytes survive.
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

// Table attribute KLIP_INDEX_REBUILDING$<name>: a complete index is being built again, in a second family.
inline constexpr std::string_view kIndexRebuildAttribute = "KLIP_INDEX_REBUILDING$";
inline constexpr char kRebuiltMark = '~';  // last byte of that family's name

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

  // With the namespaces that every store has.
  static Catalog Empty();
  bool HasIndexes() const;

  std::string ToJson() const;
  // Errors: kCorruption naming the key. `file` is for the error text.
  static Expected<Catalog> FromJson(std::string_view json, std::string_view file);
};

// A table at the time of the snapshot, and the files of its families (the part of RocksDB's LiveFileMetaData that an
// import needs).
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
  int64_t ttl_s = 0;  // as in SnapshotInfo; stores written before snapshots could expire have neither
  int64_t max_file_bytes = 0;
  bool skip_flush = false;  // the option of the request
  TableRecord table;
  std::string comparator;
  std::map<std::string, std::vector<File>, std::less<>> files;  // family name -> files

  SnapshotInfo Info() const;

  std::string ToJson() const;
  static Expected<SnapshotRecord> FromJson(std::string_view json, std::string_view file);
};

}  // namespace klip::engine
