#include "sql/catalog/single_cell.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "klip/bytes.h"

namespace klip::sql {
namespace {

constexpr char kVersion = 3;
constexpr size_t kTrailerBytes = 9;

Status Wrong(std::string_view why) {
  return Status(Code::kInvalidArgument, "not a Phoenix single-cell array: " + std::string(why));
}

}  // namespace

Expected<std::optional<std::string_view>> SingleCellElement(std::string_view cell, size_t element) {
  if (cell.size() < kTrailerBytes || cell.back() != kVersion) {
    return Wrong(cell.size() < kTrailerBytes ? "too short" : "version " + std::to_string(cell.back()));
  }
  const char* const trailer = cell.data() + cell.size() - kTrailerBytes;
  const uint64_t table = ReadBigEndian<uint32_t>(trailer);
  const int64_t signed_count = static_cast<int32_t>(ReadBigEndian<uint32_t>(trailer + 4));
  const size_t width = signed_count >= 0 ? 2 : 4;
  const auto count = static_cast<size_t>(signed_count >= 0 ? signed_count : -signed_count);
  if (table + width * count + kTrailerBytes != cell.size()) {
    return Wrong("the offsets do not match its size");
  }
  if (element >= count) {
    return std::optional<std::string_view>();
  }
  const auto offset = [&](size_t i) -> int64_t {
    const char* const at = cell.data() + table + i * width;
    return width == 2 ? static_cast<int16_t>(ReadBigEndian<uint16_t>(at))
                      : static_cast<int32_t>(ReadBigEndian<uint32_t>(at));
  };
  const int64_t begin = offset(element);
  if (begin < 0) {
    return std::optional<std::string_view>();
  }
  int64_t end = element + 1 < count ? offset(element + 1) : static_cast<int64_t>(table);
  end = end < 0 ? -end : end;
  if (end < begin || end > static_cast<int64_t>(table)) {
    return Wrong("an offset is out of range");
  }
  return std::optional(cell.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

std::string EncodeSingleCell(std::span<const std::optional<std::string>> elements) {
  std::string cell = "x";
  std::vector<int32_t> offsets = {0};
  for (const std::optional<std::string>& element : elements) {
    const auto place = static_cast<int32_t>(cell.size());
    offsets.push_back(element.has_value() ? place : -place);
    cell += element.value_or("");
  }
  const auto table = static_cast<uint32_t>(cell.size());
  const bool shorts = std::in_range<int16_t>(offsets.back());  // -32768 too, as in Phoenix
  for (const int32_t offset : offsets) {
    if (shorts) {
      AppendBigEndian(static_cast<uint16_t>(offset), &cell);
    } else {
      AppendBigEndian(static_cast<uint32_t>(offset), &cell);
    }
  }
  AppendBigEndian(table, &cell);
  const auto count = static_cast<int32_t>(offsets.size());
  AppendBigEndian(static_cast<uint32_t>(shorts ? count : -count), &cell);
  return cell + kVersion;
}

}  // namespace klip::sql
