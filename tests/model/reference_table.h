// The reference: a table as a std::map in HBase's cell order, read by looking at every cell of a row. It shares no code
// with klip's read path, only the structs of the public API. Filters and key queries are tested elsewhere
// (tests/planner).
//
// HBase does not define which surplus versions (beyond the family's VERSIONS) are visible before a flush drops them. So
// the random ops avoid that: with few VERSIONS, they use no time ranges, no deletes of single versions and no cell TTLs.
// Overwriting the same cell replaces the older value immediately.
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "klip/admin.h"
#include "klip/bytes.h"
#include "klip/table.h"

namespace klip::ops {

class ReferenceTable : public Table {
 public:
  ReferenceTable(TableDescriptor descriptor, const int64_t* clock_ms)
      : descriptor_(std::move(descriptor)), clock_ms_(clock_ms) {}

  // What a flush and a major compaction leave: no markers, nothing masked or expired. KEEP_DELETED_CELLS families keep both.
  void MajorCompact() {
    std::vector<Key> doomed;
    std::map<std::tuple<std::string, std::string, std::string>, int32_t> versions;
    for (const auto& [key, value] : cells_) {
      const FamilyDescriptor& family = *descriptor_.Find(key.family);
      const bool gone = key.type != CellType::kPut || Masked(key, value, family, TimeRange()) || Expired(key, value) ||
                        Expired(key, family, ++versions[{key.row, key.family, key.qualifier}]);
      if (gone && family.keep_deleted_cells == KeepDeletedCells::kFalse) {
        doomed.push_back(key);
      }
    }
    for (const Key& key : doomed) {
      cells_.erase(key);
    }
  }

  void Snapshot(const std::string& name) { snapshots_[name] = cells_; }
  void Restore(const std::string& name) { cells_ = snapshots_.at(name); }
  // A table made of a snapshot.
  ReferenceTable Clone(const std::string& name) const {
    ReferenceTable clone = *this;
    clone.Restore(name);
    return clone;
  }

  const std::string& name() const override { return descriptor_.name; }

  Expected<Result> Get(const klip::Get& get) override {
    Result result = Read(get.row, get, false);
    if (get.check_existence_only) {
      Result answer;
      answer.set_exists(!result.empty());
      return answer;
    }
    return result;
  }
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override {
    std::vector<Result> results;
    for (const klip::Get& get : gets) {
      results.push_back(Read(get.row, get, false));
    }
    return results;
  }
  Expected<bool> Exists(const klip::Get& get) override { return !Read(get.row, get, false).empty(); }

  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override {
    std::set<std::string> rows;
    for (const auto& [key, value] : cells_) {
      rows.insert(key.row);
    }
    std::vector<std::string> order(rows.begin(), rows.end());
    if (scan.reversed) {
      std::ranges::reverse(order);
    }
    auto scanner = std::make_unique<Scanner>();
    int64_t found = 0;
    for (const std::string& row : order) {
      if (!InRange(row, scan) || (scan.limit_rows > 0 && found == scan.limit_rows)) {
        continue;
      }
      Result whole = Read(row, scan, scan.raw);
      found += whole.empty() ? 0 : 1;
      const size_t piece = scan.batch > 0 ? static_cast<size_t>(scan.batch) : std::max<size_t>(whole.size(), 1);
      for (size_t at = 0; at < whole.size(); at += piece) {
        Result part;
        for (size_t i = at; i < std::min(at + piece, whole.size()); ++i) {
          part.AppendCopy(whole[i]);
        }
        part.set_has_more_cells_in_row(at + piece < whole.size());
        scanner->results.push_back(std::move(part));
      }
    }
    return std::unique_ptr<ResultScanner>(std::move(scanner));
  }

  Status Put(const klip::Put& put) override { return Write({put}).status(); }
  Status Delete(const klip::Delete& del) override { return Write({del}).status(); }
  Expected<Result> Increment(const klip::Increment& increment) override { return Write({increment}); }
  Expected<Result> Append(const klip::Append& append) override { return Write({append}); }
  Expected<Result> Mutate(const RowMutations& mutations) override { return Write(mutations.mutations); }

  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override {
    CheckAndMutateResult outcome;
    int64_t checked_ms = 0;
    outcome.success = Holds(check.row, check.condition, &checked_ms);
    if (outcome.success) {
      std::vector<Mutation> mutations;
      std::visit(
          [&mutations](const auto& action) {
            if constexpr (std::is_same_v<std::decay_t<decltype(action)>, RowMutations>) {
              mutations = action.mutations;
            } else {
              mutations.push_back(action);
            }
          },
          check.action);
      KLIP_ASSIGN_OR_RETURN(outcome.result, Write(mutations, checked_ms));
    }
    return outcome;
  }

  Expected<Result> FirstRow() override { return EdgeRow(false); }
  Expected<Result> LastRow() override { return EdgeRow(true); }

