// ShownVersions: which versions of a column a Get may show as its newest, now or at any later time, if nothing is written
// to the row. Pure: no I/O.
//
// There is nearly always one: the newest put, until its family's TTL ends it. But under HBase's rules a version may come
// back without a write. A put with a TTL of its own may end before an older one. A compaction may drop surplus versions
// that would have become the newest after a delete. A major compaction may drop a marker while a put that it masks,
// written after it ("beneath" it), is still in memory. Then the result of a later Get depends on compactions, and the
// versions are "uncertain".
//
// Example, without TTLs: puts b@9 and a@5 give one certain version, b@9. With a delete marker of b@9's version, b@9 is
// masked and a@5 is uncertain: a compaction may have dropped it as surplus before. If b@9 expires by its own TTL at 100,
// both are uncertain: b@9 until 100, then a@5. After 100, a@5 still is: a compaction that began before 100 may drop it, and
// so may one of files that have an older put of b@9 without a TTL.
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

// A stored cell of one family and row.
struct StoredCell {
  std::string qualifier;
  int64_t timestamp_ms = 0;
  CellType type = CellType::kPut;
  std::string value;
  std::string tags;
  uint64_t sequence = 0;  // as CellRef
  bool fresh = false;     // from the current write; all others are older
  bool beneath = false;   // a put that an older marker masked when it was written

  // HBase's order within a family, except that qualifiers are compared as strings.
  bool operator<(const StoredCell& other) const;
  bool SameKey(const StoredCell& other) const;
};

inline constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

struct ShownVersion {
  const StoredCell* cell = nullptr;
  int64_t until_ms = kNoEnd;  // the last moment at which it can be shown
  bool certain = false;       // a Get shows it until then; otherwise only a Get can tell
};

// `cells`: in order; only those of `qualifier` and the family's markers count. Returns one certain version, or any number
// of uncertain ones. They point into `cells`.
std::vector<ShownVersion> ShownVersions(const FamilyPolicy& policy, std::span<const StoredCell> cells,
                                        std::string_view qualifier, int64_t now_ms);

// The version that a Get shows at `now_ms`; null: none. `cells`: as above.
const StoredCell* NewestShown(const FamilyPolicy& policy, std::span<const StoredCell> cells, std::string_view qualifier,
                              int64_t now_ms);

// Which versions a read of any time range may show, or one of several versions, now or later, if nothing is written to the
// row: all stored ones, except those that have expired or are masked for good. The first is certain if ShownVersions says so.
std::vector<ShownVersion> ReadableVersions(const FamilyPolicy& policy, std::span<const StoredCell> cells,
                                           std::string_view qualifier, int64_t now_ms);

// Whether a marker of the family's `cells` masks the put, and no Get can show it again if nothing is written to the row.
bool IsMaskedForGood(const FamilyPolicy& policy, const StoredCell& put, std::span<const StoredCell> cells);

// Sets `beneath` of the fresh puts that an older marker masks.
void MarkBeneath(const FamilyPolicy& policy, std::vector<StoredCell>* cells);

// Merges the written cells over the stored ones, both in order.
std::vector<StoredCell> Overlay(std::span<const StoredCell> stored, std::vector<StoredCell> written);

}  // namespace klip::model
