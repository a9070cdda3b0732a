// Table::ScanBatches, for tables that know no better way than a scan.
#include <memory>
#include <utility>

#include "klip/table.h"
#include "rowkey/column_filter.h"

namespace klip {
namespace {

class BatchesOfRows final : public BatchScanner {
 public:
  BatchesOfRows(std::unique_ptr<ResultScanner> scanner, const std::vector<ColumnName>& columns)
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

Expected<std::unique_ptr<BatchScanner>> Table::ScanBatches(const klip::Scan& scan,
                                                           const std::vector<ColumnName>& columns) {
  if (scan.raw) {
    return Status(Code::kInvalidArgument, "a scan in batches sees values, not the cells of a raw scan");
  }
  klip::Scan asked = scan;
  if (columns.empty()) {
    rowkey::AskForKeysOnly(&asked);
  }
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, Scan(asked));
  return std::unique_ptr<BatchScanner>(std::make_unique<BatchesOfRows>(std::move(scanner), columns));
}

}  // namespace klip
