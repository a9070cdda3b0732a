// StoreHooks: lets Java coprocessors control flushes and compactions.
//
// RocksDB's own threads cannot call the host. So a family whose classes override a hook of flushes or compactions drops
// nothing until a flush or a compaction is requested. Then the host provides the options, and the scanners that it wraps
// around klip's. What such a scanner returns replaces what it has read. While the host is down, nothing is dropped.
#pragma once

#include <functional>
#include <memory>

#include "coprocessor/host.h"
#include "coprocessor/open_region.h"
#include "engine/store/storage_hooks.h"

namespace klip::coprocessor {

class StoreHooks final : public engine::StorageHooks {
 public:
  // `has`: whether a table has Java classes. `host` outlives the hooks.
  StoreHooks(Host* host, std::function<bool(const TableDescriptor&)> has) : host_(host), has_(std::move(has)) {}

  bool KeepsAll(const TableDescriptor& table) const override { return has_(table); }
  Status AroundFlush(const engine::TablePtr& table, std::span<const engine::Family> families,
                     const std::function<Status()>& run) override;
  Status AroundCompaction(const engine::TablePtr& table, const engine::Family& family, bool major,
                          const std::function<Status(const model::FamilyPolicy* policy)>& run) override;

 private:
  Host* const host_;
  const std::function<bool(const TableDescriptor&)> has_;
};

// Opens all regions of a table in the JVM of the session. Sets in its families what the classes want: the options for
// reads, and whether RocksDB may drop cells. Errors: the host's.
Expected<OpenTablePtr> OpenRegions(Host* host, Host::Lease* lease, const engine::TablePtr& view);

}  // namespace klip::coprocessor
