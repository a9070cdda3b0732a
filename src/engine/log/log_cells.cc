#include "engine/log/log_cells.h"

#include <string>

#include "engine/layout/batch_reader.h"
#include "engine/layout/cell_key.h"
#include "engine/layout/little_endian.h"
#include "engine/log/log_mark.h"

namespace klip::engine {
namespace {

constexpr uint32_t kDefaultColumnFamily = 0;  // contains no cells

}  // namespace

bool ReadLogRecordHead(std::string_view record, LogRecordHead* head) {
  if (record.size() < sizeof(head->sequence) + sizeof(head->count)) {
    return false;
  }
  head->sequence = ReadLittleEndian<uint64_t>(record.data());
  head->count = ReadLittleEndian<uint32_t>(record.data() + sizeof(head->sequence));
  return true;
}

Status ForEachLoggedCell(std::string_view record, const std::function<Status(const LoggedCell&)>& take) {
  BatchReader changes(record);
  ClusterIds clusters;
  std::string row;
  std::string qualifier;
  LoggedChange change;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, changes.Next(&change));
    if (!more) {
      return Status::Ok();
    }
    if (change.kind == LoggedChange::Kind::kMark) {
      DecodeClusters(change.key, &clusters);
      continue;
    }
    if (change.kind != LoggedChange::Kind::kPut || change.column_family == kDefaultColumnFamily) {
      continue;
    }
    CellKeyView key;
    CellValueView value;
    if (!ParseCellKey(change.key, &key) || !ParseCellValue(change.value, &value)) {
      return {Code::kCorruption, "the log contains an unreadable cell"};
    }
    LoggedCell logged = {.column_family = change.column_family, .clusters = &clusters};
    logged.cell = {.row = Unescape(key.escaped_row, &row),
                   .qualifier = Unescape(key.escaped_qualifier, &qualifier),
                   .timestamp_ms = key.timestamp_ms,
                   .type = key.type,
                   .value = value.value,
                   .tags = value.tags};
    KLIP_RETURN_IF_ERROR(take(logged));
  }
}

}  // namespace klip::engine
