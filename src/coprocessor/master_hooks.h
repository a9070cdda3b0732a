// MasterHooks: calls the coprocessors of hbase.coprocessor.master.classes for changes of tables, namespaces and
// snapshots.
#pragma once

#include <functional>
#include <string_view>

#include "coprocessor/frame.h"
#include "coprocessor/host.h"
#include "klip/status.h"
#include "table/admin/admin_hooks.h"

namespace klip::coprocessor {

class MasterHooks final : public table::AdminHooks {
 public:
  explicit MasterHooks(Host* host) : host_(host) {}

  Status Around(table::AdminOperation& operation, const std::function<Status()>& run) override;

 private:
  class Arguments;
  Status Call(std::string_view hook, std::string_view letters, Arguments* arguments, table::AdminOperation& operation);

  Host* const host_;
};

}  // namespace klip::coprocessor