  // Not part of the random ops.
  Status Put(std::span<const klip::Put>) override { return Unsupported(); }
  std::vector<Expected<Result>> Batch(std::span<const Action>) override { return {}; }
  Expected<klip::Explain> Explain(const klip::Scan&) override { return Unsupported(); }
  Expected<std::vector<KeyCount>> DistinctKeys(int, bool) override { return Unsupported(); }
  Expected<uint64_t> Prepend(const klip::Prepend&) override { return Unsupported(); }
  Expected<KeyQuery> ParseQuery(std::string_view /*text*/) const override {
    return Status(Code::kUnsupported, "no queries");
  }
  std::optional<RowKeySchema> row_key_schema() const override { return std::nullopt; }
  Expected<TableStatistics> Statistics() override { return Unsupported(); }

 private:
  struct Key {
    std::string row;
    std::string family;
    std::string qualifier;
    int64_t timestamp_ms = 0;
    CellType type = CellType::kPut;

    bool operator<(const Key& other) const {
      if (auto order = std::tie(row, family, qualifier) <=> std::tie(other.row, other.family, other.qualifier);
          order != 0) {
        return order < 0;
      }
      return std::tie(other.timestamp_ms, other.type) < std::tie(timestamp_ms, type);
    }
  };
  struct Value {
    std::string bytes;
    int64_t sequence = 0;  // of the write, for NEW_VERSION_BEHAVIOR
    int64_t ttl_ms = 0;
  };
  struct Scanner : ResultScanner {
    std::vector<Result> results;
    size_t at = 0;
    Expected<bool> Next(Result* result) override {
      result->Clear();
      if (at == results.size()) {
        return false;
      }
      *result = std::move(results[at++]);
      return true;
    }
    ScanStatistics statistics() const override { return {}; }
    klip::Explain explain() const override { return {}; }
  };

  static Status Unsupported() { return {Code::kUnsupported, "not in the model"}; }

  static bool InRange(const std::string& row, const klip::Scan& scan) {
    const std::string& low = scan.reversed ? scan.stop_row : scan.start_row;
    const std::string& high = scan.reversed ? scan.start_row : scan.stop_row;
    const bool include_low = scan.reversed ? scan.include_stop : scan.include_start;
    const bool include_high = scan.reversed ? scan.include_start : scan.include_stop;
    return (low.empty() || row > low || (include_low && row == low)) &&
           (high.empty() || row < high || (include_high && row == high));
  }

  static bool MarkerCovers(const Key& marker, const Key& put) {
    switch (marker.type) {
      case CellType::kPut:
        return false;
      case CellType::kDelete:
        return marker.qualifier == put.qualifier && marker.timestamp_ms == put.timestamp_ms;
      case CellType::kDeleteColumn:
        return marker.qualifier == put.qualifier && marker.timestamp_ms >= put.timestamp_ms;
      case CellType::kDeleteFamilyVersion:
        return marker.timestamp_ms == put.timestamp_ms;
      case CellType::kDeleteFamily:
        return marker.timestamp_ms >= put.timestamp_ms;
    }
    return false;
  }

  // Any marker of the row and family that covers the put. Families that keep deleted cells do not see markers outside the
  // time range; NEW_VERSION_BEHAVIOR families only those written after the put.
  bool Masked(const Key& put, const Value& value, const FamilyDescriptor& family, const TimeRange& range) const {
    for (auto it = cells_.lower_bound({put.row, put.family, "", kLatestTimestamp, CellType::kDeleteFamily});
         it != cells_.end() && it->first.row == put.row && it->first.family == put.family; ++it) {
      const auto& [marker, written] = *it;
      const bool in_range = marker.timestamp_ms >= range.min_ms && marker.timestamp_ms < range.max_ms;
      const bool seen = family.keep_deleted_cells == KeepDeletedCells::kFalse || range == TimeRange() || in_range;
      const bool later = !family.new_version_behavior || written.sequence > value.sequence;
      if (MarkerCovers(marker, put) && seen && later) {
        return true;
      }
    }
    return false;
  }

  // A family forgets its columns before it; a column behind its family narrows to itself.
  static bool Wanted(const std::vector<ColumnSpec>& columns, const Key& key) {
    bool whole = columns.empty();
    bool named = false;
    for (const ColumnSpec& column : columns) {
      if (column.family == key.family) {
        named = column.qualifier.has_value() && (named || *column.qualifier == key.qualifier);
        whole = !column.qualifier.has_value();
      }
    }
    return whole || named;
  }

  // `Query` is a Get or a Scan.
  template <typename Query>
  Result Read(const std::string& row, const Query& query, bool raw) const {
    Result result;
    for (const FamilyDescriptor& family : descriptor_.families) {
      ReadFamily(row, family, query, raw, &result);
    }
    return result;
  }

