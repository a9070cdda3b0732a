#include "table/info/entry_value.h"

#include "base/take_bytes.h"
#include "klip/bytes.h"

namespace klip::table {
namespace {

constexpr uint32_t kHasEnd = 0x80000000;

using base::Take;

bool TakeCovered(std::string_view* bytes, CoveredColumn* column) {
  uint32_t number = 0;
  uint32_t length = 0;
  if (!Take(bytes, &number) || !Take(bytes, &column->timestamp_ms) ||
      ((number & kHasEnd) != 0 && !Take(bytes, &column->until_ms)) || !Take(bytes, &length) || bytes->size() < length) {
    return false;
  }
  column->column = number & ~kHasEnd;
  column->value = bytes->substr(0, length);
  bytes->remove_prefix(length);
  return true;
}

}  // namespace

void AppendCovered(const CoveredColumn& column, std::string* value) {
  const bool has_end = column.until_ms != model::kNoEnd;
  AppendBigEndian(static_cast<uint32_t>(column.column) | (has_end ? kHasEnd : 0), value);
  AppendBigEndian(column.timestamp_ms, value);
  if (has_end) {
    AppendBigEndian(column.until_ms, value);
  }
  AppendBigEndian(static_cast<uint32_t>(column.value.size()), value);
  value->append(column.value);
}

bool ReadEntryValue(const rowkey::IndexDefinition& definition, std::string_view value, int64_t now_ms,
                    std::vector<CoveredColumn>* covered) {
  covered->clear();
  if (definition.include.empty()) {
    return value == kCertain;
  }
  if (!value.starts_with(kCovering)) {
    return false;
  }
  value.remove_prefix(kCovering.size());
  while (!value.empty()) {
    CoveredColumn column;
    if (!TakeCovered(&value, &column) || column.column >= definition.columns.size()) {
      covered->clear();
      return false;
    }
    if (column.until_ms >= now_ms) {
      covered->push_back(column);
    }
  }
  return true;
}

}  // namespace klip::table
