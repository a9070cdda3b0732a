#include "server/rpc/slow_call.h"

#include <string_view>
#include <utility>

#include "klip/bytes.h"
#include "proto/Client.pb.h"
#include "rpc/cluster_messages.h"

namespace klip::server {
namespace {

using hbase::pb::SlowLogPayload;
using hbase::pb::SlowLogResponseRequest;

constexpr size_t kMostTextBytes = 1000;  // of a client's names, which are kept

struct Described {
  std::string region;
  // HBase's ProtobufUtil.getSlowLogParams; its dump of a Scan becomes its scanner and rows here
  std::string parameters;
  int gets = 0;
  int mutations = 0;
  int service_calls = 0;
};

std::string TextOf(std::string_view bytes) { return ToStringBinary(bytes.substr(0, kMostTextBytes)); }

template <typename Request>
bool Parse(std::string_view param, Request* request) {
  return request->ParsePartialFromArray(param.data(), static_cast<int>(param.size()));
}

Described DescribeScan(const Call& call) {
  Described described;
  if (hbase::pb::ScanRequest scan; Parse(call.param, &scan)) {
    described.region = TextOf(scan.region().value());
    described.parameters = "scanner_id: " + std::to_string(scan.scanner_id()) +
                           " number_of_rows: " + std::to_string(scan.number_of_rows()) +
                           (scan.close_scanner() ? " close_scanner: true" : "");
  }
  return described;
}

Described DescribeMulti(const Call& call) {
  Described described;
  hbase::pb::MultiRequest multi;
  if (!Parse(call.param, &multi) || multi.regionaction().empty()) {
    return described;
  }
  for (const hbase::pb::RegionAction& region : multi.regionaction()) {
    for (const hbase::pb::Action& action : region.action()) {
      described.gets += action.has_get() ? 1 : 0;
      described.mutations += action.has_mutation() ? 1 : 0;
      described.service_calls += action.has_service_call() ? 1 : 0;
    }
  }
  described.region = TextOf(multi.regionaction(0).region().value());  // the first of several
  described.parameters =
      "region= " + described.region + ", for " + std::to_string(multi.regionaction(0).action_size()) + " action(s)";
  return described;
}

Described Describe(const Call& call) {
  const std::string& method = call.header->method_name();
  Described described;
  const auto of_row = [&](const auto& request, const std::string& row) {
    described.region = TextOf(request.region().value());
    described.parameters = "region= " + described.region + ", row= " + TextOf(row);
  };
  if (hbase::pb::GetRequest get; method == "Get" && Parse(call.param, &get)) {
    of_row(get, get.get().row());
  } else if (hbase::pb::MutateRequest mutate; method == "Mutate" && Parse(call.param, &mutate)) {
    of_row(mutate, mutate.mutation().row());
  } else if (method == "Scan") {
    described = DescribeScan(call);
  } else if (method == "Multi") {
    described = DescribeMulti(call);
  } else if (hbase::pb::CoprocessorServiceRequest exec; method == "ExecService" && Parse(call.param, &exec)) {
    described.region = TextOf(exec.region().value());
    described.parameters =
        "coprocessorService= " + TextOf(exec.call().service_name()) + ":" + TextOf(exec.call().method_name());
  }
  if (!call.region.empty()) {
    described.region = TextOf(call.region);
  }
  return described;
}

bool IsOf(const SlowLogPayload& call, bool large) {
  return call.type() == SlowLogPayload::ALL ||
         call.type() == (large ? SlowLogPayload::LARGE_LOG : SlowLogPayload::SLOW_LOG);
}

// HBase's LogHandlerUtils: a table matches every region whose name begins with it.
bool Fits(const SlowLogPayload& call, const SlowLogResponseRequest& request) {
  int asked = 0;
  int fitting = 0;
  const auto ask = [&](const std::string& wanted, bool fits) {
    asked += wanted.empty() ? 0 : 1;
    fitting += !wanted.empty() && fits ? 1 : 0;
  };
  ask(request.region_name(), call.region_name() == request.region_name());
  ask(request.table_name(), call.region_name().starts_with(request.table_name()));
  ask(request.client_address(), call.client_address() == request.client_address());
  ask(request.user_name(), call.user_name() == request.user_name());
  return asked == 0 || (request.filter_by_operator() == SlowLogResponseRequest::AND ? fitting == asked : fitting > 0);
}

}  // namespace

void SlowCalls::Add(SlowLogPayload call) {
  call.set_start_time(now_ms_() - call.processing_time());
  const std::lock_guard lock(mutex_);
  if (calls_.size() == kMost) {
    calls_.pop_front();
  }
  calls_.push_back(std::move(call));
}

void SlowCalls::Select(const SlowLogResponseRequest& request, hbase::pb::SlowLogResponses* response) const {
  const bool large = request.log_type() == SlowLogResponseRequest::LARGE_LOG;
  const std::lock_guard lock(mutex_);
  for (auto call = calls_.rbegin();
       call != calls_.rend() && static_cast<uint32_t>(response->slow_log_payloads_size()) < request.limit(); ++call) {
    if (IsOf(*call, large) && Fits(*call, request)) {
      *response->add_slow_log_payloads() = *call;
    }
  }
}

std::vector<SlowCall> SlowCalls::Select(const SlowCallQuery& query) const {
  hbase::pb::SlowLogResponses response;
  Select(rpc::ToSlowLogRequest(query), &response);
  std::vector<SlowCall> calls;
  for (const SlowLogPayload& one : response.slow_log_payloads()) {
    calls.push_back(rpc::ToSlowCall(one));
  }
  return calls;
}

void SlowCalls::Clear() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

void NoteSlowCall(const Call& call, const Method& method, SlowLogPayload::Type type, const std::string& peer,
                  const CallCost& cost, const Log& log, SlowCalls* kept) {
  Described described = Describe(call);
  const std::string& name = call.header->method_name();
  log.Write(type == SlowLogPayload::LARGE_LOG ? "large_call" : "slow_call",
            {{"method", name},
             {"table", described.region.substr(0, described.region.find(','))},
             {"region", described.region},
             {"user", call.client->user},
             {"client", peer},
             {"ms", cost.us / 1000},
             {"rows", call.rows},
             {"request_bytes", static_cast<int64_t>(cost.request_bytes)},
             {"response_bytes", static_cast<int64_t>(cost.response_bytes)}});
  const std::string& service = call.client->service;
  if (service != "ClientService" && service != "AdminService") {
    return;  // a master keeps none
  }
  SlowLogPayload payload;
  payload.set_processing_time(static_cast<int32_t>((cost.us - cost.queue_us) / 1000));
  payload.set_queue_time(static_cast<int32_t>(cost.queue_us / 1000));
  payload.set_response_size(static_cast<int64_t>(cost.response_bytes));
  payload.set_client_address(peer);
  payload.set_server_class("HRegionServer");
  payload.set_method_name(name);
  payload.set_call_details(name + "(org.apache.hadoop.hbase.shaded.protobuf.generated." +
                           service.substr(0, service.find("Service")) + "Protos$" + method.request + ")");
  payload.set_param(std::move(described.parameters));
  payload.set_user_name(call.client->user);
  payload.set_region_name(std::move(described.region));
  payload.set_multi_gets(described.gets);
  payload.set_multi_mutations(described.mutations);
  payload.set_multi_service_calls(described.service_calls);
  payload.set_type(type);
  kept->Add(std::move(payload));
}

}  // namespace klip::server
