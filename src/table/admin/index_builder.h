// Builds an index of a table that has rows, while they are read and written.
//
// The attribute KLIP_INDEX_BUILDING$<name> is set together with the declaration, under the table's lock: from then on,
// all writers maintain the index. Then the builder adds the entries of each existing row, from its current cells and
// under its lock. So a builder can never overwrite newer entries of a writer with older ones. The row "" of the index
// contains the position, written together with the entries, so an interrupted build resumes there.
//
// Example: rows "a" and "b". The builder locks "a", adds its entry, and stores the position "a". A writer changes "b" and
// adds its entry. If the process is killed now, the next build starts behind "a"; it computes the entry of "b" from its
// new cells, which changes nothing.
#pragma once

#include <string>
#include <vector>

#include "klip/status.h"
#include "table/admin/index_walk.h"

namespace klip::table {

class IndexBuilder {
 public:
  explicit IndexBuilder(IndexWalk walk) : walk_(std::move(walk)) {}

  // Starts at the stored position. When it returns ok, all rows have their entries, as durable as the store's settings
  // demand. Errors: invalid values (IndexUpdate), kCancelled, kInvalidArgument if the index was dropped meanwhile, those
  // of reading and writing.
  Status Run();

 private:
  Expected<std::string> Position() const;
  Status AddGroup(const std::vector<std::string>& rows) const;
  Status Finish() const;

  const IndexWalk walk_;
};

}  // namespace klip::table
