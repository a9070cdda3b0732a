// Building an index of a table that has rows, while they are read and written.
//
// The attribute KLIP_INDEX_BUILDING$<name> is set together with the declaration, under the table's lock: from then on all writers keep
// the index. Then each row gets the entries of what it holds now, under its lock, so that nothing that a builder has read earlier can
// overwrite what a writer knows better. How far that is stands in the row "" of the index, written with the entries.
#pragma once

#include <string>
#include <vector>

#include "klip/status.h"
#include "table/admin/index_walk.h"

namespace klip::table {

class IndexBuilder {
 public:
  explicit IndexBuilder(IndexWalk walk) : walk_(std::move(walk)) {}

  // From where it was left. When it returns ok all rows have their entries, on disk as the store's settings say.
  // Errors: of values (IndexUpdate), kCancelled, kInvalidArgument when the index was dropped meanwhile, of reading and writing.
  Status Run();

 private:
  Expected<std::string> Position() const;
  Status AddGroup(const std::vector<std::string>& rows) const;
  Status Finish() const;

  const IndexWalk walk_;
};

}  // namespace klip::table
