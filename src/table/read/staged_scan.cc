#include "table/read/staged_scan.h"

#include <cstdint>
#include <utility>

#include "klip/cancel.h"

namespace klip::table {
namespace {

class StagedScan final : public ResultScanner {
 public:
  StagedScan(std::unique_ptr<ResultScanner> first, const Scan& scan, std::string last_row, OpenRest open_rest)
      : rows_(std::move(first)), rest_(scan), open_rest_(std::move(open_rest)) {
    rest_.start_row = std::move(last_row);
    rest_.include_start = false;
  }

  Expected<bool> Next(Result* result) override {
    KLIP_ASSIGN_OR_RETURN(bool more, rows_->Next(result));
    if (!more && rest_.limit_rows > 0 && open_rest_ != nullptr) {
      const CancelScope scope(cancel_);
      before_ += rows_->statistics();
      KLIP_ASSIGN_OR_RETURN(rows_, open_rest_(rest_));
      open_rest_ = nullptr;
      KLIP_ASSIGN_OR_RETURN(more, rows_->Next(result));
    }
    if (more && !result->empty() && !result->has_more_cells_in_row()) {
      --rest_.limit_rows;
    }
    return more;
  }

  ScanStatistics statistics() const override {
    ScanStatistics all = before_;
    all += rows_->statistics();
    return all;
  }

  klip::Explain explain() const override {
    klip::Explain out = rows_->explain();
    out.actual = statistics();
    return out;
  }

 private:
  std::unique_ptr<ResultScanner> rows_;
  Scan rest_;                                          // with the rest of the limit
  OpenRest open_rest_;                                 // null: the rest is open
  const CancelToken cancel_ = CancelToken::Current();  // of the call that opened the scan
  ScanStatistics before_;
};

}  // namespace

std::unique_ptr<ResultScanner> OpenStagedScan(std::unique_ptr<ResultScanner> first, const Scan& scan,
                                              std::string last_row, OpenRest open_rest) {
  return std::make_unique<StagedScan>(std::move(first), scan, std::move(last_row), std::move(open_rest));
}

}  // namespace klip::table
