// A store's directory as of one moment, while the store may be open and written to by this process or another: what a crash at that
// moment would leave, which every open of a store can make a store of again.
//
// RocksDB never changes a table file, and appends to logs and MANIFEST; klip replaces its small files by rename. So a file that is
// held open keeps what it had, also after it was deleted. What is left is to see all files of the same moment:
//
//   1. hold CATALOG, CURRENT and the MANIFEST that it names; note the MANIFEST's size
//   2. hold all table files, the archived logs, the logs, newest first, and what snapshots have; note the logs' sizes
//   3. if CATALOG, CURRENT, the MANIFEST's size and the snapshots are still the same, that was it; else begin anew
//
// Between 1 and 3 the MANIFEST was the same, so the tables that it names are all held: none was deleted in that time. Of each log the
// size is noted before that of older ones, so the older ones are complete: the writes captured are a prefix of all writes. E.g. a flush
// between 1 and 3 deletes 000007.log and writes 000009.sst, of which step 2 may have seen neither: the MANIFEST has grown, so it begins
// anew, sees 000009.sst, and needs no 000007.log. A table that is still being written is held too; as the MANIFEST does not name it, it
// is left out at last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::engine {

struct CapturedFile {
  std::string path;  // in the store's directory
  base::Descriptor file;
  uint64_t bytes = 0;  // of interest: what was appended later is not
};

// `archived`: with the logs in archive/. Raises the process's limit of open files as far as it may be. Errors: kInvalidArgument: there is
// no store; kCorruption: a file is missing; kIoError, also when its files change too quickly.
Expected<std::vector<CapturedFile>> CaptureStore(const std::string& store, bool archived);

}  // namespace klip::engine
