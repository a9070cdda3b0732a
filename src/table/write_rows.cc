// Puts and deletes as cells.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/layout/cell_key.h"
#include "engine/read/row_scanner.h"
#include "model/tags.h"
#include "table/write_step.h"

namespace klip::table {
namespace {

thread_local std::unique_ptr<engine::WriteSet> spare_writes;

int64_t Resolved(int64_t own_ms, int64_t mutation_ms) { return own_ms == kLatestTimestamp ? mutation_ms : own_ms; }

// HBase: the n-th delete of a column's newest version in one Delete means its n-th newest version. Where there are fewer
// versions the marker gets the present time.
Status NewestVersion(const WriteStep& step, const std::string& row, const Delete::Marker& marker, int32_t nth,
                     int64_t* timestamp_ms) {
  const Get get = {.row = row, .columns = {{marker.family, marker.qualifier}}, .max_versions = nth};
  Result versions;
  KLIP_RETURN_IF_ERROR(engine::ReadRow(step.store, step.info.view, get, step.limits.max_row_read_bytes, &versions));
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

void AddPut(const WriteStep& step, const Put& put) {
  const int64_t put_ms = Resolved(put.timestamp_ms, step.put_ms);
  const engine::Family* family = nullptr;
  for (const Put::Column& column : put.columns) {
    if (family == nullptr || family->descriptor.name != column.family) {
      family = step.info.view->Find(column.family);
    }
    step.writes->Add(*family, put.row, column.qualifier, Resolved(column.timestamp_ms, put_ms), CellType::kPut,
                     column.value, TagsFor(put.ttl_ms, column.tags));
  }
}

bool ReadsRow(const Delete& del) {
  for (const Delete::Marker& marker : del.markers) {
    if (marker.type == CellType::kDelete && Resolved(marker.timestamp_ms, del.timestamp_ms) == kLatestTimestamp) {
      return true;
    }
  }
  return false;
}

Status AddDelete(const WriteStep& step, const Delete& del) {
  if (del.markers.empty()) {
    for (const engine::Family& family : step.info.view->families) {
      step.writes->Add(family, del.row, {}, Resolved(del.timestamp_ms, step.now_ms), CellType::kDeleteFamily, {});
    }
    return Status::Ok();
  }
  std::map<std::pair<std::string_view, std::string_view>, int32_t> asked;  // column -> newest versions deleted so far
  for (const Delete::Marker& marker : del.markers) {
    int64_t timestamp_ms = Resolved(marker.timestamp_ms, del.timestamp_ms);
    if (timestamp_ms == kLatestTimestamp) {
      timestamp_ms = step.now_ms;
      if (marker.type == CellType::kDelete) {
        const int32_t nth = ++asked[{marker.family, marker.qualifier}];
        KLIP_RETURN_IF_ERROR(NewestVersion(step, del.row, marker, nth, &timestamp_ms));
      }
    }
    const bool whole_family = marker.type == CellType::kDeleteFamily || marker.type == CellType::kDeleteFamilyVersion;
    step.writes->Add(*step.info.view->Find(marker.family), del.row,
                     whole_family ? std::string_view() : std::string_view(marker.qualifier), timestamp_ms, marker.type,
                     {});
  }
  return Status::Ok();
}

Status AddMutation(const WriteStep& step, const Mutation& mutation, Result* result) {
  if (const auto* put = std::get_if<Put>(&mutation)) {
    AddPut(step, *put);
    return Status::Ok();
  }
  if (const auto* del = std::get_if<Delete>(&mutation)) {
    return AddDelete(step, *del);
  }
  if (const auto* increment = std::get_if<Increment>(&mutation)) {
    return AddIncrement(step, *increment, result);
  }
  return AddAppend(step, std::get<Append>(mutation), result);
}

}  // namespace klip::table
