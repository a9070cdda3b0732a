#include "wasm/frames.h"

#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "klip/bytes.h"

namespace klip::wasm {
namespace {

constexpr uint8_t kStored = 4;  // smaller kinds are the indexes of Mutation

template <typename T>
T ReadLittleEndian(std::string_view bytes) {
  T value = 0;
  if (!bytes.empty()) {
    std::memcpy(&value, bytes.data(), sizeof(value));  // all supported machines are little-endian
  }
  return value;
}

void WriteCell(CellType type, std::string_view family, std::string_view qualifier, int64_t at_ms,
               std::string_view value, std::string_view tags, BytesWriter* out) {
  out->U8(static_cast<uint8_t>(type)).Bytes(family).Bytes(qualifier).I64(at_ms).Bytes(value).Bytes(tags);
}

void WriteCells(const Put& put, BytesWriter* out) {
  out->U32(put.columns.size());
  for (const Put::Column& one : put.columns) {
    const int64_t at_ms = one.timestamp_ms == kLatestTimestamp ? put.timestamp_ms : one.timestamp_ms;
    WriteCell(CellType::kPut, one.family, one.qualifier, at_ms, one.value, one.tags, out);
  }
}

void WriteCells(const Delete& del, BytesWriter* out) {
  out->U32(del.markers.size());
  for (const Delete::Marker& one : del.markers) {
    const int64_t at_ms = one.timestamp_ms == kLatestTimestamp ? del.timestamp_ms : one.timestamp_ms;
    WriteCell(one.type, one.family, one.qualifier, at_ms, {}, {}, out);
  }
}

void WriteCells(const Increment& increment, BytesWriter* out) {
  out->U32(increment.columns.size());
  for (const Increment::Column& one : increment.columns) {
    WriteCell(CellType::kPut, one.family, one.qualifier, one.timestamp_ms, BigEndian(one.amount), {}, out);
  }
}

void WriteCells(const Append& append, BytesWriter* out) {
  out->U32(append.columns.size());
  for (const Append::Column& one : append.columns) {
    WriteCell(CellType::kPut, one.family, one.qualifier, one.timestamp_ms, one.value, {}, out);
  }
}

// A row as read; the views are into the bytes.
struct RowRead {
  uint8_t kind = 0;
  std::string_view row;
  std::vector<Cell> cells;
};

Status WrongBytes(const std::string& what) { return {Code::kInvalidArgument, "the module has written " + what}; }

bool IsDeleteMarker(CellType type) {
  return type == CellType::kDelete || type == CellType::kDeleteFamilyVersion || type == CellType::kDeleteColumn ||
         type == CellType::kDeleteFamily;
}

Status CheckCell(const RowRead& read, const Cell& cell) {
  const bool wants_marker = read.kind == 1;
  if (wants_marker ? !IsDeleteMarker(cell.type) : cell.type != CellType::kPut) {
    return WrongBytes("a cell of type " + std::to_string(static_cast<int>(cell.type)) + " in a row of kind " +
                      std::to_string(read.kind));
  }
  return read.kind == 2 && cell.value.size() != sizeof(int64_t)
             ? WrongBytes("an increment of " + std::to_string(cell.value.size()) + " bytes, not of 8")
             : Status::Ok();
}

Expected<RowRead> ReadRow(std::string_view bytes) {
  BytesReader in(bytes);
  RowRead read;
  read.kind = in.U8();
  read.row = in.Bytes();
  if (read.kind > kStored) {
    return WrongBytes("a row of kind " + std::to_string(read.kind));
  }
  for (uint32_t count = in.U32(); count > 0 && in.status().ok(); --count) {
    Cell cell = {.row = read.row};
    cell.type = static_cast<CellType>(in.U8());
    cell.family = in.Bytes();
    cell.qualifier = in.Bytes();
    cell.timestamp_ms = in.I64();
    cell.value = in.Bytes();
    cell.tags = in.Bytes();
    KLIP_RETURN_IF_ERROR(in.status());
    KLIP_RETURN_IF_ERROR(CheckCell(read, cell));
    read.cells.push_back(cell);
  }
  KLIP_RETURN_IF_ERROR(in.status());
  return in.done() ? Expected<RowRead>(std::move(read)) : WrongBytes("bytes after the last cell of a row");
}

void SetCells(const RowRead& read, Put* put) {
  put->columns.clear();
  for (const Cell& cell : read.cells) {
    put->columns.push_back({std::string(cell.family), std::string(cell.qualifier), std::string(cell.value),
                            cell.timestamp_ms, std::string(cell.tags)});
  }
}

void SetCells(const RowRead& read, Delete* del) {
  del->markers.clear();
  for (const Cell& cell : read.cells) {
    del->markers.push_back({cell.type, std::string(cell.family), std::string(cell.qualifier), cell.timestamp_ms});
  }
}

void SetCells(const RowRead& read, Increment* increment) {
  increment->columns.clear();
  for (const Cell& cell : read.cells) {
    increment->columns.push_back({std::string(cell.family), std::string(cell.qualifier),
                                  ReadBigEndian<int64_t>(cell.value.data()), cell.timestamp_ms});
  }
}

void SetCells(const RowRead& read, Append* append) {
  append->columns.clear();
  for (const Cell& cell : read.cells) {
    append->columns.push_back(
        {std::string(cell.family), std::string(cell.qualifier), std::string(cell.value), cell.timestamp_ms});
  }
}

template <typename M>
Mutation NewMutation(const RowRead& read) {
  M mutation = {.row = std::string(read.row)};
  SetCells(read, &mutation);
  return mutation;
}

}  // namespace

BytesWriter& BytesWriter::U32(size_t value) {
  const auto number = static_cast<uint32_t>(value);
  out_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  return *this;
}

BytesWriter& BytesWriter::I64(int64_t value) {
  out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return *this;
}

BytesWriter& BytesWriter::Bytes(std::string_view bytes) { return U32(bytes.size()).Raw(bytes); }

BytesWriter& BytesWriter::Raw(std::string_view bytes) {
  out_.append(bytes);
  return *this;
}

void BytesWriter::SetMore(bool more, uint32_t rows) {
  out_[0] = static_cast<char>(more ? 1 : 0);
  std::memcpy(out_.data() + 1, &rows, sizeof(rows));
}

std::string_view BytesReader::Take(size_t size) {
  if (failed_ || all_.size() - at_ < size) {
    failed_ = true;
    return {};
  }
  at_ += size;
  return all_.substr(at_ - size, size);
}

uint8_t BytesReader::U8() { return ReadLittleEndian<uint8_t>(Take(1)); }
uint32_t BytesReader::U32() { return ReadLittleEndian<uint32_t>(Take(sizeof(uint32_t))); }
int64_t BytesReader::I64() { return ReadLittleEndian<int64_t>(Take(sizeof(int64_t))); }
std::string_view BytesReader::Bytes() { return Take(U32()); }

Status BytesReader::status() const {
  return failed_
             ? WrongBytes("incomplete bytes, at offset " + std::to_string(at_) + " of " + std::to_string(all_.size()))
             : Status::Ok();
}

BytesWriter BeginArgument(const CoprocessorContext& context) {
  BytesWriter out;
  out.Bytes(context.table().name).Bytes(context.caller().user).U8(context.connection() == nullptr ? 1 : 0);
  return out;
}

void WriteMutation(const MutationRef& mutation, BytesWriter* out) {
  std::visit(
      [&](const auto* one) {
        out->U8(static_cast<uint8_t>(mutation.index())).Bytes(one->row);
        WriteCells(*one, out);
      },
      mutation);
}

void WriteStored(std::string_view row, const Result& result, BytesWriter* out) {
  out->U8(kStored).Bytes(row).U32(result.size());
  for (const Cell& cell : result) {
    WriteCell(cell.type, cell.family, cell.qualifier, cell.timestamp_ms, cell.value, cell.tags, out);
  }
}

void WriteScan(const Scan& scan, BytesWriter* out) {
  out->Bytes(scan.start_row).U8(scan.include_start ? 1 : 0).Bytes(scan.stop_row).U8(scan.include_stop ? 1 : 0);
  out->U8(scan.reversed ? 1 : 0).U32(static_cast<uint32_t>(scan.max_versions)).I64(scan.limit_rows);
  out->I64(scan.time_range.min_ms).I64(scan.time_range.max_ms).U32(scan.columns.size());
  for (const ColumnSpec& column : scan.columns) {
    out->Bytes(column.family).U8(column.qualifier.has_value() ? 0 : 1).Bytes(column.qualifier.value_or(""));
  }
}

void WriteCondition(const RowCondition& condition, bool held, BytesWriter* out) {
  out->U8(condition.filter != nullptr ? 2 : condition.comparator != nullptr ? 1 : 0);
  out->Bytes(condition.family).Bytes(condition.qualifier).U8(static_cast<uint8_t>(condition.op));
  out->Bytes(condition.value).I64(condition.time_range.min_ms).I64(condition.time_range.max_ms).U8(held ? 1 : 0);
}

Expected<bool> ReadTruth(std::string_view bytes) {
  if (bytes.size() != 1 || static_cast<uint8_t>(bytes[0]) > 1) {
    return WrongBytes("an answer to a condition other than one byte, 0 or 1");
  }
  return bytes[0] == 1;
}

Expected<Mutation> ReadMutation(std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const RowRead read, ReadRow(bytes));
  switch (read.kind) {
    case 0:
      return NewMutation<Put>(read);
    case 1:
      return NewMutation<Delete>(read);
    case 2:
      return NewMutation<Increment>(read);
    case 3:
      return NewMutation<Append>(read);
    default:
      return WrongBytes("a row of kind 4 instead of a mutation");
  }
}

