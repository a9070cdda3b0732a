#include "model/shown_versions.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "model/read_matcher.h"
#include "model/tags.h"

namespace klip::model {
namespace {

auto OrderOfStored(const StoredCell& cell) {
  return std::make_tuple(std::string_view(cell.qualifier), ~static_cast<uint64_t>(cell.timestamp_ms),
                         ~static_cast<unsigned>(cell.type));
}

bool IsOfFamily(CellType type) { return type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion; }

// Whether the cell is a marker that affects the column.
bool IsMarkerOf(const StoredCell& cell, std::string_view qualifier) {
  return cell.type != CellType::kPut && (IsOfFamily(cell.type) || cell.qualifier == qualifier);
}

bool Masks(const FamilyPolicy& policy, const StoredCell& marker, const StoredCell& put) {
  if (policy.new_version_behavior && marker.sequence < put.sequence) {
    return false;
  }
  const bool version = marker.type == CellType::kDelete || marker.type == CellType::kDeleteFamilyVersion;
  return version ? marker.timestamp_ms == put.timestamp_ms : marker.timestamp_ms >= put.timestamp_ms;
}

bool HasOwnTtl(const StoredCell& cell) { return !cell.tags.empty() && TtlFromTags(cell.tags) >= 0; }

// The same, and neither time nor a compaction brings the put back.
bool MasksForGood(const FamilyPolicy& policy, const StoredCell& marker, const StoredCell& put) {
  return Masks(policy, marker, put) && !HasOwnTtl(marker) && !put.beneath &&
         policy.keep_deleted_cells == KeepDeletedCells::kFalse;
}

int64_t EndOf(int64_t timestamp_ms, int64_t ttl_ms) {
  return timestamp_ms > kNoEnd - ttl_ms ? kNoEnd : timestamp_ms + ttl_ms;
}

// The last moment at which the put has not expired.
int64_t EndOf(const FamilyPolicy& policy, const StoredCell& put) {
  const int64_t own_ttl_ms = put.tags.empty() ? -1 : TtlFromTags(put.tags);
  const int64_t own = own_ttl_ms < 0 ? kNoEnd : EndOf(put.timestamp_ms, own_ttl_ms);
  const bool by_family = policy.ttl_ms != kNoTtl && policy.min_versions == 0;
  return by_family ? std::min(own, EndOf(put.timestamp_ms, policy.ttl_ms)) : own;
}

}  // namespace

bool StoredCell::operator<(const StoredCell& other) const { return OrderOfStored(*this) < OrderOfStored(other); }
bool StoredCell::SameKey(const StoredCell& other) const { return OrderOfStored(*this) == OrderOfStored(other); }

std::vector<ShownVersion> ReadableVersions(const FamilyPolicy& policy, std::span<const StoredCell> cells,
                                           std::string_view qualifier, int64_t now_ms) {
  std::vector<const StoredCell*> markers;
  std::vector<ShownVersion> puts;
  bool certain = true;
  for (const StoredCell& cell : cells) {
    if (IsMarkerOf(cell, qualifier)) {
      certain = certain && !HasOwnTtl(cell);  // otherwise it stops masking some day
      markers.push_back(&cell);
    } else if (cell.type == CellType::kPut && cell.qualifier == qualifier) {
      const int64_t end = EndOf(policy, cell);
      if (end >= now_ms) {
        puts.push_back({.cell = &cell, .until_ms = end});
      }
      // Before it expired, it may have made the next one surplus.
      certain = certain && !(puts.empty() && HasOwnTtl(cell));
    }
  }
  std::vector<ShownVersion> readable;
  for (const ShownVersion& put : puts) {
    const auto masks = [&](const StoredCell* marker) { return Masks(policy, *marker, *put.cell); };
    const auto for_good = [&](const StoredCell* marker) { return MasksForGood(policy, *marker, *put.cell); };
    if (std::ranges::none_of(markers, for_good)) {
      certain = certain && !(readable.empty() && std::ranges::any_of(markers, masks));
      readable.push_back(put);
    }
  }
  if (!readable.empty() && certain && readable.front().cell == puts.front().cell && !HasOwnTtl(*puts.front().cell)) {
    readable.front().certain = true;  // the newest of all: it hides the others, and ends last
  }
  return readable;
}

std::vector<ShownVersion> ShownVersions(const FamilyPolicy& policy, std::span<const StoredCell> cells,
                                        std::string_view qualifier, int64_t now_ms) {
  std::vector<ShownVersion> shown = ReadableVersions(policy, cells, qualifier, now_ms);
  if (!shown.empty() && shown.front().certain) {
    shown.resize(1);
  }
  return shown;
}

const StoredCell* NewestShown(const FamilyPolicy& policy, std::span<const StoredCell> cells, std::string_view qualifier,
                              int64_t now_ms) {
  ReadMatcher matcher({.policy = policy, .range = {}, .qualifiers = {std::string(qualifier)}, .now_ms = now_ms});
  matcher.StartRow();
  for (const StoredCell& cell : cells) {
    if (cell.qualifier != qualifier && !IsOfFamily(cell.type)) {
      continue;
    }
    const int64_t ttl_ms = cell.tags.empty() ? -1 : TtlFromTags(cell.tags);
    const MatchCode code = matcher.Match({cell.qualifier, cell.timestamp_ms, cell.type, ttl_ms, cell.sequence});
    if (Includes(code)) {
      return &cell;
    }
    if (code != MatchCode::kSkip && !IsOfFamily(cell.type)) {
      return nullptr;
    }
  }
  return nullptr;
}

bool IsMaskedForGood(const FamilyPolicy& policy, const StoredCell& put, std::span<const StoredCell> cells) {
  return std::ranges::any_of(cells, [&](const StoredCell& cell) {
    return IsMarkerOf(cell, put.qualifier) && MasksForGood(policy, cell, put);
  });
}

void MarkBeneath(const FamilyPolicy& policy, std::vector<StoredCell>* cells) {
  if (policy.new_version_behavior) {
    return;  // a marker masks only older writes
  }
  for (StoredCell& put : *cells) {
    if (put.type != CellType::kPut || !put.fresh) {
      continue;
    }
    bool by_older = false;
    bool surely = false;  // cells written together are flushed together: no compaction drops the marker alone
    for (const StoredCell& marker : *cells) {
      if (IsMarkerOf(marker, put.qualifier) && Masks(policy, marker, put)) {
        by_older = by_older || !marker.fresh;
        surely = surely || marker.fresh;
      }
    }
    put.beneath = by_older && !surely;
  }
}

std::vector<StoredCell> Overlay(std::span<const StoredCell> stored, std::vector<StoredCell> written) {
  std::stable_sort(written.begin(), written.end());
  std::vector<StoredCell> out;
  out.reserve(stored.size() + written.size());
  std::merge(written.begin(), written.end(), stored.begin(), stored.end(), std::back_inserter(out));
  // Of equal keys, the last one written counts, and a new one before a stored one.
  std::vector<StoredCell> unique;
  for (StoredCell& cell : out) {
    if (unique.empty() || !unique.back().SameKey(cell)) {
      unique.push_back(std::move(cell));
    } else if (cell.fresh) {
      unique.back() = std::move(cell);
    }
  }
  return unique;
}

}  // namespace klip::model
