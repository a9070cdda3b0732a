#include "engine/read/read_setup.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "rocksdb/db.h"

#include "base/digest.h"
#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/view/cell_reads.h"

namespace klip::engine {
namespace {

Status CheckRange(const TimeRange& range) {
  if (range.min_ms < 0 || range.max_ms < 0) {
    return {Code::kInvalidArgument, "Timestamp cannot be negative. minStamp:" + std::to_string(range.min_ms) +
                                        ", maxStamp:" + std::to_string(range.max_ms)};
  }
  if (range.max_ms < range.min_ms) {
    return {Code::kInvalidArgument, "maxStamp is smaller than minStamp"};
  }
  return Status::Ok();
}

Status NoSuchFamily(const TableView& table, std::string_view row, const std::string& family) {
  RegionInfo info;
  info.table = table.descriptor.name;
  if (table.regions != nullptr && !table.regions->empty()) {
    const Region& region = table.RegionOf(row);
    info.start_key = region.start_key;
    info.region_id = region.region_id;
  }
  info.encoded_name = base::Hex(base::Md5(info.table + "," + info.start_key + "," + std::to_string(info.region_id)));
  return {Code::kNoSuchColumnFamily, "Column family " + family + " does not exist in region " + info.Name() +
                                         " in table '" + table.descriptor.name + "'"};
}

// The requested qualifiers, escaped and sorted; empty for the whole family. As in HBase, Get.addFamily forgets the
// columns added before it, and addColumn after it narrows the family to a column.
std::vector<std::string> QualifiersOf(const std::vector<ColumnSpec>& columns, const std::string& family) {
  std::vector<std::string> qualifiers;
  for (const ColumnSpec& column : columns) {
    if (column.family != family) {
      continue;
    }
    if (!column.qualifier.has_value()) {
      qualifiers.clear();
      continue;
    }
    AppendEscaped(*column.qualifier, &qualifiers.emplace_back());
  }
  std::sort(qualifiers.begin(), qualifiers.end());
  qualifiers.erase(std::unique(qualifiers.begin(), qualifiers.end()), qualifiers.end());
  return qualifiers;
}

model::FamilyPolicy PolicyOf(const Family& family) {
  if (family.state->reads_otherwise.load(std::memory_order_acquire)) [[unlikely]] {
    if (const auto other = family.state->read_policy.load(); other != nullptr) {
      return *other;
    }
  }
  return model::FamilyPolicy::From(family.descriptor);
}

}  // namespace

Expected<std::vector<FamilyReader>> MakeReaders(const TableView& table, const ReadRequest& request) {
  KLIP_RETURN_IF_ERROR(CheckRange(request.time_range));
  for (const auto& [family, range] : *request.family_time_ranges) {
    KLIP_RETURN_IF_ERROR(CheckRange(range));
  }
  if (request.max_versions <= 0) {
    return Status(Code::kInvalidArgument, "versions must be positive");
  }
  for (const ColumnSpec& column : *request.columns) {
    if (table.Find(column.family) == nullptr) {
      return NoSuchFamily(table, request.row, column.family);
    }
  }
  std::vector<FamilyReader> readers;
  readers.reserve(table.families.size());
  for (const Family& family : table.families) {
    const std::string& name = family.descriptor.name;
    if (!request.columns->empty() && std::none_of(request.columns->begin(), request.columns->end(),
                                                  [&](const ColumnSpec& column) { return column.family == name; })) {
      continue;
    }
    model::ReadRules rules;
    rules.policy = PolicyOf(family);
    const auto range = request.family_time_ranges->find(name);
    rules.range = range == request.family_time_ranges->end() ? request.time_range : range->second;
    rules.max_versions = request.max_versions;
    rules.raw = request.raw;
    rules.has_filter = request.has_filter;
    rules.qualifiers = QualifiersOf(*request.columns, name);
    rules.now_ms = request.now_ms;
    if (request.raw && !rules.qualifiers.empty()) {
      return Status(Code::kDoNotRetry, "Cannot specify any column for a raw scan");
    }
    readers.emplace_back(family, std::move(rules));
  }
  return readers;
}

namespace {

// Costs were measured when a scan of the family was explained.
FamilyCursor::Knowledge Known(const Family& family, double expected_gap) {
  const FamilyState& state = *family.state;
  FamilyCursor::Knowledge known = {.expected_gap = expected_gap,
                                   .cells_per_row = state.cells_per_row.load(std::memory_order_relaxed)};
  if (const double seek_ticks = state.seek_ticks.load(std::memory_order_acquire); seek_ticks != 0) {
    known.costs = JumpCosts(state.step_ticks.load(std::memory_order_relaxed), seek_ticks);
  }
  return known;
}

Status OpenViewCursors(const Store& store, const ReadView& view, rocksdb::ReadOptions options, bool reversed,
                       double expected_gap, std::vector<FamilyReader>* readers, ScanStatistics* statistics) {
  options.snapshot = view.snapshot();
  for (FamilyReader& reader : *readers) {
    std::unique_ptr<rocksdb::Iterator> iterator = store.NewIterator(*reader.family, options);
    reader.cursor = std::make_unique<FamilyCursor>(
        view.overlay().Over(std::move(iterator), reader.family->handle->GetID(), options), reversed,
        Known(*reader.family, expected_gap), statistics);
  }
  return view.CheckAge();
}

}  // namespace

Status OpenCursors(const Store& store, const ReadView* view, rocksdb::ReadOptions options, bool reversed,
                   double expected_gap, std::vector<FamilyReader>* readers, ScanStatistics* statistics) {
  options.ignore_range_deletions =
      std::ranges::none_of(*readers, [](const FamilyReader& reader) { return HasRangeDeletions(*reader.family); });
  if (view != nullptr) [[unlikely]] {
    return OpenViewCursors(store, *view, options, reversed, expected_gap, readers, statistics);
  }
  if (readers->size() == 1) {
    FamilyReader& reader = readers->front();
    reader.cursor = std::make_unique<FamilyCursor>(store.NewIterator(*reader.family, options), reversed,
                                                   Known(*reader.family, expected_gap), statistics);
    return Status::Ok();
  }
  std::vector<std::unique_ptr<rocksdb::Iterator>> iterators;
  for (uint64_t rewrites = store.Rewrites();;) {
    // An iterator keeps the state it was created with; the snapshot is only needed until all are created.
    rocksdb::ReadOptions as_of = options;
    as_of.snapshot = store.db()->GetSnapshot();
    for (const FamilyReader& reader : *readers) {
      iterators.push_back(store.NewIterator(*reader.family, as_of));
    }
    store.db()->ReleaseSnapshot(as_of.snapshot);
    const uint64_t now = store.Rewrites();
    if (now == rewrites) {
      break;
    }
    // A write since the snapshot may have made a version surplus that the snapshot needs.
    rewrites = now;
    iterators.clear();
  }
  for (size_t i = 0; i < readers->size(); ++i) {
    (*readers)[i].cursor = std::make_unique<FamilyCursor>(std::move(iterators[i]), reversed,
                                                          Known(*(*readers)[i].family, expected_gap), statistics);
  }
  return Status::Ok();
}

Status CheckCursors(const TableView& table, const std::vector<FamilyReader>& readers) {
  for (const FamilyReader& reader : readers) {
    if (reader.cursor->at_end()) {
      if (const rocksdb::Status status = reader.cursor->status(); !status.ok()) {
        return FromRocks(
            status, "reading table '" + table.descriptor.name + "', family '" + reader.family->descriptor.name + "'");
      }
    }
  }
  return Status::Ok();
}

}  // namespace klip::engine
