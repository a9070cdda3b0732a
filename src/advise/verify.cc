#include "advise/verify.h"

#include <memory>
#include <string>

#include "advise/trial_store.h"

namespace klip::advise {
namespace {

constexpr size_t kRowsToPut = 5000;

Expected<ScanStatistics> Measure(const LabQuery& query, Table* table) {
  klip::Scan scan;
  scan.where = query.where;
  scan.limit_rows = query.limit_rows;
  return TimeScan(scan, table);
}

}  // namespace

Status Verify(const LabInput& input, std::vector<KeyDesign>* designs) {
  TrialStore store;
  KLIP_RETURN_IF_ERROR(store.Open());
  for (size_t i = 0; i < designs->size(); ++i) {
    KeyDesign& design = (*designs)[i];
    if (!design.pareto && !design.present) {
      continue;
    }
    const std::string name = "design" + std::to_string(i);
    {
      KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, store.Load(input, design, name));
      for (size_t query = 0; query < input.queries.queries.size(); ++query) {
        KLIP_ASSIGN_OR_RETURN(design.queries[query].measured, Measure(input.queries.queries[query], table.get()));
      }
    }
    KLIP_ASSIGN_OR_RETURN(design.measured_write_us, store.TimePuts(input, design, "puts" + name, kRowsToPut));
  }
  return Status::Ok();
}

}  // namespace klip::advise
