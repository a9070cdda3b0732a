// Admin on a store of this process: passes calls to the store, which has HBase's rules and error texts.
// embedded_regions.cc has regions. The other parts are in embedded_parts.h.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/store/store.h"
#include "engine/store/table_catalog.h"
#include "klip/admin.h"
#include "table/admin/admin_hooks.h"
#include "table/admin/embedded_indexes.h"
#include "table/admin/embedded_parts.h"
#include "table/admin/served_store.h"
#include "table/info/shared.h"

namespace klip::table {

class EmbeddedAdmin final : public Admin {
 public:
  explicit EmbeddedAdmin(Shared* shared);

  // Sets the name under which the store is served. Call it before the first call of the interface.
  void Serve(ServerName server, std::string cluster_id, SlowCallSource slow_calls) {
    served_.Serve(std::move(server), std::move(cluster_id), std::move(slow_calls));
  }

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
  Expected<RSGroupAdmin*> rs_groups() override;
  Expected<SecurityAdmin*> security() override;
  Expected<LabelAdmin*> labels() override;
  Expected<IndexAdmin*> indexes() override { return &index_admin_; }

 private:
  Status Run(AdminOperation operation, const std::function<Status()>& body);
  Status Modify(std::string_view table, const engine::TableCatalog::TableEdit& edit);
  // Also of an index as a table. Errors: kTableNotFound.
  Expected<engine::TablePtr> ViewOf(std::string_view table) const;

  Shared* const shared_;
  ServedStore served_;
  engine::Store* const store_;
  AdminHooks* const hooks_;  // null: none
  EmbeddedClusterAdmin cluster_admin_{&served_};
  EmbeddedServerAdmin server_admin_{&served_};
  EmbeddedQuotaAdmin quota_admin_{&served_};
  EmbeddedReplicationAdmin replication_admin_{&served_};
  EmbeddedIndexAdmin index_admin_;
};

}  // namespace klip::table
