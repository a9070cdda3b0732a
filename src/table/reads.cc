// Reads of EmbeddedTable.
#include <optional>
#include <string>
#include <utility>

#include "engine/store/storage.h"
#include "klip/cancel.h"
#include "rowkey/query_names.h"
#include "table/embedded_table.h"
#include "table/read/distinct_keys.h"
#include "table/read/read_operation.h"

namespace klip::table {

Expected<Result> EmbeddedTable::Get(const klip::Get& get) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  Result result;
  KLIP_RETURN_IF_ERROR(read.Get(get, &result));
  return result;
}

Expected<std::vector<Result>> EmbeddedTable::Get(std::span<const klip::Get> gets) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.Get(gets);
}

Expected<bool> EmbeddedTable::Exists(const klip::Get& get) {
  klip::Get check = get;
  check.check_existence_only = true;
  KLIP_ASSIGN_OR_RETURN(const Result result, Get(check));
  return result.exists();
}

Expected<std::unique_ptr<ResultScanner>> EmbeddedTable::Scan(const klip::Scan& scan, engine::ScanWatch watch) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.Scan(scan, std::move(watch));
}

Expected<std::unique_ptr<BatchScanner>> EmbeddedTable::ScanBatches(const klip::Scan& scan,
                                                                   const std::vector<ColumnName>& columns) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<BatchScanner> batches, read.ScanBatches(scan, columns));
  return batches != nullptr ? Expected<std::unique_ptr<BatchScanner>>(std::move(batches))
                            : Table::ScanBatches(scan, columns);
}

Expected<int64_t> EmbeddedTable::CountRows(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  KLIP_ASSIGN_OR_RETURN(const std::optional<int64_t> rows, read.CountRows(scan));
  return rows.has_value() ? Expected<int64_t>(*rows) : Table::CountRows(scan);
}

Expected<KeyQuery> EmbeddedTable::ParseQuery(std::string_view text) const {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  KLIP_ASSIGN_OR_RETURN(const rowkey::QueryNames names, rowkey::QueryNamesOf(info->view->descriptor));
  return rowkey::ParseQuery(names, text);
}

Expected<klip::Explain> EmbeddedTable::Explain(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.Explain(scan);
}

Expected<std::optional<double>> EmbeddedTable::EstimateRows(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return read.EstimateRows(scan);
}

Expected<Result> EmbeddedTable::EdgeRow(bool last) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(const auto rows, Scan({.reversed = last, .limit_rows = 1}));
  Result row;
  KLIP_RETURN_IF_ERROR(rows->Next(&row).status());
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
  return StatisticsOf(&shared_->store->storage(), *info);
}

Expected<std::vector<std::string>> EmbeddedTable::SampleKeys() {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  KLIP_RETURN_IF_ERROR(info->CheckReadable());
  const filter::SampledKeys sampled = shared_->store->storage().SampleOf(*info->view);
  std::vector<std::string> keys;
  if (sampled.sample != nullptr) {
    for (const filter::KeySample::Row& row : sampled.sample->rows.items) {
      if (sampled.IsLive(row)) {
        keys.push_back(row.bytes);
      }
    }
  }
  return keys;
}

Status EmbeddedTable::CheckReadable() const {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  return info->CheckReadable();
}

Expected<HeatMap> EmbeddedTable::Heat(const HeatQuery& query) {
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot_->Current());
  return info->heat->Read(query);
}

Expected<std::vector<KeyCount>> EmbeddedTable::DistinctKeys(int fields, bool count_rows) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_ASSIGN_OR_RETURN(const ReadOperation read, ReadOperation::Prepare(shared_, slot_.get()));
  return table::DistinctKeys(read, fields, count_rows);
}

}  // namespace klip::table
