// A table as the source of a copy: raw scans, which include every version and delete marker.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "copy/copier.h"
#include "copy/write_order.h"
#include "klip/admin.h"
#include "klip/table.h"

namespace klip::copy {

// The scan of a copy's rows, families and times.
Scan ScanOf(const CopyOptions& options, const KeyRange& range);

class TableSource final : public CopySource {
 public:
  // If there are `families`, cells of a row come in the order in which they must be written so that readers see the same
  // (write_order.h).
  TableSource(Table* table, const CopyOptions& options, const std::vector<RegionInfo>& regions,
              NewVersionFamilies families)
      : table_(table), options_(options), regions_(regions), families_(std::move(families)) {}

  std::vector<KeyRange> Ranges() override;
  Expected<std::unique_ptr<CellReader>> Open(const KeyRange& range) override;
  std::optional<std::string> LastRow(const KeyRange& range) override;
  std::optional<std::string> FirstRow(const KeyRange& range);

 private:
  // The row of a scan of one row.
  std::optional<std::string> RowOf(Scan scan);

  Table* const table_;
  const CopyOptions& options_;
  const std::vector<RegionInfo>& regions_;
  const NewVersionFamilies families_;
};

}  // namespace klip::copy
