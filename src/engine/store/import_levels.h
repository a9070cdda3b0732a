// The levels at which a snapshot's files become a family.
//
// A file of a bulk load has no sequence number in its keys: only the MANIFEST of the database that loaded it knows the number
// of all its cells. An import keeps that number, but takes the file's bounds from its keys, with the number 0. That is wrong
// where two files of a level touch, that is, share only the key at which one ends and the other one begins: there the bounds
// tell RocksDB which of them is newer. So an import puts the newer one of such files on a level above the older one.
//
// Example: level 6 has the files [a, k] and [k, z], and the first one was loaded after the second one. With the bounds k@0 and
// k@40, RocksDB refuses them as overlapping; were both [k, k], it would read the older one first. With the first one on level 5,
// the bounds do not matter.
#pragma once

#include <functional>
#include <vector>

#include "engine/store/catalog.h"

namespace klip::engine {

// Sets the levels of a family's files. `may_be_loaded`: whether a bulk load may have written the file. False: there are not enough
// levels.
bool SetImportLevels(const std::function<bool(const SnapshotRecord::File&)>& may_be_loaded,
                     std::vector<SnapshotRecord::File>* files);

// Whether a bulk load may have written it, as far as its numbers tell: all cells of a load have the same one.
bool HasOneSequence(const SnapshotRecord::File& file);

}  // namespace klip::engine
