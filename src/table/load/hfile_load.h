// HFileLoad: HBase's HFiles into a table of a store, cells of every kind. HBase moves the files into its store; klip reads them
// and writes files of its own, which become visible as one step.
//
// All cells count as written by the load, one behind the other in time: of two cells with the same key that of the later file
// counts, and within a file the first, as with the sequence number that HBase gives to a loaded file.
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

// The HFiles of a directory as HFileOutputFormat2 writes it and completebulkload reads it: a directory for each family, in it its
// files. Names that begin with '_' or '.' are passed over. Errors: kInvalidArgument for what is no directory.
Expected<std::vector<HFilePath>> FindHFiles(const std::string& directory);

class HFileLoad {
 public:
  // Opens all files. `row`: of the region that they are for, as hooks see it. Errors: kNoSuchColumnFamily; kDoNotRetry for a file
  // that cannot be opened; see also hfile::Reader::Open.
  static Expected<std::unique_ptr<HFileLoad>> Open(Shared* shared, std::string_view table,
                                                   std::span<const HFilePath> files, std::string_view row = {});

  // Whether all rows lie in [start, end); an empty end: to the end.
  bool FitsInto(std::string_view start, std::string_view end) const;

  // Once. Errors: kCorruption naming file and offset; kInvalidArgument for rows that the table's row-key schema refuses. Nothing is
  // loaded then. Keeps all cells of one row in memory.
  Status Run();

  int64_t cells() const { return cells_; }  // loaded

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
  // Takes the cells of the lowest row off the files.
  Status TakeRow();
  bool RowIsAbove(size_t a, size_t b) const { return files_[a].cell.row > files_[b].cell.row; }

  const std::unique_ptr<BulkWrite> write_;
  std::vector<File> files_;
  std::vector<size_t> heap_;  // of files_ that have not ended, the lowest row in front
  Result row_;
  std::vector<Cell> row_cells_;
  int64_t cells_ = 0;
};

}  // namespace klip::table