Status ReplaceCells(std::string_view bytes, Mutation* mutation) {
  KLIP_ASSIGN_OR_RETURN(const RowRead read, ReadRow(bytes));
  const std::string& row = std::visit([](const auto& one) -> const std::string& { return one.row; }, *mutation);
  if (read.kind != mutation->index() || read.row != row) {
    return WrongBytes("a mutation whose row or kind differs from the one that it replaces");
  }
  std::visit([&read](auto& one) { SetCells(read, &one); }, *mutation);
  return Status::Ok();
}

Status ReadStored(std::string_view bytes, Result* result) {
  KLIP_ASSIGN_OR_RETURN(const RowRead read, ReadRow(bytes));
  if (read.kind != kStored) {
    return WrongBytes("a row of kind " + std::to_string(read.kind) + " instead of 4");
  }
  result->Clear();
  for (const Cell& cell : read.cells) {
    result->AppendCopy(cell);
  }
  result->set_exists(!read.cells.empty());
  return Status::Ok();
}

Status ReplaceStored(std::string_view bytes, Result* result) {
  Result replaced;
  KLIP_RETURN_IF_ERROR(ReadStored(bytes, &replaced));
  if (!replaced.empty() && replaced.row() != result->row()) {
    return WrongBytes("a row that differs from the one that it replaces");
  }
  replaced.set_stale(result->stale());
  replaced.set_has_more_cells_in_row(result->has_more_cells_in_row());
  *result = std::move(replaced);
  return Status::Ok();
}

