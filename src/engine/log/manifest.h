// Reads RocksDB's MANIFEST, which says which table files a store consists of, and makes edits of it. RocksDB itself can only
// tell for an open store.
//
// A MANIFEST is a log (log_reader.h) of edits. An edit is a series of tags (varints) with their fields. klip's stores
// have:
//
//   1 comparator: bytes    2 log: number       3 next file: number     4 last sequence: number    5 compact cursor: level, bytes
//   6 deleted file: level, number              9 previous log: number  10 least log to keep: number
//   103 new file: level, number, size, smallest key, largest key, smallest and largest sequence, {tag, bytes}*, 1
//   200 family of the edit: number             201 it is new: name     202 it is dropped          203 highest family: number
//   300 part of a group: edits that follow in it
//   8192 and more: bytes, which readers skip if they do not know the tag
//
// Numbers are varints; a length precedes bytes. A group is atomic: without its last edit it did not happen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/log/log_reader.h"
#include "klip/status.h"

namespace klip::engine {

struct ManifestTable {
  uint32_t family = 0;  // RocksDB's number of it
  uint64_t level = 0;
  uint64_t bytes = 0;
  std::string smallest_key;  // the bounds, without their numbers
  std::string largest_key;
  uint64_t smallest_bound = 0;  // the sequence numbers of the bounds
  uint64_t largest_bound = 0;
  uint64_t smallest_sequence = 0;  // of all cells
  uint64_t largest_sequence = 0;
};

struct ManifestState {
  std::map<uint64_t, ManifestTable> tables;  // the live files, by number
  std::map<uint32_t, std::string> families;  // RocksDB's number and name, except the default one
  uint64_t next_file = 0;                    // numbers from here on are unused
  uint64_t last_sequence = 0;                // of all cells in tables
  uint64_t end = 0;                          // after the last complete record
};

// "000012.sst".
std::string TableName(uint64_t number);

// A table that SstFileWriter wrote.
struct WrittenTable {
  uint64_t number = 0;
  uint64_t bytes = 0;
  std::string smallest_key;
  std::string largest_key;
};
// The edit that puts a table in the place of another one, or of none (nullopt). The cells of the new one count as written with
// the largest sequence number of the old one.
std::string ReplaceTableEdit(uint64_t number, const ManifestTable& table, const std::optional<WrittenTable>& by);

// The edit that moves a table of which all cells have one sequence number to another level, or only gives its bounds that number.
std::string MoveTableEdit(uint64_t number, const ManifestTable& table, uint64_t level);

// Reads from the reader's position up to a record that is cut short, or to the byte `bytes`. `name` is for error texts. Errors: kCorruption naming
// the offset: an unreadable edit, or a record that is damaged and not merely cut short; kIoError.
Expected<ManifestState> ReadManifest(LogReader* reader, const std::string& name, uint64_t bytes);

}  // namespace klip::engine
