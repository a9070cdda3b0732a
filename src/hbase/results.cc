#include "hbase/results.h"

#include <cstring>
#include <string>

namespace klip::client {
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

// Number `at` of `count`.
Status NextCell(rpc::CellBlockReader* block, size_t at, size_t count, Cell* cell) {
  const Expected<bool> more = block->Next(cell);
  if (!more.ok()) {
    return {Code::kIoError, more.status().message()};
  }
  return *more ? Status()
               : Status(Code::kIoError, "an answer's cell block ends after " + std::to_string(at) + " of " +
                                            std::to_string(count) + " cells");
}

}  // namespace

Status TakeCells(rpc::CellBlockReader* block, size_t count, Result* result) {
  if (count == 0) {
    return Status::Ok();
  }
  const size_t begin = block->offset();
  Cell first;
  KLIP_RETURN_IF_ERROR(NextCell(block, 0, count, &first));
  return TakeCells(first, begin, block, count, result);
}

Status TakeCells(const Cell& first, size_t begin, rpc::CellBlockReader* block, size_t count, Result* result) {
  const size_t before = result->size();
  result->Append(first);
  for (size_t i = 1; i < count; ++i) {
    Cell cell;
    KLIP_RETURN_IF_ERROR(NextCell(block, i, count, &cell));
    result->Append(cell);
  }
  const std::string_view bytes = block->bytes().substr(begin, block->offset() - begin);
  char* copy = result->Allocate(bytes.size());
  std::memcpy(copy, bytes.data(), bytes.size());
  const auto moved = [&](std::string_view view) {
    return std::string_view(copy + (view.data() - bytes.data()), view.size());
  };
  for (size_t i = before; i < result->size(); ++i) {
    Cell& cell = result->Mutable(i);
    cell.row = moved(cell.row);
    cell.family = moved(cell.family);
    cell.qualifier = moved(cell.qualifier);
    cell.value = moved(cell.value);
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

}  // namespace klip::client
