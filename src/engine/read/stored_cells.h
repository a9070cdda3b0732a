// The stored cells of some columns of a row: all versions and markers, visible or not.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/read/read_view.h"
#include "engine/store/store.h"
#include "engine/view/table_view.h"
#include "klip/status.h"
#include "model/shown_versions.h"

namespace rocksdb {
class Iterator;
}

namespace klip::engine {

// Appends the cells of these columns, and the family's markers, in order. REQUIRES: `qualifiers` are sorted and
// distinct; a caller that writes based on the cells holds the row's lock. Errors: kIoError, kCorruption.
Status ReadStored(const Store& store, const Family& family, std::string_view row,
                  std::span<const std::string> qualifiers, std::vector<model::StoredCell>* cells,
                  const ReadView* view = nullptr);

// The same for many ascending rows, with one iterator: it moves to the next row in a few steps, where ReadStored creates an
// iterator and seeks. Sees the store as it is when it is created: create it under the locks of all rows.
class StoredReader {
 public:
  // All outlive it. REQUIRES: `qualifiers` are sorted and distinct.
  StoredReader(const Store& store, const Family& family, std::span<const std::string> qualifiers);
  ~StoredReader();

  // Appends as ReadStored. REQUIRES: `row` is above that of the last call.
  Status Read(std::string_view row, std::vector<model::StoredCell>* cells);

 private:
  const Family& family_;
  const std::span<const std::string> qualifiers_;
  const std::unique_ptr<rocksdb::Iterator> at_;
};

// Removes all cells of a row from the store, without a marker. REQUIRES: the row stays locked until they are written.
// Errors: kIoError, kCorruption.
Status RemoveRow(const Store& store, const Family& family, std::string_view row, WriteSet* writes);

}  // namespace klip::engine
