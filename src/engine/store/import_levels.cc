#include "engine/store/import_levels.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace klip::engine {
namespace {

using File = SnapshotRecord::File;

constexpr int32_t kLastLevel = 6;  // RocksDB's default number of levels is 7

struct Placed {
  File* file = nullptr;
  bool loaded = false;
  bool leaves_top = false;  // of a file of level 0
  int32_t level = 0;
};

bool Overlap(const File& a, const File& b) {
  return a.smallest_key <= b.largest_key && b.smallest_key <= a.largest_key;
}

// The order in which RocksDB looks for a key. Of files of one level that touch, the one that ends at the shared key is newer; of
// files with a single key, the one with the higher number.
bool IsNewer(const Placed& a, const Placed& b) {
  const File& x = *a.file;
  const File& y = *b.file;
  if (x.level != y.level) {
    return x.level < y.level;
  }
  if (x.level == 0) {
    return std::tie(x.largest_sequence, x.smallest_sequence, x.file_number) >
           std::tie(y.largest_sequence, y.smallest_sequence, y.file_number);
  }
  return std::tie(x.smallest_key, x.largest_key, y.largest_sequence) <
         std::tie(y.smallest_key, y.largest_key, x.largest_sequence);
}

// On level 0, the numbers of files tell which one is newer, until RocksDB moves them to another level together: it does if their bounds
// do not overlap, as with k@40 and k@0.
bool WouldMoveReversed(const Placed& newer, const Placed& older) {
  return newer.loaded && newer.file->smallest_key == older.file->largest_key;
}

// `all`: newest first. Files that leave level 0 do so with those older ones that they overlap.
void LeaveTop(std::vector<Placed>* all) {
  for (size_t i = 0; i < all->size() && (*all)[i].file->level == 0; ++i) {
    Placed& older = (*all)[i];
    older.leaves_top = std::any_of(all->data(), all->data() + i, [&](const Placed& newer) {
      return WouldMoveReversed(newer, older) || (newer.leaves_top && Overlap(*newer.file, *older.file));
    });
  }
}

// Whether two files that overlap may have the same level.
bool MayShareLevel(const Placed& newer, const Placed& older) {
  if (newer.file->level != older.file->level) {
    return false;
  }
  return newer.file->level == 0 ? !newer.leaves_top && !older.leaves_top : !newer.loaded;
}

// `all`: newest first.
bool BoundsMatter(const std::vector<Placed>& all) {
  for (size_t i = 0; i < all.size(); ++i) {
    const bool touches = i + 1 < all.size() && all[i].file->level > 0 && all[i].file->level == all[i + 1].file->level &&
                         Overlap(*all[i].file, *all[i + 1].file);
    if (all[i].leaves_top || (touches && all[i].loaded)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool SetImportLevels(const std::function<bool(const SnapshotRecord::File&)>& may_be_loaded,
                     std::vector<SnapshotRecord::File>* files) {
  std::vector<Placed> all;
  for (File& file : *files) {
    all.push_back({.file = &file, .loaded = file.largest_sequence > 0 && may_be_loaded(file)});
  }
  std::ranges::sort(all, IsNewer);
  LeaveTop(&all);
  if (!BoundsMatter(all)) {
    return true;
  }
  for (size_t i = all.size(); i-- > 0;) {
    Placed& newer = all[i];
    const bool stays_on_top = newer.file->level == 0 && !newer.leaves_top;
    newer.level = newer.leaves_top ? kLastLevel : newer.file->level;
    for (size_t j = i + 1; j < all.size() && !stays_on_top; ++j) {
      if (Overlap(*newer.file, *all[j].file)) {
        newer.level = std::min(newer.level, all[j].level - (MayShareLevel(newer, all[j]) ? 0 : 1));
      }
    }
    if (newer.level < 1 && !stays_on_top) {
      return false;
    }
  }
  for (const Placed& one : all) {
    one.file->level = one.level;
  }
  return true;
}

bool HasOneSequence(const SnapshotRecord::File& file) { return file.smallest_sequence == file.largest_sequence; }

}  // namespace klip::engine
