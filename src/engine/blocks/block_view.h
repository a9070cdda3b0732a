// BlockView: the sorted runs of a column family at one moment. docs/internals/block-reader.md says why nothing is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rocksdb/db.h"

#include "engine/blocks/family_tables.h"
#include "engine/rocks/key_tree.h"

namespace klip::engine {

struct BlockView {
  std::unique_ptr<rocksdb::Iterator> pin;  // keeps the memtables in memory, and their tables' files
  std::vector<const KeyTree*> memtables;
  std::shared_ptr<const TableSet> tables;
  uint64_t sequence = 0;  // of the last visible write
};

// Takes a view of the current state, as of `snapshot` if it is not null. False: only RocksDB can read the family now.
bool TakeView(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const rocksdb::Snapshot* snapshot,
              rocksdb::FileSystem* files, FamilyTables* tables, BlockView* view);

}  // namespace klip::engine
