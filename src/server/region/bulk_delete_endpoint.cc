// BulkDeleteService of hbase-examples: deletes what a scan of a region finds: whole rows, families, columns or versions.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/filter.h"
#include "messages/decode.h"
#include "proto/BulkDelete.pb.h"
#include "server/region/endpoints.h"
#include "server/region/row_calls.h"

namespace klip::server {
namespace {

using hbase::pb::BulkDeleteRequest;
using hbase::pb::BulkDeleteResponse;

// TUNING: so many deletes form a commit; more would only take memory.
constexpr uint32_t kMostRowsAtOnce = 1024;

// What to delete of a row that the scan has found. Names each column once, but each of its versions.
Delete DeleteOf(const Result& found, BulkDeleteRequest::DeleteType type, std::optional<int64_t> timestamp_ms) {
  const int64_t at_ms = timestamp_ms.value_or(kLatestTimestamp);
  Delete del = {.row = std::string(found.row()), .timestamp_ms = at_ms};
  std::set<std::pair<std::string_view, std::string_view>> columns;
  for (const Cell& cell : found) {
    const bool one_version = type == BulkDeleteRequest::VERSION;
    const std::string_view qualifier = type == BulkDeleteRequest::FAMILY ? std::string_view() : cell.qualifier;
    const bool first = columns.emplace(cell.family, qualifier).second;
    if (type == BulkDeleteRequest::ROW || (!first && !(one_version && !timestamp_ms.has_value()))) {
      continue;
    }
    if (type == BulkDeleteRequest::FAMILY) {
      del.AddFamily(std::string(cell.family), at_ms);
    } else if (one_version) {
      del.AddColumn(std::string(cell.family), std::string(qualifier), timestamp_ms.value_or(cell.timestamp_ms));
    } else {
      del.AddColumns(std::string(cell.family), std::string(qualifier), at_ms);
    }
  }
  return del;
}

// Deletes them, and counts.
rpc::Error DeleteRows(const RegionRef& region, std::vector<Action>* deletes, BulkDeleteResponse* response) {
  const std::vector<Expected<Result>> outcomes = region.table->Batch(*deletes);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].ok()) {
      return outcomes[i].status();
    }
    response->set_rowsdeleted(response->rowsdeleted() + 1);
    if (response->has_versionsdeleted()) {
      response->set_versionsdeleted(response->versionsdeleted() + std::get<Delete>((*deletes)[i]).markers.size());
    }
  }
  deletes->clear();
  return {};
}

}  // namespace

rpc::Error CallBulkDelete(const EndpointCall& call, EndpointResult* result) {
  if (call.method != "delete") {
    return NoEndpointMethod(call.method, "BulkDeleteService");
  }
  BulkDeleteRequest request;
  if (!request.ParsePartialFromArray(call.request.data(), static_cast<int>(call.request.size())) ||
      !request.IsInitialized()) {
    return Status(Code::kDoNotRetry, "the BulkDeleteRequest is invalid");
  }
  if (request.rowbatchsize() == 0) {
    return Status(Code::kDoNotRetry, "rowBatchSize must be positive");  // HBase's endpoint would loop forever
  }
  KLIP_RPC_RETURN_IF_ERROR(CheckRowToWrite(call.region->region->start_key, *call.region->region));
  Expected<klip::Scan> scan = messages::ToScan(request.scan());
  if (!scan.ok()) {
    return scan.status();
  }
  if (scan->filter == nullptr && request.deletetype() == BulkDeleteRequest::ROW) {
    scan->filter = FirstKeyOnlyFilter();
  }
  Expected<std::unique_ptr<ResultScanner>> rows = ScanRegionOf(call, &*scan);
  if (!rows.ok()) {
    return rows.status();
  }
  std::optional<int64_t> timestamp_ms;
  if (request.has_timestamp()) {
    timestamp_ms = static_cast<int64_t>(request.timestamp());
  }
  BulkDeleteResponse response;
  response.set_rowsdeleted(0);
  if (request.deletetype() == BulkDeleteRequest::VERSION) {
    response.set_versionsdeleted(0);
  }
  std::vector<Action> deletes;
  Result row;
  for (bool more = *rows != nullptr; more;) {
    const Expected<bool> next = (*rows)->Next(&row);
    if (!next.ok()) {
      return next.status();
    }
    KLIP_RPC_RETURN_IF_ERROR(CheckWanted(*call.call));
    more = *next;
    if (more) {
      deletes.emplace_back(DeleteOf(row, request.deletetype(), timestamp_ms));
    }
    if (!more || deletes.size() >= std::min(request.rowbatchsize(), kMostRowsAtOnce)) {
      KLIP_RPC_RETURN_IF_ERROR(DeleteRows(*call.region, &deletes, &response));
    }
  }
  result->java_class = "org.apache.hadoop.hbase.coprocessor.example.generated.BulkDeleteProtos$BulkDeleteResponse";
  result->bytes = response.SerializeAsString();
  return {};
}

}  // namespace klip::server
