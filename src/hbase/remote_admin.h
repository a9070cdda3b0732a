// Admin on a cluster: calls of its master, and what they begin waited for. remote_admin.cc has namespaces and tables,
// remote_regions.cc regions, storage and snapshots.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/cluster.h"
#include "klip/admin.h"

namespace klip::client {

class RemoteAdmin final : public Admin {
 public:
  explicit RemoteAdmin(Cluster* cluster) : cluster_(cluster) {}

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

  Status Flush(std::string_view table) override;
  Status Compact(std::string_view table) override;
  Status MajorCompact(std::string_view table) override;
  Expected<StoreMetrics> Metrics() override;

  Expected<std::vector<RegionInfo>> GetRegions(std::string_view table) override;
  Status Split(std::string_view table, std::string_view split_key) override;
  Status MergeRegions(std::span<const std::string> regions, bool forcible) override;
  Expected<int> RunSplitPolicies() override;
  Expected<bool> SetSplitEnabled(bool enabled) override;
  Expected<bool> SetMergeEnabled(bool enabled) override;

  Status Snapshot(std::string_view snapshot, std::string_view table) override;
  Expected<std::vector<SnapshotInfo>> ListSnapshots() override;
  Status DeleteSnapshot(std::string_view snapshot) override;
  Status CloneSnapshot(std::string_view snapshot, std::string_view new_table) override;
  Status RestoreSnapshot(std::string_view snapshot) override;

 private:
  Status CallMaster(std::string_view method, const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response);
  // Starts a procedure of the master and waits for its end. `response` has the proc_id.
  template <typename Request, typename Response>
  Status RunProcedure(std::string_view method, Request request, Response* response);
  Status WaitForProcedure(uint64_t id, Deadline deadline);
  // Of a table that exists; with `regions` in key order.
  Status ListRegions(std::string_view table, std::vector<RegionPtr>* regions);
  Status CompactRegions(std::string_view table, bool major);
  Status CompactRegion(const Region& region, bool major);
  Expected<bool> SetSwitch(bool merge, bool enabled);
  Status RunRestore(std::string_view snapshot, std::string_view table);

  Cluster* cluster_;
};

}  // namespace klip::client