  template <typename Query>
  void ReadFamily(const std::string& row, const FamilyDescriptor& family, const Query& query, bool raw,
                  Result* result) const {
    const auto special = query.family_time_ranges.find(family.name);
    const TimeRange& range = special == query.family_time_ranges.end() ? query.time_range : special->second;
    std::map<std::string, int32_t> versions;  // per qualifier
    int32_t seen = 0;
    for (auto it = cells_.lower_bound({row, family.name, "", kLatestTimestamp, CellType::kDeleteFamily});
         it != cells_.end() && it->first.row == row && it->first.family == family.name; ++it) {
      const auto& [key, value] = *it;
      if (!Wanted(query.columns, key) || key.timestamp_ms < range.min_ms || key.timestamp_ms >= range.max_ms ||
          (!raw && !Visible(key, value, family, range, query.max_versions, &versions))) {
        continue;
      }
      ++seen;
      if (seen > query.row_offset_per_family &&
          (query.max_results_per_family < 0 ||
           seen <= std::max(1, query.max_results_per_family) + query.row_offset_per_family)) {
        result->AppendCopy({key.row, key.family, key.qualifier, key.timestamp_ms, key.type, value.bytes, {}});
      }
    }
  }

  bool Visible(const Key& key, const Value& value, const FamilyDescriptor& family, const TimeRange& range,
               int32_t max_versions, std::map<std::string, int32_t>* versions) const {
    if (key.type != CellType::kPut || Masked(key, value, family, range) || Expired(key, value)) {
      return false;
    }
    const int32_t version = ++(*versions)[key.qualifier];
    return version <= std::min(max_versions, family.max_versions) && !Expired(key, family, version);
  }

  // By the cell's own TTL.
  bool Expired(const Key& key, const Value& value) const {
    return value.ttl_ms > 0 && key.timestamp_ms + value.ttl_ms < *clock_ms_;
  }
  // By its family's; `version` counts from the newest.
  bool Expired(const Key& key, const FamilyDescriptor& family, int32_t version) const {
    return family.ttl_s != kTtlForever && key.timestamp_ms < *clock_ms_ - int64_t{family.ttl_s} * 1000 &&
           version > family.min_versions;
  }

  Expected<Result> EdgeRow(bool last) {
    klip::Scan scan;
    scan.reversed = last;
    scan.limit_rows = 1;
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, Scan(scan));
    Result result;
    KLIP_RETURN_IF_ERROR(scanner->Next(&result).status());
    return result;
  }

  bool Holds(const std::string& row, const RowCondition& condition, int64_t* checked_ms) const {
    klip::Get get{.row = row, .columns = {{condition.family, condition.qualifier}}, .time_range = condition.time_range};
    Result result = Read(row, get, false);
    *checked_ms = result.empty() ? 0 : result[0].timestamp_ms;
    if (condition.value.empty() && condition.op == CompareOp::kEqual) {
      return result.empty() || result[0].value.empty();
    }
    if (result.empty()) {
      return false;
    }
    const int order = std::string_view(condition.value).compare(result[0].value);
    switch (condition.op) {
      case CompareOp::kLess:
        return order < 0;
      case CompareOp::kLessOrEqual:
        return order <= 0;
      case CompareOp::kEqual:
        return order == 0;
      case CompareOp::kNotEqual:
        return order != 0;
      case CompareOp::kGreaterOrEqual:
        return order >= 0;
      case CompareOp::kGreater:
        return order > 0;
      case CompareOp::kNoOp:
        return false;
    }
    return false;
  }

  // Applies the mutations in order, all or none. Puts without a time get one that is not below that of the cell checked.
  Expected<Result> Write(const std::vector<Mutation>& mutations, int64_t checked_ms = 0);
  Status Apply(const klip::Put& put, int64_t checked_ms, Result* result);
  Status Apply(const klip::Delete& del, int64_t checked_ms, Result* result);
  Status Apply(const klip::Increment& increment, int64_t checked_ms, Result* result);
  Status Apply(const klip::Append& append, int64_t checked_ms, Result* result);
  // The newest visible cell of a column, if any.
  template <typename M>
  Result Newest(const M& mutation, const std::string& family, const std::string& qualifier) const {
    klip::Get get{.row = mutation.row, .columns = {{family, qualifier}}, .time_range = mutation.time_range};
    return Read(mutation.row, get, false);
  }
  // An increment or append keeps the TTL of the cell that it replaces, unless it has its own.
  int64_t TtlOf(const Result& newest, int64_t own_ms) const {
    if (own_ms > 0 || newest.empty()) {
      return own_ms;
    }
    const Cell& cell = newest[0];
    return cells_
        .at({std::string(cell.row), std::string(cell.family), std::string(cell.qualifier), cell.timestamp_ms,
             CellType::kPut})
        .ttl_ms;
  }
  void WriteCell(const std::string& row, const std::string& family, const std::string& qualifier, int64_t timestamp_ms,
                 CellType type, std::string bytes, int64_t ttl_ms = 0) {
    const int64_t at = timestamp_ms == kLatestTimestamp ? *clock_ms_ : timestamp_ms;
    cells_[{row, family, qualifier, at, type}] = {std::move(bytes), sequence_, ttl_ms};
  }

  TableDescriptor descriptor_;
  const int64_t* clock_ms_;
  std::map<Key, Value> cells_;
  std::map<std::string, std::map<Key, Value>> snapshots_;
  int64_t sequence_ = 0;
};

// What a line of random ops prints; store ops print nothing.
std::string RunOnModel(ReferenceTable* model, const std::string& line);

}  // namespace klip::ops