Status ReadScan(std::string_view bytes, Scan* scan) {
  BytesReader in(bytes);
  scan->start_row = in.Bytes();
  scan->include_start = in.U8() != 0;
  scan->stop_row = in.Bytes();
  scan->include_stop = in.U8() != 0;
  scan->reversed = in.U8() != 0;
  scan->max_versions = static_cast<int32_t>(in.U32());
  scan->limit_rows = in.I64();
  scan->time_range = {.min_ms = in.I64(), .max_ms = in.I64()};
  scan->columns.clear();
  for (uint32_t count = in.U32(); count > 0 && in.status().ok(); --count) {
    ColumnSpec column = {.family = std::string(in.Bytes())};
    const bool whole_family = in.U8() != 0;
    const std::string_view qualifier = in.Bytes();
    if (!whole_family) {
      column.qualifier = qualifier;
    }
    scan->columns.push_back(std::move(column));
  }
  KLIP_RETURN_IF_ERROR(in.status());
  if (!in.done()) {
    return WrongBytes("bytes after the last column of a scan");
  }
  if (scan->max_versions <= 0 || scan->limit_rows < 0 || scan->time_range.min_ms < 0 ||
      scan->time_range.max_ms < scan->time_range.min_ms) {
    return WrongBytes("a scan whose versions, limit or times are out of range");
  }
  return Status::Ok();
}

}  // namespace klip::wasm
