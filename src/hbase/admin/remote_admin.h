// Admin on a cluster: calls its master, and waits for the procedures that it starts. remote_admin.cc has namespaces and
// tables, remote_regions.cc regions, remote_storage.cc flushes, compactions and snapshots. The other parts are in
// remote_parts.h.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/admin/master_calls.h"
#include "hbase/admin/remote_indexes.h"
#include "hbase/admin/remote_parts.h"
#include "hbase/cluster/cluster.h"
#include "klip/admin.h"

namespace klip::client {

class RemoteAdmin final : public Admin, private MasterCalls {
 public:
  // `indexes`: those of the connection's tables, which outlive this; null: indexes() is not called.
  explicit RemoteAdmin(Cluster* cluster, ClientIndexes* indexes = nullptr);

  Status CreateNamespace(const NamespaceDescriptor& descriptor) override;
  Status ModifyNamespace(const NamespaceDescriptor& descriptor) override;
  Status DeleteNamespace(std::string_view name) override;
  Expected<NamespaceDescriptor> GetNamespace(std::string_view name) override;
  Expected<std::vector<NamespaceDescriptor>> ListNamespaces() override;

  Status CreateTable(const TableDescriptor& descriptor, std::span<const std::string> split_keys) override;
  Status DeleteTable(std::string_view table) override;
  Status TruncateTable(std::string_view table, bool preserve_splits) override;
  Status EnableTable(std::string_view table) override;
  Status DisableTable(std::string_view table) override;
  Expected<bool> IsTableEnabled(std::string_view table) override;
  Expected<bool> TableExists(std::string_view table) override;
  Expected<TableDescriptor> GetDescriptor(std::string_view table) override;
  Expected<std::vector<TableDescriptor>> ListTables(std::string_view name_space) override;

  Status ModifyTable(const TableDescriptor& descriptor) override;
  Status AddFamily(std::string_view table, const FamilyDescriptor& family) override;
  Status ModifyFamily(std::string_view table, const FamilyDescriptor& family) override;
  Status DeleteFamily(std::string_view table, std::string_view family) override;
  Status ModifyStoreFileTracker(std::string_view table, std::string_view family, std::string_view tracker) override;

  Status Flush(std::string_view table, std::string_view family) override;
  Status Compact(std::string_view table, std::string_view family) override;
  Status MajorCompact(std::string_view table, std::string_view family) override;
  Status FlushRegion(std::string_view region, std::string_view family) override;
  Status CompactRegion(std::string_view region, bool major, std::string_view family) override;
  Expected<CacheEviction> ClearBlockCache(std::string_view table) override;
  Expected<StoreMetrics> Metrics() override;

  Expected<std::vector<RegionInfo>> GetRegions(std::string_view table) override;
  Expected<RegionInfo> LocateRegion(std::string_view table, std::string_view row) override;
  Expected<RegionInfo> GetRegion(std::string_view region) override;
  Expected<std::vector<RegionMetrics>> GetRegionMetrics(std::string_view table) override;
  Status Split(std::string_view table, std::string_view split_key) override;
  Status SplitRegion(std::string_view region, std::string_view split_key) override;
  Status MergeRegions(std::span<const std::string> regions, bool forcible) override;
  Expected<int> RunSplitPolicies() override;
  Status MoveRegion(std::string_view region, const std::optional<ServerName>& to) override;
  Status AssignRegion(std::string_view region) override;
  Status UnassignRegion(std::string_view region) override;

  Status Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options) override;
  Expected<std::vector<SnapshotInfo>> ListSnapshots() override;
  Status DeleteSnapshot(std::string_view snapshot) override;
  Status CloneSnapshot(std::string_view snapshot, std::string_view new_table) override;
  Status RestoreSnapshot(std::string_view snapshot) override;

  ClusterAdmin& cluster() override { return cluster_admin_; }
  ServerAdmin& servers() override { return server_admin_; }
  QuotaAdmin& quotas() override { return quota_admin_; }
  ReplicationAdmin& replication() override { return replication_admin_; }
  Expected<RSGroupAdmin*> rs_groups() override { return &rs_group_admin_; }
  Expected<SecurityAdmin*> security() override { return &security_admin_; }
  Expected<LabelAdmin*> labels() override { return &label_admin_; }
  Expected<IndexAdmin*> indexes() override { return &index_admin_; }

 private:
  Status KeepFileTracker(const TableDescriptor& changed, hbase::pb::TableSchema* schema);
  // The regions of an existing table, in key order.
  Status ListRegions(std::string_view table, std::vector<RegionPtr>* regions);
  Status CompactTable(std::string_view table, bool major, std::string_view family);
  // Requests a compaction of each region, even if one of the requests fails, and waits until none compacts. Errors: the first.
  Status CompactRegions(std::span<const RegionPtr> regions, bool major, std::string_view family);
  Status WaitForCompactions(std::vector<RegionPtr> regions, Deadline deadline);
  // By encoded or full name. Errors: kDoNotRetry: no such region.
  Status FindRegion(std::string_view name, RegionPtr* region);
  // Errors: also kNotServingRegion: it is on no server.
  Status FindServedRegion(std::string_view name, RegionPtr* region);
  Status SplitOne(const Region& region, std::string_view split_key);
  Status RunRestore(std::string_view snapshot, std::string_view table);

  RemoteClusterAdmin cluster_admin_;
  RemoteServerAdmin server_admin_;
  RemoteQuotaAdmin quota_admin_;
  RemoteReplicationAdmin replication_admin_;
  RemoteRSGroupAdmin rs_group_admin_;
  RemoteSecurityAdmin security_admin_;
  RemoteLabelAdmin label_admin_;
  RemoteIndexAdmin index_admin_;
};

// The encoded name in "table,start,id.encoded.", or the name itself if it is encoded already.
std::string EncodedNameOf(std::string_view region_name);
RegionInfo InfoOf(const Region& region);

}  // namespace klip::client
