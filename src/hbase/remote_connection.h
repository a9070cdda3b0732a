// Connection to an HBase cluster, or to klip serve.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hbase/cluster/cluster.h"
#include "hbase/table/client_indexes.h"
#include "klip/connection.h"

namespace klip::client {

class RemoteConnection final : public Connection {
 public:
  explicit RemoteConnection(std::unique_ptr<Cluster> cluster);
  ~RemoteConnection() override;

  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) override;
  Admin& admin() override { return *admin_; }
  Expected<bool> Apply(const AtomicBatch& batch) override;
  Expected<std::unique_ptr<Transaction>> Begin(const TransactionOptions& options = {}) override;
  Expected<std::unique_ptr<BulkLoader>> NewBulkLoader(std::string_view table) override;

  Cluster& cluster() { return *cluster_; }
  ClientIndexes& indexes() { return indexes_; }

 private:
  std::unique_ptr<Cluster> cluster_;
  ClientIndexes indexes_;
  std::unique_ptr<Admin> admin_;
};

// "hbase+rpc://..." or "hbase+zk://...". Asks the cluster once for its meta region, so that a wrong address is reported
// at once.
Expected<std::unique_ptr<Connection>> OpenCluster(std::string_view uri, const ConnectionOptions& options);

}  // namespace klip::client
