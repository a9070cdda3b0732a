#include "model/shown_versions.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "model/tags.h"

namespace klip::model {
namespace {

auto OrderOfStored(const StoredCell& cell) {
  return std::make_tuple(std::string_view(cell.qualifier), ~static_cast<uint64_t>(cell.timestamp_ms),
                         ~static_cast<unsigned>(cell.type));
}

bool IsOfFamily(CellType type) { return type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion; }

bool Masks(const FamilyPolicy& policy, const StoredCell& marker, const StoredCell& put) {
  if (policy.new_version_behavior && marker.sequence < put.sequence) {
    return false;
  }
  const bool version = marker.type == CellType::kDelete || marker.type == CellType::kDeleteFamilyVersion;
  return version ? marker.timestamp_ms == put.timestamp_ms : marker.timestamp_ms >= put.timestamp_ms;
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

bool HasOwnTtl(const StoredCell& cell) { return !cell.tags.empty() && TtlFromTags(cell.tags) >= 0; }

}  // namespace

bool StoredCell::operator<(const StoredCell& other) const { return OrderOfStored(*this) < OrderOfStored(other); }
bool StoredCell::SameKey(const StoredCell& other) const { return OrderOfStored(*this) == OrderOfStored(other); }

ColumnVersions ShownVersions(const FamilyPolicy& policy, std::span<const StoredCell> cells, std::string_view qualifier,
                             int64_t now_ms) {
  std::vector<const StoredCell*> markers;
  std::vector<ShownVersion> puts;
  bool certain = true;
  for (const StoredCell& cell : cells) {
    if (cell.type != CellType::kPut) {
      if (IsOfFamily(cell.type) || cell.qualifier == qualifier) {
        certain = certain && !HasOwnTtl(cell);  // it will mask no more, some day
        markers.push_back(&cell);
      }
    } else if (const int64_t end = EndOf(policy, cell); cell.qualifier == qualifier && end >= now_ms) {
      puts.push_back({.cell = &cell, .until_ms = end});
    }
  }
  ColumnVersions out;
  std::vector<ShownVersion> beneath;  // masked when they were written: by markers that may go before they do
  for (const ShownVersion& put : puts) {
    bool masked = false;
    bool surely = false;  // by a marker that is younger: no compaction takes it alone
    for (const StoredCell* marker : markers) {
      if (Masks(policy, *marker, *put.cell)) {
        masked = true;
        surely = surely || ((marker->fresh || policy.new_version_behavior) && !HasOwnTtl(*marker));
      }
    }
    if (!masked || policy.keep_deleted_cells != KeepDeletedCells::kFalse) {
      certain = certain && !(masked && &put == puts.data());
      out.shown.push_back(put);
    } else if (!surely) {
      if (put.cell->fresh) {
        beneath.push_back(put);
      } else {
        out.masked.push_back(put.cell);
      }
    }
  }
  if (!out.shown.empty() && certain && out.shown.front().cell == puts.front().cell && !HasOwnTtl(*puts.front().cell)) {
    out.shown.resize(1);  // the newest of all: it hides the others, and ends last
    out.shown.front().certain = true;
  }
  out.shown.insert(out.shown.end(), beneath.begin(), beneath.end());
  return out;
}

std::vector<StoredCell> Overlay(std::span<const StoredCell> stored, std::vector<StoredCell> written) {
  std::stable_sort(written.begin(), written.end());
  std::vector<StoredCell> out;
  out.reserve(stored.size() + written.size());
  std::merge(written.begin(), written.end(), stored.begin(), stored.end(), std::back_inserter(out));
  // Of equal keys the last one written counts, and any that is written before what was stored.
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
