// The default Table::ScanBatches: converts the Results of a scan.
#include "rowkey/scan_batches.h"

#include <utility>

#include "rowkey/column_filter.h"

namespace klip {
namespace rowkey {
namespace {

class BatchesOfRows final : public BatchScanner {
 public:
  BatchesOfRows(std::unique_ptr<ResultScanner> scanner, const std::vector<klip::ColumnName>& columns)
      : scanner_(std::move(scanner)), batch_(columns) {}

  Expected<const RowBatch*> Next() override {
    batch_.Clear();
    while (!batch_.full()) {
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(&result_));
      if (!more) {
        break;
      }
      batch_.Add(result_);
    }
    return batch_.rows() > 0 ? &batch_ : nullptr;
  }

 private:
  const std::unique_ptr<ResultScanner> scanner_;
  RowBatch batch_;
  Result result_;
};

}  // namespace

std::unique_ptr<BatchScanner> BatchesOf(std::unique_ptr<ResultScanner> scanner,
                                        const std::vector<klip::ColumnName>& columns) {
  return std::make_unique<BatchesOfRows>(std::move(scanner), columns);
}

}  // namespace rowkey

Expected<std::unique_ptr<BatchScanner>> Table::ScanBatches(const klip::Scan& scan,
                                                           const std::vector<ColumnName>& columns) {
  if (scan.raw) {
    return Status(Code::kInvalidArgument, "ScanBatches returns values, so it does not support raw scans");
  }
  klip::Scan asked = scan;
  if (columns.empty()) {
    rowkey::AskForKeysOnly(&asked);
  }
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, Scan(asked));
  return rowkey::BatchesOf(std::move(scanner), columns);
}

}  // namespace klip
