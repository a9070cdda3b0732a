// JavaHooks: the Java coprocessors of one table, as hooks of its operations. Each phase of an operation makes one call of
// the host with the mutations of all its regions, or none if no class overrides a hook of that phase.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "coprocessor/host.h"
#include "coprocessor/open_region.h"
#include "table/info/hooks.h"

namespace klip::coprocessor {

class JavaHooks final : public table::OperationHooks {
 public:
  explicit JavaHooks(Host* host) : host_(host) {}  // outlives the hooks

  Status BeforeWrite(table::WriteContext& write) override;
  Status Locked(table::WriteContext& write) override;
  Status InWrite(table::WriteContext& write) override;
  Status Computed(table::WriteContext& write, const table::Change& change, std::vector<ComputedCell>* cells) override;
  Status BeforeCommit(table::WriteContext& write) override;
  Status Written(table::WriteContext& write) override;
  Status AfterWrite(table::WriteContext& write) override;
  void Failed(table::WriteContext& write) override;
  Status OnGet(const table::TableInfo& table, const Get& get, const table::RunGet& run, Result* result) override;
  Expected<std::unique_ptr<ResultScanner>> OnScan(const table::TableInfo& table, const Scan& scan,
                                                  const table::OpenScan& open) override;

 private:
  class Write;

  Expected<OpenTablePtr> Open(Host::Lease* lease, const engine::TablePtr& view);
  Status CallBulk(table::WriteContext& write, std::string_view hook);
  Expected<Write*> WriteOf(table::WriteContext& write);

  Host* const host_;
  std::atomic<OpenTablePtr> open_;
};

}  // namespace klip::coprocessor
