#include "hbase/remote_connection.h"

#include <algorithm>
#include <utility>

#include "hbase/admin/remote_admin.h"
#include "hbase/table/remote_table.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

// The only option that does not concern security.
Expected<MetaReplicas> TakeMetaReplicas(UriOptions* options) {
  const auto found = options->find("meta-replicas");
  if (found == options->end()) {
    return MetaReplicas::kNone;
  }
  const std::string mode = std::move(found->second);
  options->erase(found);
  if (mode == "none") {
    return MetaReplicas::kNone;
  }
  if (mode == "hedged-read") {
    return MetaReplicas::kHedgedRead;
  }
  if (mode == "load-balance") {
    return MetaReplicas::kLoadBalance;
  }
  return Status(Code::kInvalidArgument, "meta-replicas must be none, hedged-read or load-balance, not '" + mode + "'");
}

}  // namespace

RemoteConnection::RemoteConnection(std::unique_ptr<Cluster> cluster)
    : cluster_(std::move(cluster)),
      indexes_(cluster_.get()),
      admin_(std::make_unique<RemoteAdmin>(cluster_.get(), &indexes_)) {}

RemoteConnection::~RemoteConnection() = default;

Expected<std::unique_ptr<Table>> RemoteConnection::GetTable(std::string_view name) {
  const std::string table(name.starts_with("default:") ? name.substr(sizeof("default:") - 1) : name);
  const Deadline deadline = cluster_->OperationDeadline();
  const bool meta = table == rpc::kMetaTable;  // which has no state
  KLIP_RETURN_IF_ERROR(meta ? Status() : cluster_->Retry(deadline, [&] {
    return cluster_->locations().Exists(table, cluster_->CallDeadline(deadline));
  }));
  return std::unique_ptr<Table>(std::make_unique<RemoteTable>(cluster_.get(), &indexes_, table));
}

Expected<bool> RemoteConnection::Apply(const AtomicBatch&) {
  return Status(
      Code::kUnsupported,
      "HBase has no atomic change of several tables and rows; use Table::Mutate or CheckAndMutate on one row");
}

Expected<std::unique_ptr<Transaction>> RemoteConnection::Begin(const TransactionOptions&) {
  return Status(
      Code::kUnsupported,
      "transactions need an embedded store: a cluster commits rows one by one, and its other clients would see a "
      "transaction in parts");
}

Expected<std::unique_ptr<BulkLoader>> RemoteConnection::NewBulkLoader(std::string_view) {
  return Status(Code::kUnsupported, "a bulk load writes files of a store; on a cluster use Table::Put with many puts");
}

Expected<std::unique_ptr<Connection>> OpenCluster(std::string_view uri, const ConnectionOptions& options) {
  KLIP_ASSIGN_OR_RETURN(ClusterUri parsed, ParseClusterUri(uri));
  const Timeouts timeouts = {.rpc = std::chrono::milliseconds(options.rpc_timeout_ms),
                             .operation = std::chrono::milliseconds(options.operation_timeout_ms),
                             .primary_get = std::chrono::milliseconds(options.primary_get_timeout_ms),
                             .primary_scan = std::chrono::milliseconds(options.primary_scan_timeout_ms)};
  KLIP_ASSIGN_OR_RETURN(const MetaReplicas meta_replicas, TakeMetaReplicas(&parsed.options));
  KLIP_ASSIGN_OR_RETURN(Security security, MakeSecurity(parsed.options));
  auto cluster = std::make_unique<Cluster>(parsed, std::move(security), timeouts, meta_replicas);
  constexpr std::chrono::seconds kFirstAnswer{10};
  std::vector<Address> meta;
  KLIP_RETURN_IF_ERROR(cluster->locations()
                           .MetaServers(std::min(cluster->OperationDeadline(), Clock::now() + kFirstAnswer), &meta)
                           .status);
  return std::unique_ptr<Connection>(std::make_unique<RemoteConnection>(std::move(cluster)));
}

}  // namespace klip::client
