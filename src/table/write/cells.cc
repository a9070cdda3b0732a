// Converts puts, deletes and raw cells; append.cc and increment.cc do the others.
#include "table/write/cells.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/layout/cell_key.h"
#include "model/tags.h"

namespace klip::table {
namespace {

thread_local std::unique_ptr<engine::WriteSet> spare_writes;

int64_t Resolved(int64_t own_ms, int64_t mutation_ms) { return own_ms == kLatestTimestamp ? mutation_ms : own_ms; }

// As in HBase, the n-th delete of a column's newest version in one Delete means its n-th newest version. If there are
// fewer versions, the marker gets the current time.
Status NewestVersion(const WriteStep& step, const std::string& row, const Delete::Marker& marker, int32_t nth,
                     int64_t* timestamp_ms) {
  const Get get = {.row = row, .columns = {{marker.family, marker.qualifier}}, .max_versions = nth};
  Result versions;
  KLIP_RETURN_IF_ERROR(step.source.Get(step.info, get, &versions));
  *timestamp_ms =
      versions.size() < static_cast<size_t>(nth) ? step.now_ms : versions[static_cast<size_t>(nth) - 1].timestamp_ms;
  return Status::Ok();
}

}  // namespace

ScratchWrites::ScratchWrites() : writes_(std::move(spare_writes)) {
  if (writes_ == nullptr) {
    writes_ = std::make_unique<engine::WriteSet>();
  }
}

ScratchWrites::~ScratchWrites() {
  constexpr size_t kKeptBytes = 1 << 20;
  if (writes_->size_bytes() <= kKeptBytes) {
    writes_->Clear();
    spare_writes = std::move(writes_);
  }
}

std::string TagsFor(int64_t ttl_ms, std::string_view own_tags) {
  return ttl_ms > 0 ? model::WithoutTtl(own_tags) + engine::TtlTag(ttl_ms) : std::string(own_tags);
}

Status AddCells(WriteStep* step, const Put& put) {
  const int64_t put_ms = Resolved(put.timestamp_ms, step->put_ms);
  const engine::Family* family = nullptr;
  for (const Put::Column& column : put.columns) {
    if (family == nullptr || family->descriptor.name != column.family) {
      family = step->info.view->Find(column.family);
    }
    step->writes->Add(*family, put.row, column.qualifier, Resolved(column.timestamp_ms, put_ms), CellType::kPut,
                      column.value, TagsFor(put.ttl_ms, column.tags));
  }
  return Status::Ok();
}

bool DeletesNewestVersion(const Delete& del) {
  for (const Delete::Marker& marker : del.markers) {
    if (marker.type == CellType::kDelete && Resolved(marker.timestamp_ms, del.timestamp_ms) == kLatestTimestamp) {
      return true;
    }
  }
  return false;
}

Status AddCells(WriteStep* step, const Delete& del) {
  if (del.markers.empty()) {
    for (const engine::Family& family : step->info.view->families) {
      step->writes->Add(family, del.row, {}, Resolved(del.timestamp_ms, step->now_ms), CellType::kDeleteFamily, {});
    }
    return Status::Ok();
  }
  std::map<std::pair<std::string_view, std::string_view>, int32_t> asked;  // column -> newest versions deleted so far
  for (const Delete::Marker& marker : del.markers) {
    int64_t timestamp_ms = Resolved(marker.timestamp_ms, del.timestamp_ms);
    if (timestamp_ms == kLatestTimestamp) {
      timestamp_ms = step->now_ms;
      if (marker.type == CellType::kDelete && !step->own_version) {
        const int32_t nth = ++asked[{marker.family, marker.qualifier}];
        KLIP_RETURN_IF_ERROR(NewestVersion(*step, del.row, marker, nth, &timestamp_ms));
      }
    }
    const bool whole_family = marker.type == CellType::kDeleteFamily || marker.type == CellType::kDeleteFamilyVersion;
    step->writes->Add(*step->info.view->Find(marker.family), del.row,
                      whole_family ? std::string_view() : std::string_view(marker.qualifier), timestamp_ms, marker.type,
                      {});
  }
  return Status::Ok();
}

Status AddAsTheyAre(WriteStep* step, std::span<const Cell> cells) {
  for (const Cell& cell : cells) {
    step->writes->Add(*step->info.view->Find(cell.family), cell.row, cell.qualifier, cell.timestamp_ms, cell.type,
                      cell.value, cell.tags);
  }
  return Status::Ok();
}

}  // namespace klip::table
