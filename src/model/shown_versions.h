// ShownVersions: which versions of a column a Get may show as its newest, now or at any later time, as long as nothing is written
// to the row. Pure: no I/O.
//
// Nearly always that is one: the newest put, until its family's TTL ends it. But HBase's rules let a version come back without a
// write: a put with a TTL of its own ends before an older one does; a compaction drops surplus versions that a version's delete
// would have made the newest; a major compaction drops a marker while a put that it masks, written after it ("beneath" it), is still
// in memory. What a later Get shows then depends on what compactions have seen, so that these versions are uncertain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "klip/cell.h"
#include "model/family_policy.h"

namespace klip::model {

// A cell of one family and row, as it is stored.
struct StoredCell {
  std::string qualifier;
  int64_t timestamp_ms = 0;
  CellType type = CellType::kPut;
  std::string value;
  std::string tags;
  uint64_t sequence = 0;  // as CellRef
  bool fresh = false;     // of the write at hand: whatever was there before is older
  bool beneath = false;   // a put that was written under a marker that masked it

  // HBase's order within a family, but for qualifiers, which are ordered as bytes as well.
  bool operator<(const StoredCell& other) const;
  bool SameKey(const StoredCell& other) const;
};

inline constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

struct ShownVersion {
  const StoredCell* cell = nullptr;
  int64_t until_ms = kNoEnd;  // the last moment at which it can be shown
  bool certain = false;       // it is what a Get shows until then; else only a Get can tell
};

// `cells`: in order, of which those of `qualifier` and the family's markers count. One that is certain, or any number of others; they
// point into `cells`.
std::vector<ShownVersion> ShownVersions(const FamilyPolicy& policy, std::span<const StoredCell> cells,
                                        std::string_view qualifier, int64_t now_ms);

// Tells of the fresh puts which are beneath a marker.
void MarkBeneath(const FamilyPolicy& policy, std::vector<StoredCell>* cells);

// Lays what is written over what is stored, both in order.
std::vector<StoredCell> Overlay(std::span<const StoredCell> stored, std::vector<StoredCell> written);

}  // namespace klip::model
