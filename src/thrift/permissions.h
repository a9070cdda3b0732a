// TAccessControlEntity, for both Thrift interfaces.
#pragma once

#include "klip/access.h"
#include "klip/status.h"

namespace klip::thrift {

// Errors: kInvalidArgument: it names nothing. A permission without a scope would apply to the whole cluster.
template <typename Entity, typename Scope>
Expected<UserPermission> PermissionFrom(const Entity& entity, Scope of_namespace) {
  UserPermission permission = {.user = entity.username, .actions = entity.actions};
  const bool with_namespace = entity.scope == of_namespace;
  std::string& name = with_namespace ? permission.name_space : permission.table;
  name = with_namespace ? entity.nsName : entity.tableName;
  if (name.empty()) {
    return Status(Code::kInvalidArgument, with_namespace ? "nsName is missing" : "tableName is missing");
  }
  return permission;
}

}  // namespace klip::thrift
