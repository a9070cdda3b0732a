#include "arrow/column_reader.h"

#include <charconv>
#include <cstring>

namespace klip::arrow {
namespace {

Status Refuse(const ArrowSchema& schema, std::string_view why) {
  return {Code::kInvalidArgument, "column '" + std::string(schema.name == nullptr ? "" : schema.name) +
                                      "': Arrow's format '" + schema.format + "' " + std::string(why)};
}

}  // namespace

Expected<ColumnReader> ColumnReader::Open(const ArrowSchema& schema) {
  ColumnReader out;
  const std::string_view format = schema.format;
  out.name_ = schema.name == nullptr ? "" : schema.name;
  if (schema.dictionary != nullptr) {
    return Refuse(schema, "with a dictionary cannot be written; decode the column first");
  }
  out.code_ = format.empty() ? '\0' : format.front();
  switch (out.code_) {
    case 'n':
      return out;
    case 'b':
      out.kind_ = ValueKind::kBool;
      return out;
    case 'c':
    case 's':
    case 'i':
    case 'l':
      out.kind_ = ValueKind::kInteger;
      return out;
    case 'C':
    case 'S':
    case 'I':
    case 'L':
      out.kind_ = ValueKind::kUnsigned;
      return out;
    case 'f':
    case 'g':
      out.kind_ = ValueKind::kReal;
      return out;
    case 'u':
    case 'U':
      out.kind_ = ValueKind::kText;
      return out;
    case 'z':
    case 'Z':
      out.kind_ = ValueKind::kBytes;
      return out;
    case 'v':
      out.view_ = true;
      out.kind_ = format == "vu" ? ValueKind::kText : ValueKind::kBytes;
      return out;
    case 'w': {
      const auto [end, error] = std::from_chars(format.data() + 2, format.data() + format.size(), out.width_bytes_);
      out.kind_ = ValueKind::kBytes;
      return error == std::errc() && out.width_bytes_ >= 0 ? Expected<ColumnReader>(out)
                                                           : Refuse(schema, "is not a fixed-size binary");
    }
    case 't':
      break;
    default:
      return Refuse(schema, "cannot be written to a table");
  }
  out.kind_ = ValueKind::kTime;
  if (format == "tdD") {
    return out;
  }
  const std::string_view unit = format == "tdm" ? "m" : format.starts_with("ts") ? format.substr(2, 1) : "";
  out.per_second_ = unit == "s" ? 1 : unit == "m" ? 1'000 : unit == "u" ? 1'000'000 : unit == "n" ? 1'000'000'000 : 0;
  return out.per_second_ > 0 ? Expected<ColumnReader>(out) : Refuse(schema, "cannot be written to a table");
}

Status ColumnReader::Read(const ArrowArray* array, int64_t offset) {
  const int64_t wanted = kind_ == ValueKind::kNull                                      ? 0
                         : view_                                                        ? 3
                         : code_ == 'u' || code_ == 'z' || code_ == 'U' || code_ == 'Z' ? 3
                                                                                        : 2;
  if (array->n_buffers < wanted) {
    return {Code::kInvalidArgument, "column '" + name_ + "' has " + std::to_string(array->n_buffers) +
                                        " buffers, its format needs " + std::to_string(wanted)};
  }
  array_ = array;
  offset_ = array->offset + offset;
  return Status::Ok();
}

bool ColumnReader::is_null(int64_t row) const {
  if (kind_ == ValueKind::kNull) {
    return true;
  }
  if (array_->null_count == 0 || array_->buffers[0] == nullptr) {
    return false;
  }
  const int64_t at = offset_ + row;
  return ((static_cast<const uint8_t*>(array_->buffers[0])[at / 8] >> (at % 8)) & 1) == 0;
}

bool ColumnReader::boolean(int64_t row) const {
  const int64_t at = offset_ + row;
  return ((static_cast<const uint8_t*>(array_->buffers[1])[at / 8] >> (at % 8)) & 1) != 0;
}

int64_t ColumnReader::integer(int64_t row) const {
  switch (code_) {
    case 'c':
      return At<int8_t>(row);
    case 's':
      return At<int16_t>(row);
    case 'i':
      return At<int32_t>(row);
    default:
      return At<int64_t>(row);
  }
}

uint64_t ColumnReader::unsigned_integer(int64_t row) const {
  switch (code_) {
    case 'C':
      return At<uint8_t>(row);
    case 'S':
      return At<uint16_t>(row);
    case 'I':
      return At<uint32_t>(row);
    default:
      return At<uint64_t>(row);
  }
}

double ColumnReader::real(int64_t row) const {
  return code_ == 'f' ? static_cast<double>(At<float>(row)) : At<double>(row);
}

std::string_view ColumnReader::bytes(int64_t row) const {
  const auto* data = static_cast<const char*>(array_->buffers[view_ || code_ == 'w' ? 1 : 2]);
  if (code_ == 'w') {
    return {data + (offset_ + row) * width_bytes_, static_cast<size_t>(width_bytes_)};
  }
  if (!view_) {
    const bool large = code_ == 'U' || code_ == 'Z';
    const int64_t begin = large ? At<int64_t>(row) : At<int32_t>(row);
    const int64_t end = large ? At<int64_t>(row + 1) : At<int32_t>(row + 1);
    return {data + begin, static_cast<size_t>(end - begin)};
  }
  // A view: 4 bytes of length, then 12 bytes of data; or, for a longer text, its first 4 bytes, its buffer and the offset
  // there.
  const char* view = data + (offset_ + row) * 16;
  int32_t parts[4];
  std::memcpy(parts, view, sizeof(parts));
  const auto size = static_cast<size_t>(parts[0]);
  constexpr size_t kInline = 12;
  return size <= kInline ? std::string_view(view + 4, size)
                         : std::string_view(static_cast<const char*>(array_->buffers[2 + parts[2]]) + parts[3], size);
}

Expected<int64_t> ColumnReader::time_ms(int64_t row) const {
  constexpr int64_t kDayMs = 86'400'000;
  if (per_second_ == 0) {
    return At<int32_t>(row) * kDayMs;
  }
  const int64_t value = At<int64_t>(row);
  if (per_second_ <= 1000) {
    int64_t ms = 0;
    if (__builtin_mul_overflow(value, 1000 / per_second_, &ms)) {
      return Status(Code::kInvalidArgument, "the time is out of range");
    }
    return ms;
  }
  const int64_t per_ms = per_second_ / 1000;
  if (value % per_ms != 0) {
    return Status(Code::kInvalidArgument, "the time has a fraction of a millisecond");
  }
  return value / per_ms;
}

}  // namespace klip::arrow
