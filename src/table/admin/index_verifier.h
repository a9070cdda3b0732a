// Comparing an index with the rows of its table, while both are read and written: each row under its lock, first from the rows to the
// entries, then back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/index.h"
#include "klip/status.h"
#include "table/admin/index_walk.h"
#include "table/write/index_entries.h"

namespace klip::engine {
class WriteSet;
}

namespace klip::table {

class IndexVerifier {
 public:
  IndexVerifier(IndexWalk walk, bool repair) : walk_(std::move(walk)), repair_(repair) {}

  Expected<IndexCheck> Run();

 private:
  Status CheckRows(const std::vector<std::string>& rows);
  Status CheckEntries(const std::vector<std::string>& entries);
  Status CheckRow(const LockedIndex& locked, const std::string& row, engine::WriteSet* repairs);
  Status CheckEntry(const LockedIndex& locked, const std::string& entry, engine::WriteSet* repairs);
  Expected<EntryCells> Wanted(const LockedIndex& locked, std::string_view row) const;
  Expected<EntryCells> Stored(const LockedIndex& locked, std::string_view entry) const;
  void Note(int64_t* count, std::string_view what, std::string_view entry);
  Status Write(engine::WriteSet* repairs) const;

  const IndexWalk walk_;
  const bool repair_;
  IndexCheck check_;
};

}  // namespace klip::table
