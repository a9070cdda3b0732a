// Who may do what, and who may see which cells: what HBase's AccessController and VisibilityController keep on clusters that have them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "klip/query.h"

namespace klip {

// What a user may do, and with what.
struct UserPermission {
  std::string user;     // "@group": all users of the group
  std::string actions;  // letters of "RWXCA": read, write, execute endpoints, create, administer
  // With what: a namespace, a table or a part of it; all empty: the whole cluster.
  std::string name_space = {};
  std::string table = {};
  std::string family = {};
  std::string qualifier = {};

  bool operator==(const UserPermission&) const = default;
};

// --- What operations say of their cells' safety, in their `attributes`. A server that cannot keep cells safe, as klip's own, refuses
// mutations that ask for it (kUnsupported). ---

inline constexpr const char* kVisibilityAttribute = "VISIBILITY";
inline constexpr const char* kPermissionsAttribute = "acl";

// Of mutations: who sees the cells, as a condition on labels: "(secret|topsecret)&!probationary". HBase's Mutation.setCellVisibility.
void SetCellVisibility(std::string_view expression, OperationAttributes* attributes);

// Of Get and Scan: the labels, of those that the user has, by which cells are shown; without it all of them. HBase's
// Query.setAuthorizations.
void SetAuthorizations(std::span<const std::string> labels, OperationAttributes* attributes);

// Of mutations: what users (or "@group"s) may do with the cells, as UserPermission::actions. HBase's Mutation.setACL. Errors:
// kInvalidArgument: other letters.
Status SetCellPermissions(const std::map<std::string, std::string>& actions_by_user, OperationAttributes* attributes);

}  // namespace klip
