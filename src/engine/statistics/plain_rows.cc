#include "engine/statistics/plain_rows.h"

#include <algorithm>

#include "engine/layout/cell_key.h"
#include "klip/bytes.h"

namespace klip::engine {

std::string PlainRows::Serialize() const {
  std::string out;
  AppendBigEndian(rows, &out);
  AppendBigEndian(oldest_ms, &out);
  AppendBigEndian(newest_ms, &out);
  return out;
}

std::optional<PlainRows> PlainRows::Parse(std::string_view property) {
  constexpr size_t kField = sizeof(int64_t);
  if (property.size() != 3 * kField) {
    return std::nullopt;
  }
  const PlainRows parsed = {.rows = ReadBigEndian<int64_t>(property.data()),
                            .oldest_ms = ReadBigEndian<int64_t>(property.data() + kField),
                            .newest_ms = ReadBigEndian<int64_t>(property.data() + 2 * kField)};
  return parsed.rows > 0 && parsed.oldest_ms <= parsed.newest_ms ? std::optional(parsed) : std::nullopt;
}

void PlainRowsCounter::Add(std::string_view key, std::string_view value, bool new_row) {
  constexpr size_t kTerminators = 4;  // of row and qualifier
  if (key.size() < kTerminators + kTimestampAndTypeBytes || value.empty() || value[0] != 0 ||
      key.back() != static_cast<char>(~static_cast<uint8_t>(CellType::kPut))) {
    plain_ = false;
    return;
  }
  const int64_t at_ms = ReadKeyTimestamp(key.data() + key.size() - kTimestampAndTypeBytes);
  rows_.oldest_ms = rows_.rows == 0 ? at_ms : std::min(rows_.oldest_ms, at_ms);
  rows_.newest_ms = rows_.rows == 0 ? at_ms : std::max(rows_.newest_ms, at_ms);
  rows_.rows += new_row ? 1 : 0;
}

std::optional<PlainRows> PlainRowsCounter::Finish() const {
  return plain_ && rows_.rows > 0 ? std::optional(rows_) : std::nullopt;
}

}  // namespace klip::engine
