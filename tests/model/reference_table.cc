// Writing to the reference table.
#include "model/reference_table.h"

#include "ops/op_language.h"

namespace klip::ops {

Expected<Result> ReferenceTable::Write(const std::vector<Mutation>& mutations, int64_t checked_ms) {
  const std::map<Key, Value> before = cells_;
  ++sequence_;
  Result result;
  for (const Mutation& mutation : mutations) {
    Status status = std::visit([&](const auto& m) { return Apply(m, checked_ms, &result); }, mutation);
    if (!status.ok()) {
      cells_ = before;
      return status;
    }
  }
  return result;
}

Status ReferenceTable::Apply(const klip::Put& put, int64_t checked_ms, Result* /*result*/) {
  for (const Put::Column& column : put.columns) {
    int64_t at = column.timestamp_ms == kLatestTimestamp ? put.timestamp_ms : column.timestamp_ms;
    at = at == kLatestTimestamp ? std::max(*clock_ms_, checked_ms) : at;
    WriteCell(put.row, column.family, column.qualifier, at, CellType::kPut, column.value, put.ttl_ms);
  }
  return {};
}

Status ReferenceTable::Apply(const klip::Delete& del, int64_t /*checked_ms*/, Result* /*result*/) {
  if (del.markers.empty()) {
    for (const FamilyDescriptor& family : descriptor_.families) {
      WriteCell(del.row, family.name, "", del.timestamp_ms, CellType::kDeleteFamily, "");
    }
  }
  for (const Delete::Marker& marker : del.markers) {
    int64_t at = marker.timestamp_ms == kLatestTimestamp ? del.timestamp_ms : marker.timestamp_ms;
    if (marker.type == CellType::kDelete && at == kLatestTimestamp) {
      Result newest = Newest(klip::Append{.row = del.row}, marker.family, marker.qualifier);
      at = newest.empty() ? at : newest[0].timestamp_ms;
    }
    WriteCell(del.row, marker.family, marker.qualifier, at, marker.type, "");
  }
  return {};
}

Status ReferenceTable::Apply(const klip::Increment& increment, int64_t /*checked_ms*/, Result* result) {
  for (const Increment::Column& column : increment.columns) {
    Result newest = Newest(increment, column.family, column.qualifier);
    int64_t at = *clock_ms_;
    uint64_t value = static_cast<uint64_t>(column.amount);
    if (!newest.empty()) {
      if (newest[0].value.size() != 8) {
        return {Code::kDoNotRetry,
                "Field is not a long, it's " + std::to_string(newest[0].value.size()) + " bytes wide"};
      }
      at = std::max(at, newest[0].timestamp_ms + 1);
      value += ReadBigEndian<uint64_t>(newest[0].value.data());
    }
    WriteCell(increment.row, column.family, column.qualifier, at, CellType::kPut, BigEndian(value),
              TtlOf(newest, increment.ttl_ms));
    if (increment.return_results) {
      result->AppendCopy({increment.row, column.family, column.qualifier, at, CellType::kPut, BigEndian(value), {}});
    }
  }
  return {};
}

Status ReferenceTable::Apply(const klip::Append& append, int64_t /*checked_ms*/, Result* result) {
  for (const Append::Column& column : append.columns) {
    Result newest = Newest(append, column.family, column.qualifier);
    int64_t at = *clock_ms_;
    std::string value = column.value;
    if (!newest.empty()) {
      at = std::max(at, newest[0].timestamp_ms + 1);
      value = std::string(newest[0].value) + value;
    }
    WriteCell(append.row, column.family, column.qualifier, at, CellType::kPut, value, TtlOf(newest, append.ttl_ms));
    if (append.return_results) {
      result->AppendCopy({append.row, column.family, column.qualifier, at, CellType::kPut, value, {}});
    }
  }
  return {};
}

std::string RunOnModel(ReferenceTable* model, const std::string& line) {
  const std::vector<std::string> tokens = Tokens(line);
  if (tokens[0] == "major") {
    model->MajorCompact();
  } else if (tokens[0] == "snapshot") {
    model->Snapshot(tokens[1]);
  } else if (tokens[0] == "restore") {
    model->Restore(tokens[1]);
  } else if (tokens[0] == "load") {
    const Expected<std::vector<Put>> puts = ParsePuts(std::span(tokens).subspan(1));
    for (const Put& put : puts.ok() ? *puts : std::vector<Put>()) {
      (void)model->Put(put);
    }
  } else if (tokens[0] == "clone") {
    ReferenceTable clone = model->Clone(tokens[1]);
    const std::string cells = RunOnModel(&clone, "scan versions=all");
    return cells + cells;
  }
  return IsTableOp(tokens[0]) ? RunTableOp(*model, tokens) : "";
}

}  // namespace klip::ops
