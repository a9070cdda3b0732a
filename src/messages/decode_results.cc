#include <cstring>
#include <optional>
#include <string>

#include "messages/decode.h"

namespace klip::messages {
namespace {

Status AppendInline(const hbase::pb::Cell& message, Result* result) {
  const auto type = static_cast<uint32_t>(message.cell_type());
  if (!rpc::IsStoredType(static_cast<uint8_t>(type))) {
    return {Code::kIoError, "a cell of type " + std::to_string(type) + " in an answer"};
  }
  result->AppendCopy({.row = message.row(),
                      .family = message.family(),
                      .qualifier = message.qualifier(),
                      .timestamp_ms = static_cast<int64_t>(message.timestamp()),
                      .type = static_cast<CellType>(type),
                      .value = message.value()});
  return Status::Ok();
}

}  // namespace

Status TakeCells(rpc::CellBlockReader* block, size_t count, Result* result) {
  const size_t begin = block->offset();
  const std::optional<std::string_view> bytes = block->Pass(count);
  if (!bytes.has_value()) {
    return {Code::kIoError, block->status().ok()
                                ? "an answer's cell block ends before the " + std::to_string(count) + " cells of a row"
                                : block->status().message()};
  }
  if (bytes->empty()) {
    return Status::Ok();
  }
  char* copy = result->Allocate(bytes->size());
  std::memcpy(copy, bytes->data(), bytes->size());
  const size_t before = result->size();
  rpc::CellBlockReader cells({copy, bytes->size()}, block->codec(), begin);
  for (size_t i = 0; i < count; ++i) {
    if (!cells.Next(&result->Append())) {
      result->Truncate(before);
      return {Code::kIoError, cells.status().message()};
    }
  }
  return Status::Ok();
}

Status TakeResult(const hbase::pb::Result& message, rpc::CellBlockReader* block, Result* result) {
  for (const hbase::pb::Cell& cell : message.cell()) {
    KLIP_RETURN_IF_ERROR(AppendInline(cell, result));
  }
  if (message.associated_cell_count() < 0) {
    return {Code::kIoError, "a result of a negative number of cells"};
  }
  KLIP_RETURN_IF_ERROR(TakeCells(block, static_cast<size_t>(message.associated_cell_count()), result));
  result->set_stale(message.stale());
  if (message.has_exists()) {
    result->set_exists(message.exists());
  }
  return Status::Ok();
}

}  // namespace klip::messages
