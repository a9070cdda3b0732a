// Corrects what RocksDB's MANIFEST says of imported files of bulk loads.
//
// An import takes the bounds of a file from its keys, which have the sequence number 0 in such a file (import_levels.h). Before klip chose
// levels with which that does not matter, a loaded file could so come behind an older file with which it shares a key: reads return
// the older value, and each compaction of the two aborts. Here the bounds get the number of the file's cells, and such a file moves to
// level 0, where the numbers of files tell their order.
//
// Example: level 6 has [a@7, k@40] and behind it the loaded file [k@0, k@0] of number 50. It moves to level 0, as [k@50, k@50].
#pragma once

#include <string>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

// Appends to the MANIFEST, if anything is wrong there. Leaves alone what it cannot correct. REQUIRES: the store is locked, and the database
// not open; its MANIFEST is whole. Errors: kIoError.
Status CorrectLoadedBounds(rocksdb::Env* env, const std::string& store);

}  // namespace klip::engine
