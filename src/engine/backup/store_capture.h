// The contents of a store's directory at one moment, while this process or another may write to it. They are what a crash
// at that moment would leave, which every open recovers.
//
// RocksDB never changes a table file, and appends to logs and the MANIFEST; klip replaces its small files by rename. So a
// file that is held open keeps its contents, even after it was deleted. It remains to see all files at the same moment:
//
//   1. hold CATALOG, CURRENT and the MANIFEST that it names; note the MANIFEST's size
//   2. hold all table files, the archived logs, the logs, newest first, and the snapshots' files; note the logs' sizes
//   3. if CATALOG, CURRENT, the MANIFEST's size and the snapshots are unchanged, finish; else start again
//
// Between 1 and 3 the MANIFEST did not change, so none of the tables that it names was deleted: all are held. The size of
// each log is noted before those of older ones, so the older ones are complete: the captured writes are a prefix of all
// writes. For example, a flush between 1 and 3 deletes 000007.log and writes 000009.sst, of which step 2 may have seen
// neither. But the MANIFEST has grown, so it starts again, sees 000009.sst, and needs no 000007.log. A table that is
// still being written is held too; the MANIFEST does not name it, so it is omitted at the end.
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
  uint64_t bytes = 0;  // without what was appended later
};

// `archived`: include the logs in archive/. Raises the process's limit of open files as far as allowed. Errors:
// kInvalidArgument: there is no store; kCorruption: a file is missing; kIoError, also if its files change too quickly.
Expected<std::vector<CapturedFile>> CaptureStore(const std::string& store, bool archived);

}  // namespace klip::engine
