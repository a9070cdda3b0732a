// A set of keys in a statement's temporary file, for sets beyond memory. The keys are sorted and written in small blocks; memory holds the
// first key of each. A look-up reads the one block that can have the key.
//
// Example: keys of 20 bytes, 200 to a block of 4 KB: 10 million of them are 200 MB of disk and 3 MB of memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/exec/sorter.h"

namespace klip::sql {

// One thread. Gives its space in the file back at its end. Errors, of all: those of TemporaryFile.
class KeyFile {
 public:
  explicit KeyFile(Execution* execution);
  ~KeyFile();
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;

  // Any number of times each.
  Status Add(std::string_view key);
  // No more keys come.
  Status Finish();

  // REQUIRES, of both: Finish.
  Expected<bool> Contains(std::string_view key);
  size_t memory_bytes() const {
    return first_keys_.bytes() + blocks_.capacity() * sizeof(IndexedBlock) + block_.size();
  }

 private:
  struct IndexedBlock {
    std::string_view first_key;
    TemporaryFile::Block place;
  };

  Status WriteBlock();

  TemporaryFile* file_;
  std::unique_ptr<RowSorter> sorter_;  // until Finish
  std::vector<IndexedBlock> blocks_;   // in the order of their keys
  ReservedArena first_keys_;
  std::string block_;  // that is being written; then the one that was read last
  size_t read_ = ~size_t{0};
};

}  // namespace klip::sql
