// Gets, the first and last row, and what the table knows of itself.
#include <utility>

#include "engine/read/row_scanner.h"
#include "table/embedded_table.h"
#include "table/scan_request.h"

namespace klip::table {

Expected<Result> EmbeddedTable::Get(const klip::Get& get) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Readable());
  KLIP_RETURN_IF_ERROR(CheckGet(get));
  Result result;
  KLIP_RETURN_IF_ERROR(engine::ReadRow(store(), info->view, get, shared_->limits.max_row_read_bytes, &result));
  return result;
}

Expected<std::vector<Result>> EmbeddedTable::Get(std::span<const klip::Get> gets) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Readable());
  for (const klip::Get& get : gets) {
    KLIP_RETURN_IF_ERROR(CheckGet(get));
  }
  std::vector<Result> results(gets.size());
  const CancelToken token = CancelToken::Current();
  for (size_t i = 0; i < gets.size(); ++i) {
    KLIP_RETURN_IF_ERROR(token.status());
    KLIP_RETURN_IF_ERROR(
        engine::ReadRow(store(), info->view, gets[i], shared_->limits.max_row_read_bytes, &results[i]));
  }
  return results;
}

Expected<bool> EmbeddedTable::Exists(const klip::Get& get) {
  klip::Get check = get;
  check.check_existence_only = true;
  KLIP_ASSIGN_OR_RETURN(const Result result, Get(check));
  return result.exists();
}

Expected<Result> EmbeddedTable::EdgeRow(bool last) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Readable());
  engine::RowScanSpec spec;
  spec.scan.limit_rows = 1;
  spec.scan.reversed = last;
  spec.max_row_read_bytes = shared_->limits.max_row_read_bytes;
  KLIP_ASSIGN_OR_RETURN(const auto scanner, engine::RowScanner::Open(store(), info->view, std::move(spec)));
  Result row;
  KLIP_RETURN_IF_ERROR(scanner->Next(&row).status());
  return row;
}

Expected<Result> EmbeddedTable::FirstRow() { return EdgeRow(/*last=*/false); }
Expected<Result> EmbeddedTable::LastRow() { return EdgeRow(/*last=*/true); }

std::optional<RowKeySchema> EmbeddedTable::row_key_schema() const {
  const Expected<InfoPtr> info = slot_->Current();
  return info.ok() ? (*info)->schema : std::nullopt;
}

Expected<TableStatistics> EmbeddedTable::Statistics() {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  return StatisticsOf(&store(), *info);
}

}  // namespace klip::table
