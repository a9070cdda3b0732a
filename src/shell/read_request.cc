#include "shell/read_request.h"

#include "shell/operation_attributes.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

// Shared by Get and Scan.
template <typename Request>
void ReadCommon(HashReader* reader, Request* request) {
  reader->Read("columns", &request->columns);
  reader->Read("time_range", &request->time_range);
  reader->Read("max_versions", &request->max_versions);
  reader->Read("max_results_per_family", &request->max_results_per_family);
  reader->Read("row_offset_per_family", &request->row_offset_per_family);
  reader->Read("cache_blocks", &request->cache_blocks);
  bool timeline = false;
  reader->Read("timeline", &timeline);
  request->consistency = timeline ? Consistency::kTimeline : Consistency::kStrong;
  reader->Read("replica_id", &request->replica_id);
  ReadOperationAttributes(reader, &request->attributes);
  std::string filter;
  reader->Read("filter", &filter);
  if (!filter.empty()) {
    Expected<FilterPtr> parsed = ParseFilter(filter, FilterNames::kAll);
    parsed.ok() ? void(request->filter = *std::move(parsed)) : reader->Fail(parsed.status());
  }
}

}  // namespace

Expected<Get> ToGet(VALUE hash) {
  Get get;
  HashReader reader(hash, "get");
  reader.Read("row", &get.row);
  ReadCommon(&reader, &get);
  KLIP_RETURN_IF_ERROR(reader.status());
  return get;
}

Expected<Scan> ToScan(VALUE hash, const Table& table) {
  Scan scan;
  HashReader reader(hash, "scan");
  reader.Read("start_row", &scan.start_row);
  reader.Read("stop_row", &scan.stop_row);
  reader.Read("include_stop", &scan.include_stop);
  reader.Read("reversed", &scan.reversed);
  reader.Read("limit_rows", &scan.limit_rows);
  reader.Read("batch", &scan.batch);
  reader.Read("max_result_bytes", &scan.max_result_bytes);
  reader.Read("allow_partial_results", &scan.allow_partial_results);
  reader.Read("raw", &scan.raw);
  reader.Read("threads", &scan.threads);
  ReadCommon(&reader, &scan);
  std::string where;
  reader.Read("where", &where);
  KLIP_RETURN_IF_ERROR(reader.status());
  if (!where.empty()) {
    KLIP_ASSIGN_OR_RETURN(scan.where, table.ParseQuery(where));
  }
  return scan;
}

}  // namespace klip::shell
