// HFileLoad: loads HBase's HFiles into a table of a store, with cells of every kind. HBase moves the files into its
// store; klip reads them and writes files of its own, which become visible atomically.
//
// All cells count as written by the load, one after the other: of two cells with the same key, that of the later file
// counts, and within a file the first one. HBase's sequence numbers of loaded files have the same effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hfile/reader.h"
#include "klip/cell.h"
#include "table/load/bulk_write.h"

namespace klip::table {

// Lists the HFiles of a directory as HFileOutputFormat2 writes it and completebulkload reads it: a directory for each
// family, with its files. Skips names that begin with '_' or '.'. Errors: kInvalidArgument if it is not a directory.
Expected<std::vector<LoadedFile>> FindHFiles(const std::string& directory);

class HFileLoad {
 public:
  // Opens all files. `row`: of the region that they are for, as hooks see it. Errors: kNoSuchColumnFamily; kDoNotRetry
  // for a file that cannot be opened; see also hfile::Reader::Open.
  static Expected<std::unique_ptr<HFileLoad>> Open(Shared* shared, std::string_view table,
                                                   std::span<const LoadedFile> files, std::string_view row = {});

  // Whether all rows lie in [start, end); an empty end: to the end.
  bool FitsInto(std::string_view start, std::string_view end) const;

  // Call it once. Errors, after which nothing is loaded: kCorruption naming file and offset; kInvalidArgument for rows
  // that violate the table's row-key schema. Keeps all cells of one row in memory.
  Status Run();

  int64_t cells() const { return cells_; }  // number of loaded cells

 private:
  struct File {
    std::string family;
    std::unique_ptr<hfile::Reader> reader;
    Cell cell;  // the next one
    std::string first_row;
    bool ended = false;
  };

  explicit HFileLoad(std::unique_ptr<BulkWrite> write) : write_(std::move(write)) {}

  Status Advance(File* file) const;
  Status CheckCell(const File& file) const;
  // Removes the cells of the lowest row from the files.
  Status TakeRow();
  bool RowIsAbove(size_t a, size_t b) const { return files_[a].cell.row > files_[b].cell.row; }

  const std::unique_ptr<BulkWrite> write_;
  std::vector<File> files_;
  std::vector<size_t> heap_;  // of the files_ that have not ended, the lowest row first
  Result row_;
  std::vector<Cell> row_cells_;
  int64_t cells_ = 0;
};

}  // namespace klip::table
