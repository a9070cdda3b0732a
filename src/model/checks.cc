#include "model/checks.h"

#include <string>

#include "klip/bytes.h"

namespace klip::model {
namespace {

Status NoColumns(std::string_view row) {
  return {Code::kInvalidArgument, "Invalid arguments to row '" + ToStringBinary(row) + "', zero columns specified"};
}

// For Increment and Append.
template <typename One>
Status CheckChange(const One& change) {
  KLIP_RETURN_IF_ERROR(CheckRow(change.row));
  KLIP_RETURN_IF_ERROR(CheckTtl(change.ttl_ms));
  if (change.columns.empty()) {
    return NoColumns(change.row);
  }
  for (const auto& column : change.columns) {
    KLIP_RETURN_IF_ERROR(CheckTimestamp(column.timestamp_ms));
  }
  return Status::Ok();
}

}  // namespace

Status CheckRow(std::string_view row) {
  if (row.empty()) {
    return {Code::kInvalidArgument, "Row length is 0"};
  }
  if (row.size() > kMaxRowBytes) {
    return {Code::kInvalidArgument,
            "Row length " + std::to_string(row.size()) + " is > " + std::to_string(kMaxRowBytes)};
  }
  return Status::Ok();
}

Status CheckTimestamp(int64_t timestamp_ms) {
  return timestamp_ms >= 0
             ? Status::Ok()
             : Status(Code::kInvalidArgument, "Timestamp cannot be negative. ts=" + std::to_string(timestamp_ms));
}

Status CheckTtl(int64_t ttl_ms) {
  return ttl_ms >= 0 ? Status::Ok()
                     : Status(Code::kInvalidArgument, "TTL cannot be negative. ttl=" + std::to_string(ttl_ms));
}

Status CheckGet(const Get& get) {
  KLIP_RETURN_IF_ERROR(CheckRow(get.row));
  return get.max_versions > 0 ? Status::Ok() : Status(Code::kInvalidArgument, "versions must be positive");
}

Status CheckForm(const Put& put) {
  KLIP_RETURN_IF_ERROR(CheckRow(put.row));
  if (put.columns.empty()) {
    return {Code::kInvalidArgument, "No columns to insert"};
  }
  KLIP_RETURN_IF_ERROR(CheckTimestamp(put.timestamp_ms));
  KLIP_RETURN_IF_ERROR(CheckTtl(put.ttl_ms));
  for (const Put::Column& column : put.columns) {
    KLIP_RETURN_IF_ERROR(CheckTimestamp(column.timestamp_ms));
  }
  return Status::Ok();
}

Status CheckForm(const Delete& del) {
  KLIP_RETURN_IF_ERROR(CheckRow(del.row));
  KLIP_RETURN_IF_ERROR(CheckTimestamp(del.timestamp_ms));
  for (const Delete::Marker& marker : del.markers) {
    KLIP_RETURN_IF_ERROR(CheckTimestamp(marker.timestamp_ms));
    if (marker.type == CellType::kPut) {
      return {Code::kInvalidArgument, "a Delete may contain only delete markers, not Put"};
    }
  }
  return Status::Ok();
}

Status CheckForm(const Increment& increment) { return CheckChange(increment); }
Status CheckForm(const Append& append) { return CheckChange(append); }

Status CheckForm(const RowMutations& mutations) {
  KLIP_RETURN_IF_ERROR(CheckRow(mutations.row));
  for (const Mutation& mutation : mutations.mutations) {
    KLIP_RETURN_IF_ERROR(std::visit([](const auto& one) { return CheckForm(one); }, mutation));
    const std::string& row = std::visit([](const auto& one) -> const std::string& { return one.row; }, mutation);
    if (row != mutations.row) {
      return {Code::kWrongRow, "The row in the recently added Mutation <" + ToStringBinary(row) +
                                   "> doesn't match the original one <" + ToStringBinary(mutations.row) + ">"};
    }
  }
  return Status::Ok();
}

}  // namespace klip::model
