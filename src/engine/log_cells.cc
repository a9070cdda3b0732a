#include "engine/log_cells.h"

#include <string>
#include <utility>

#include "rocksdb/write_batch.h"

#include "engine/batch_reader.h"
#include "engine/cell_key.h"
#include "engine/little_endian.h"
#include "engine/log_mark.h"
#include "engine/rocksdb_status.h"

namespace klip::engine {
namespace {

constexpr uint32_t kDefaultColumnFamily = 0;  // holds no cells

class CellReader final : public BatchReader {
 public:
  explicit CellReader(const std::function<Status(const LoggedCell&)>* take) : take_(take) {}

  rocksdb::Status PutCF(uint32_t column_family, const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    if (column_family == kDefaultColumnFamily) {
      return {};
    }
    CellKeyView key_view;
    CellValueView value_view;
    if (!ParseCellKey({key.data(), key.size()}, &key_view) ||
        !ParseCellValue({value.data(), value.size()}, &value_view)) {
      status_ = Status(Code::kCorruption, "the log holds a cell that cannot be read");
      return rocksdb::Status::Aborted();
    }
    LoggedCell logged = {.column_family = column_family, .clusters = &clusters_};
    logged.cell = {.row = Unescape(key_view.escaped_row, &row_),
                   .qualifier = Unescape(key_view.escaped_qualifier, &qualifier_),
                   .timestamp_ms = key_view.timestamp_ms,
                   .type = key_view.type,
                   .value = value_view.value,
                   .tags = value_view.tags};
    status_ = (*take_)(logged);
    return status_.ok() ? rocksdb::Status() : rocksdb::Status::Aborted();
  }

  void LogData(const rocksdb::Slice& data) override {
    ClusterIds clusters;
    if (DecodeClusters({data.data(), data.size()}, &clusters)) {
      clusters_ = std::move(clusters);
    }
  }

  // What the engine writes besides cells.
  rocksdb::Status DeleteRangeCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override { return {}; }

  const Status& status() const { return status_; }

 private:
  const std::function<Status(const LoggedCell&)>* const take_;
  ClusterIds clusters_;
  std::string row_;
  std::string qualifier_;
  Status status_;
};

}  // namespace

bool ReadLogRecordHead(std::string_view record, LogRecordHead* head) {
  if (record.size() < sizeof(head->sequence) + sizeof(head->count)) {
    return false;
  }
  head->sequence = ReadLittleEndian<uint64_t>(record.data());
  head->count = ReadLittleEndian<uint32_t>(record.data() + sizeof(head->sequence));
  return true;
}

Status ForEachLoggedCell(std::string record, const std::function<Status(const LoggedCell&)>& take) {
  const rocksdb::WriteBatch batch(std::move(record));
  CellReader reader(&take);
  const rocksdb::Status read = batch.Iterate(&reader);
  KLIP_RETURN_IF_ERROR(reader.status());
  if (reader.found_transaction()) {
    return {Code::kCorruption, "the log holds a part of a transaction of RocksDB's, which klip writes none of"};
  }
  return FromRocks(read, "reading a record of the log");
}

}  // namespace klip::engine
