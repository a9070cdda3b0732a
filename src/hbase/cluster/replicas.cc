// Reads of a row by any replica of its region: HBase's TIMELINE consistency.
#include <algorithm>
#include <utility>
#include <vector>

#include "hbase/cluster/cluster.h"

namespace klip::client {

Status Cluster::LocateReplica(const std::string& table, std::string_view row, Where where, int replica,
                              Deadline deadline, RegionPtr* region) {
  if (replica < 0) {
    return Locate(table, row, where, deadline, region, /*any_replica=*/true);
  }
  bool looked_again = false;
  return Retry(deadline, [&]() -> Failure {
    while (true) {
      if (Status found = Locate(table, row, where, deadline, region, /*any_replica=*/replica > 0); !found.ok()) {
        return {std::move(found)};
      }
      const bool exists = replica < ReplicasOf(**region);
      if (exists && !ServerOf(**region, replica).host.empty()) {
        return {};
      }
      const std::string text = "replica " + std::to_string(replica) + " of region " + (*region)->name;
      locations_.Forget(*region);
      if (exists) {
        return {Status(Code::kNotServingRegion, text + " is on no server"), Recovery::kRetry, {}};
      }
      if (std::exchange(looked_again, true)) {
        return {Status(Code::kInvalidArgument, "no such replica: " + text)};
      }
    }
  });
}

Failure Cluster::TryReplicas(const RowCall& call, int replica, Deadline deadline, Reply* reply) {
  RegionPtr region;
  if (Status found = LocateReplica(*call.table, call.row, Where::kHolds, replica, deadline, &region); !found.ok()) {
    return {std::move(found)};
  }
  const Deadline call_deadline = CallDeadline(deadline);
  std::vector<CallPtr> calls;  // by replica; null: not sent
  std::vector<Call*> waiting;
  const auto send = [&](int to) {
    calls.resize(std::max(calls.size(), static_cast<size_t>(to) + 1));
    FillRegion(*region, call.region, to);
    calls[static_cast<size_t>(to)] =
        channels_.Get(ServerOf(*region, to), "ClientService")
            ->Start({.method = call.method, .request = call.request, .deadline = call_deadline});
    waiting.push_back(calls[static_cast<size_t>(to)].get());
  };
  // True: *reply is the result, or a failure that a retry cannot help.
  Failure failure;
  const auto take = [&](Call* answered) {
    *reply = answered->Wait();
    std::erase(waiting, answered);
    if (reply->ok()) {
      failure = {};
      return true;
    }
    const auto of = std::ranges::find(calls, answered, &CallPtr::get) - calls.begin();
    failure = Learned(region, std::move(reply->failure), deadline, static_cast<int>(of));
    return failure.recovery == Recovery::kNone;
  };

  const int first = replica < 0 ? FirstServed(*region) : replica;
  send(first);
  bool others = replica < 0;
  while (!waiting.empty()) {
    Call* answered = WaitForAny(waiting, others ? Clock::now() + timeouts_.primary_get : call_deadline);
    if (answered == nullptr && !others) {
      answered = waiting.front();  // returns the timeout
    }
    if (answered != nullptr && take(answered)) {
      return failure;
    }
    if (std::exchange(others, false)) {
      for (int other = first + 1; other < ReplicasOf(*region); ++other) {
        if (!ServerOf(*region, other).host.empty()) {
          send(other);
        }
      }
    }
  }
  return failure;
}

Status Cluster::CallReplicas(const RowCall& call, int replica, Reply* reply) {
  const Deadline deadline = OperationDeadline();
  return Retry(deadline, [&] { return TryReplicas(call, replica, deadline, reply); });
}

}  // namespace klip::client
