// The location of hbase:meta, and reads of it, which any of its replicas may answer.
#include <algorithm>
#include <random>
#include <utility>

#include "hbase/cluster/locations.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

constexpr uint32_t kMetaPriority = 200;               // HConstants.HIGH_QOS
constexpr std::chrono::seconds kPrimaryScan{1};       // hbase.client.meta.replica.scan.timeout
constexpr std::chrono::milliseconds kDistrust{3000};  // CatalogReplicaLoadBalanceSimpleSelector's, for a wrong location
constexpr size_t kMaxDistrusted = 1000;               // tables; beyond that, all are forgotten

}  // namespace

Failure Locations::MetaServers(Deadline deadline, std::vector<Address>* servers) {
  {
    const std::lock_guard lock(mutex_);
    *servers = meta_;
  }
  if (!servers->empty()) {
    return {};
  }
  Expected<std::vector<Address>> found = registry_->MetaServers(meta_replicas_ != MetaReplicas::kNone, deadline);
  if (!found.ok()) {
    return {found.status(), found.status().code() == Code::kCancelled ? Recovery::kNone : Recovery::kRetry, {}};
  }
  *servers = *std::move(found);
  const std::lock_guard lock(mutex_);
  meta_ = *servers;
  return {};
}

Failure Locations::CallMeta(const MetaCall& call, int first, Deadline deadline, Reply* reply) {
  std::vector<Address> servers;
  if (Failure failure = MetaServers(deadline, &servers); !failure.ok()) {
    return failure;
  }
  std::vector<CallPtr> calls;
  std::vector<Call*> waiting;
  const auto send = [&](size_t replica) {
    if (replica >= servers.size() || servers[replica].host.empty()) {
      return;
    }
    call.region->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    call.region->set_value(std::string(rpc::kMetaRegion) + rpc::ReplicaSuffix(static_cast<int32_t>(replica)));
    calls.push_back(
        channels_->Get(servers[replica], "ClientService")
            ->Start({.method = call.method, .request = call.request, .deadline = deadline, .priority = kMetaPriority}));
    waiting.push_back(calls.back().get());
  };
  const size_t begin = static_cast<size_t>(std::max(first, 0));
  bool others = first != kPrimaryOnly && servers.size() > 1;
  Failure failure = {Status(Code::kIoError, "hbase:meta is on no server"), Recovery::kRetry, {}};
  send(begin);
  while (!waiting.empty() || others) {
    Call* answered = waiting.empty()
                         ? nullptr
                         : WaitForAny(waiting, others ? std::min(deadline, Clock::now() + kPrimaryScan) : deadline);
    if (answered == nullptr && !others) {
      answered = waiting.front();  // returns the timeout
    }
    if (answered != nullptr) {
      *reply = answered->Wait();
      std::erase(waiting, answered);
      if (reply->ok()) {
        return {};
      }
      failure = reply->failure;
      if (failure.recovery == Recovery::kNone) {
        return failure;
      }
      const std::lock_guard lock(mutex_);
      meta_.clear();                        // the registry is asked again
      failure.recovery = Recovery::kRetry;  // the wanted region is not the cause
    }
    if (std::exchange(others, false)) {
      for (size_t replica = 0; replica < servers.size(); ++replica) {
        if (replica != begin) {
          send(replica);
        }
      }
    }
  }
  if (calls.empty()) {
    const std::lock_guard lock(mutex_);
    meta_.clear();
  }
  return failure;
}

int Locations::FirstMetaReplica(const std::string& table) {
  if (meta_replicas_ != MetaReplicas::kLoadBalance) {
    return meta_replicas_ == MetaReplicas::kNone ? kPrimaryOnly : 0;
  }
  const std::lock_guard lock(mutex_);
  if (const auto found = distrusted_.find(table); found != distrusted_.end()) {
    if (Clock::now() < found->second) {
      return 0;
    }
    distrusted_.erase(found);
  }
  thread_local std::minstd_rand random(std::random_device{}());
  return meta_.empty() ? 0 : static_cast<int>(random() % meta_.size());
}

void Locations::DistrustMetaReplicas(const std::string& table) {
  if (meta_replicas_ != MetaReplicas::kLoadBalance) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (distrusted_.size() >= kMaxDistrusted) {
    distrusted_.clear();
  }
  distrusted_[table] = Clock::now() + kDistrust;
}

Failure Locations::FindMeta(Deadline deadline, RegionPtr* region) {
  std::vector<Address> servers;
  Failure failure = MetaServers(deadline, &servers);
  auto meta = std::make_shared<Region>();
  meta->table = rpc::kMetaTable;
  meta->name = rpc::kMetaRegion;
  meta->region_id = 1;
  if (failure.ok()) {
    meta->server = std::move(servers.front());
    meta->replicas.assign(std::make_move_iterator(servers.begin() + 1), std::make_move_iterator(servers.end()));
  }
  *region = std::move(meta);
  return failure;
}

}  // namespace klip::client
