// RowCountService of hbase-examples: counts the rows or cells of a region.
#include <string>

#include "klip/filter.h"
#include "proto/RowCount.pb.h"
#include "server/region/endpoints.h"

namespace klip::server {

rpc::Error CallRowCount(const EndpointCall& call, EndpointResult* result) {
  const bool rows = call.method == "getRowCount";
  if (!rows && call.method != "getKeyValueCount") {
    return NoEndpointMethod(call.method, "RowCountService");
  }
  klip::Scan scan = {.filter = rows ? FirstKeyOnlyFilter() : nullptr};
  Expected<std::unique_ptr<ResultScanner>> scanner = ScanRegionOf(call, &scan);
  if (!scanner.ok()) {
    return scanner.status();
  }
  int64_t count = 0;
  Result row;
  while (*scanner != nullptr) {
    const Expected<bool> more = (*scanner)->Next(&row);
    if (!more.ok()) {
      return more.status();
    }
    if (!*more) {
      break;
    }
    KLIP_RPC_RETURN_IF_ERROR(CheckWanted(*call.call));
    count += rows ? 1 : static_cast<int64_t>(row.size());
  }
  hbase::pb::CountResponse response;
  response.set_count(count);
  result->java_class = "org.apache.hadoop.hbase.coprocessor.example.generated.ExampleProtos$CountResponse";
  result->bytes = response.SerializeAsString();
  return {};
}

}  // namespace klip::server
