// Cluster: shared by the tables of one connection to HBase, and the only place that retries calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "hbase/cluster/locations.h"
#include "hbase/cluster/registry.h"
#include "hbase/cluster/sample_cache.h"
#include "hbase/net/channel.h"
#include "klip/connection.h"

namespace klip::client {

struct Timeouts {
  std::chrono::milliseconds rpc;        // of one call
  std::chrono::milliseconds operation;  // of all tries together
  // How long a read waits for the primary before it asks the replicas too.
  std::chrono::milliseconds primary_get;
  std::chrono::milliseconds primary_scan;
};

// Thread-safe.
class Cluster {
 public:
  Cluster(const ClusterUri& uri, Security security, Timeouts timeouts, MetaReplicas meta_replicas);
  ~Cluster();

  // Fails waiting calls: kCancelled.
  void Close();

  Locations& locations() { return locations_; }
  ChannelPool& channels() { return channels_; }
  SampleCache& samples() { return samples_; }
  Registry& registry() { return *registry_; }

  // The deadline of an operation that starts now, and of one of its calls.
  Deadline OperationDeadline() const { return Clock::now() + timeouts_.operation; }
  Deadline CallDeadline(Deadline operation) const { return std::min(operation, Clock::now() + timeouts_.rpc); }

  // Retries until an attempt succeeds, a retry cannot help, or the deadline has passed: then it returns the last failure,
  // as kTimedOut.
  using Attempt = std::function<Failure()>;
  Status Retry(Deadline deadline, const Attempt& attempt);

  // False: the deadline would pass, Close was called, or this thread's CancelToken is set.
  bool Sleep(std::chrono::milliseconds pause, Deadline deadline);

  // Sleeps before try number `tries` (1 and up), with the back-off of HBase's clients. False as above.
  bool BackOff(int tries, Deadline deadline);

  // Sends a call to the region that contains the row. `region` is a part of the request, which is filled in.
  struct RowCall {
    const std::string* table;
    std::string_view row;
    std::string_view method;
    const google::protobuf::MessageLite* request;
    hbase::pb::RegionSpecifier* region;
  };
  Failure TryRow(const RowCall& call, Deadline deadline, Reply* reply);
  Status CallRow(const RowCall& call, Reply* reply);
  // The same to this replica or, if it is negative, to the primary and later to all: the first success counts.
  Status CallReplicas(const RowCall& call, int replica, Reply* reply);

  // Sends a call to the active master.
  Status CallMaster(std::string_view method, const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response, Deadline deadline,
                    std::string_view service = "MasterService");

  // Starts a call of the server's AdminService: one try of an operation that must finish by `deadline`.
  CallPtr StartAdmin(const Address& server, std::string_view method, const google::protobuf::MessageLite& request,
                     Deadline deadline);

  // Finds the region, with retries; with `any_replica` as Locations::FindAny. After failures it checks whether the table
  // is enabled.
  Status Locate(const std::string& table, std::string_view row, Where where, Deadline deadline, RegionPtr* region,
                bool any_replica = false);

  // As Locate, for a region that has this replica on a server; -1: any.
  Status LocateReplica(const std::string& table, std::string_view row, Where where, int replica, Deadline deadline,
                       RegionPtr* region);

  // Updates the locations after a failed call on a region. Returns kTableNotEnabled instead if that is the reason.
  Failure Learned(const RegionPtr& region, Failure failure, Deadline deadline, int replica = 0);

  const Timeouts& timeouts() const { return timeouts_; }

  // For increments, appends and procedures: a call that is sent twice is executed once.
  uint64_t nonce_group() const { return nonce_group_; }
  // The first of so many consecutive ones.
  uint64_t NewNonces(uint64_t count);
  uint64_t NewNonce() { return NewNonces(1); }

 private:
  // False also while it is being enabled or disabled, when a region without a server may soon have one, and if nobody
  // knows.
  bool IsDisabled(const std::string& table, Deadline deadline);
  Failure TryReplicas(const RowCall& call, int replica, Deadline deadline, Reply* reply);

  const Timeouts timeouts_;
  ChannelPool channels_;
  std::unique_ptr<Registry> registry_;
  Locations locations_;
  const uint64_t nonce_group_;
  std::atomic<uint64_t> next_nonce_;

  SampleCache samples_;
  std::mutex mutex_;
  bool closed_ = false;
  std::condition_variable closing_;
  Address master_;  // empty host: not known
};

void FillRegion(const Region& region, hbase::pb::RegionSpecifier* specifier, int replica = 0);

}  // namespace klip::client
