// Permissions as messages.
#pragma once

#include "klip/access.h"
#include "klip/status.h"
#include "proto/AccessControl.pb.h"

namespace klip::rpc {

// Errors: kInvalidArgument: letters that are no action; what it is with is no cluster, namespace, table or part of a table.
Status FillPermission(const UserPermission& permission, hbase::pb::UserPermission* message);

UserPermission ToPermission(const hbase::pb::UserPermission& message);

}  // namespace klip::rpc
