#include <string>

#include "engine/layout/cell_key.h"
#include "engine/statistics/key_statistics.h"
#include "filter/rows/key_sample.h"
#include "fuzz/targets.h"

namespace klip::fuzz {
namespace {

void FuzzKey(std::string_view bytes) {
  engine::CellKeyView key;
  (void)engine::EscapedRowLength(bytes);
  if (!engine::ParseCellKey(bytes, &key)) {
    return;
  }
  std::string row;
  std::string qualifier;
  std::string again;
  engine::AppendCellKey(engine::Unescape(key.escaped_row, &row), engine::Unescape(key.escaped_qualifier, &qualifier),
                        key.timestamp_ms, key.type, &again);
  Check(again == bytes);
}

void FuzzValue(std::string_view bytes) {
  engine::CellValueView value;
  if (!engine::ParseCellValue(bytes, &value)) {
    return;
  }
  (void)engine::TtlFromTags(value.tags);
  std::string again;
  engine::AppendCellValue(value.value, value.tags, value.sequence, true, &again);
  engine::CellValueView second;
  Check(engine::ParseCellValue(again, &second) && second.value == value.value && second.tags == value.tags &&
        second.sequence == value.sequence);
}

void FuzzStatistics(std::string_view bytes) {
  const Expected<engine::KeyStatistics> statistics = engine::KeyStatistics::Parse(bytes);
  if (!statistics.ok()) {
    return;
  }
  const Expected<engine::KeyStatistics> again = engine::KeyStatistics::Parse(statistics->Serialize());
  Check(again.ok());
  engine::KeyStatistics sum = *statistics;
  sum.Merge(*again);
  for (const engine::DistinctCounter& prefix : sum.prefixes) {
    (void)prefix.Estimate();
  }
}

void FuzzSample(std::string_view bytes) {
  filter::KeySample sample;
  if (!sample.Parse(bytes)) {
    return;
  }
  filter::KeySample again;
  Check(again.Parse(sample.Serialize(size_t{1} << 20)));
  again.Merge(sample);
  Check(again.rows.items.size() <= filter::KeySample::kMaxRows);
}

}  // namespace

void FuzzStored(std::string_view bytes) {
  FuzzKey(bytes);
  FuzzValue(bytes);
  FuzzStatistics(bytes);
  FuzzSample(bytes);
}

}  // namespace klip::fuzz
