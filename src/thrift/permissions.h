// TAccessControlEntity, which both Thrift interfaces have.
#pragma once

#include "klip/access.h"

namespace klip::thrift {

template <typename Entity, typename Scope>
UserPermission PermissionFrom(const Entity& entity, Scope of_namespace) {
  UserPermission permission = {.user = entity.username, .actions = entity.actions};
  if (entity.scope == of_namespace) {
    permission.name_space = entity.nsName;
  } else {
    permission.table = entity.tableName;
  }
  return permission;
}

}  // namespace klip::thrift
