#include "hbase/cluster/cluster.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "rpc/names.h"

namespace klip::client {
namespace {

constexpr std::chrono::milliseconds kPause{100};  // hbase.client.pause
// HConstants.RETRY_BACKOFF, up to ten seconds.
constexpr std::array kBackOff = {1, 2, 3, 5, 10, 20, 40, 100};

uint64_t Random() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

std::unique_ptr<Registry> MakeRegistry(const ClusterUri& uri, ChannelPool* channels) {
  return uri.zookeeper ? MakeZooKeeperRegistry(uri.servers, uri.znode) : MakeRpcRegistry(uri.servers, channels);
}

}  // namespace

void FillRegion(const Region& region, hbase::pb::RegionSpecifier* specifier, int replica) {
  specifier->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  if (replica == 0 || region.table == rpc::kMetaTable) {
    specifier->set_value(region.name + rpc::ReplicaSuffix(replica));  // the name of hbase:meta contains no encoded name
  } else {
    specifier->set_value(rpc::RegionName(region.table, region.start_key, region.region_id, replica));
  }
}

Cluster::Cluster(const ClusterUri& uri, Security security, Timeouts timeouts, MetaReplicas meta_replicas)
    : timeouts_(timeouts),
      channels_(std::move(security)),
      registry_(MakeRegistry(uri, &channels_)),
      locations_(registry_.get(), &channels_, meta_replicas),
      nonce_group_(Random()),
      next_nonce_(Random()) {}

Cluster::~Cluster() { Close(); }

void Cluster::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  closing_.notify_all();
  channels_.Close();
}

uint64_t Cluster::NewNonces(uint64_t count) {
  const uint64_t first = next_nonce_.fetch_add(count, std::memory_order_relaxed);
  return first != 0 && first + count > first ? first : NewNonces(count);  // 0 means none
}

bool Cluster::Sleep(std::chrono::milliseconds pause, Deadline deadline) {
  const auto until = Clock::now() + pause;
  if (until >= deadline) {
    return false;
  }
  const CancelToken token = CancelToken::Current();
  std::unique_lock lock(mutex_);
  while (!closed_ && !token.cancelled()) {
    const Clock::time_point now = Clock::now();
    if (now >= until) {
      return true;
    }
    closing_.wait_until(lock, token.armed() ? std::min(until, now + kCancelTurn) : until);
  }
  return false;
}

bool Cluster::BackOff(int tries, Deadline deadline) {
  const auto step = static_cast<size_t>(std::max(tries, 1) - 1);
  const auto pause = kPause * kBackOff[std::min(step, kBackOff.size() - 1)];
  thread_local std::minstd_rand jitter(static_cast<uint32_t>(Random()));
  return Sleep(pause + pause * (jitter() % 100) / 1000, deadline);  // jitter, so that clients do not retry all at once
}

Status Cluster::Retry(Deadline deadline, const Attempt& attempt) {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  for (int tries = 1;; ++tries) {
    Failure failure = attempt();
    if (failure.ok() || failure.recovery == Recovery::kNone) {
      return failure.status;
    }
    if (!BackOff(tries, deadline)) {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      const Code code = failure.status.code() == Code::kNotServingRegion ? Code::kNotServingRegion : Code::kTimedOut;
      return {code, "given up after " + std::to_string(tries) + " tries: " + failure.status.ToString()};
    }
  }
}

bool Cluster::IsDisabled(const std::string& table, Deadline deadline) {
  auto state = hbase::pb::TableState::ENABLED;
  return locations_.State(table, CallDeadline(deadline), &state).ok() && state == hbase::pb::TableState::DISABLED;
}

Failure Cluster::Learned(const RegionPtr& region, Failure failure, Deadline deadline, int replica) {
  locations_.Learn(region, failure, replica);
  if (failure.status.code() == Code::kNotServingRegion && !failure.moved_to.has_value() &&
      IsDisabled(region->table, deadline)) {
    return {Status(Code::kTableNotEnabled, region->table)};
  }
  return failure;
}

Status Cluster::Locate(const std::string& table, std::string_view row, Where where, Deadline deadline,
                       RegionPtr* region, bool any_replica) {
  return Retry(deadline, [&] {
    const Deadline until = CallDeadline(deadline);
    Failure failure = any_replica ? locations_.FindAny(table, row, where, until, region)
                                  : locations_.Find(table, row, where, until, region);
    if (failure.status.code() == Code::kNotServingRegion && IsDisabled(table, deadline)) {
      return Failure{Status(Code::kTableNotEnabled, table)};
    }
    return failure;
  });
}

Failure Cluster::TryRow(const RowCall& call, Deadline deadline, Reply* reply) {
  RegionPtr region;
  if (const Status found = Locate(*call.table, call.row, Where::kHolds, deadline, &region); !found.ok()) {
    return {found};
  }
  FillRegion(*region, call.region);
  const CallPtr sent =
      channels_.Get(region->server, "ClientService")
          ->Start({.method = call.method, .request = call.request, .deadline = CallDeadline(deadline)});
  *reply = sent->Wait();
  return reply->ok() ? Failure() : Learned(region, std::move(reply->failure), deadline);
}

Status Cluster::CallRow(const RowCall& call, Reply* reply) {
  const Deadline deadline = OperationDeadline();
  return Retry(deadline, [&] { return TryRow(call, deadline, reply); });
}

Status Cluster::CallMaster(std::string_view method, const google::protobuf::MessageLite& request,
                           google::protobuf::MessageLite* response, Deadline deadline, std::string_view service) {
  return Retry(deadline, [&]() -> Failure {
    Address master;
    {
      const std::lock_guard lock(mutex_);
      master = master_;
    }
    if (master.host.empty()) {
      Expected<Address> found = registry_->ActiveMaster(CallDeadline(deadline));
      if (!found.ok()) {
        return {found.status(), Recovery::kRetry, {}};
      }
      master = *std::move(found);
      const std::lock_guard lock(mutex_);
      master_ = master;
    }
    const CallPtr call = channels_.Get(master, service)
                             ->Start({.method = method, .request = &request, .deadline = CallDeadline(deadline)});
    Reply reply = call->Wait();
    if (!reply.ok()) {
      if (reply.failure.recovery == Recovery::kLeaveServer) {
        const std::lock_guard lock(mutex_);
        master_ = Address();
      }
      return std::move(reply.failure);
    }
    return {reply.Parse(response)};
  });
}

CallPtr Cluster::StartAdmin(const Address& server, std::string_view method,
                            const google::protobuf::MessageLite& request, Deadline deadline) {
  return channels_.Get(server, "AdminService")
      ->Start({.method = method, .request = &request, .deadline = CallDeadline(deadline)});
}

}  // namespace klip::client
