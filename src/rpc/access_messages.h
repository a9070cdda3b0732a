// Permissions to messages.
#pragma once

#include "klip/access.h"
#include "klip/status.h"
#include "proto/AccessControl.pb.h"

namespace klip::rpc {

// Errors: kInvalidArgument: a letter that is not an action; a scope that is not a cluster, namespace, table or part of a
// table.
Status FillPermission(const UserPermission& permission, hbase::pb::UserPermission* message);

UserPermission ToPermission(const hbase::pb::UserPermission& message);

}  // namespace klip::rpc
