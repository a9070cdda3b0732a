// Table::Scan and Table::Explain.
#include <utility>

#include "table/embedded_table.h"
#include "table/scan_request.h"
#include "table/scanners.h"

namespace klip::table {

Expected<std::unique_ptr<ResultScanner>> EmbeddedTable::Scan(const klip::Scan& scan, engine::ScanWatch watch) {
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, slot_->Current());  // Next looks at the CancelToken, not this
  KLIP_RETURN_IF_ERROR(info->CheckEnabled());
  KLIP_ASSIGN_OR_RETURN(ScanRequest request, PrepareScan(&store(), std::move(info), shared_->limits, scan));
  if (request.plan.has_value() && request.plan->explain.kind == PlanKind::kPointGets && CanGetPoints(request)) {
    return OpenPointGets(std::move(request));
  }
  request.watch = std::move(watch);
  // For a scan that is watched others wait, too: threads help it where it has to look at every row, not where it jumps.
  if (request.needs.threads > 1 && (!request.watch || request.needs.rows == nullptr)) {
    if (auto parallel = OpenParallelScan(&request, &shared_->pool); parallel != nullptr) {
      return parallel;
    }
  }
  return OpenRowScan(std::move(request));
}

Expected<klip::Explain> EmbeddedTable::Explain(const klip::Scan& scan) {
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, Readable());
  KLIP_ASSIGN_OR_RETURN(ScanRequest request, PrepareScan(&store(), std::move(info), shared_->limits, scan));
  return request.Plan().explain;
}

}  // namespace klip::table
