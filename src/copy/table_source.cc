#include "copy/table_source.h"

#include <utility>

namespace klip::copy {
namespace {

constexpr int64_t kPieceBytes = 1 << 20;  // of a larger row, so that it is never completely in memory

class ScanReader final : public CellReader {
 public:
  explicit ScanReader(std::unique_ptr<ResultScanner> scanner) : scanner_(std::move(scanner)) {}
  Expected<bool> Next(Result* cells) override { return scanner_->Next(cells); }

 private:
  std::unique_ptr<ResultScanner> scanner_;
};

}  // namespace

Scan ScanOf(const CopyOptions& options, const KeyRange& range) {
  Scan scan = {.start_row = range.start, .stop_row = range.stop};
  scan.time_range = options.time_range;
  scan.max_versions = kAllVersions;
  scan.cache_blocks = false;
  for (const std::string& family : options.families) {
    scan.columns.push_back({.family = family});
  }
  return scan;
}

std::vector<KeyRange> TableSource::Ranges() {
  std::vector<std::string> borders;
  for (const RegionInfo& region : regions_) {
    borders.push_back(region.start_key);
  }
  return CutAt({options_.start_row, options_.stop_row}, std::move(borders));
}

Expected<std::unique_ptr<CellReader>> TableSource::Open(const KeyRange& range) {
  Scan scan = ScanOf(options_, range);
  scan.raw = true;
  if (!families_.empty()) {
    return OpenInWriteOrder(table_, std::move(scan), families_);
  }
  scan.allow_partial_results = true;
  scan.max_result_bytes = kPieceBytes;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, table_->Scan(scan));
  return std::unique_ptr<CellReader>(std::make_unique<ScanReader>(std::move(scanner)));
}

std::optional<std::string> TableSource::LastRow(const KeyRange& range) {
  Scan scan = ScanOf(options_, {range.stop, range.start});
  scan.reversed = true;
  scan.include_start = false;
  scan.include_stop = true;
  return RowOf(std::move(scan));
}

std::optional<std::string> TableSource::FirstRow(const KeyRange& range) { return RowOf(ScanOf(options_, range)); }

std::optional<std::string> TableSource::RowOf(Scan scan) {
  scan.limit_rows = 1;
  scan.max_versions = 1;
  Expected<std::unique_ptr<ResultScanner>> scanner = table_->Scan(scan);
  Result row;
  if (!scanner.ok() || !(*scanner)->Next(&row).ok() || row.empty()) {
    return std::nullopt;
  }
  return std::string(row.row());
}

}  // namespace klip::copy
