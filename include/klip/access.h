// Permissions and visibility labels, for clusters with HBase's AccessController and VisibilityController.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/query.h"
#include "klip/status.h"

namespace klip {

// What a user may do, and on which scope.
struct UserPermission {
  std::string user;     // "@group": all users of the group
  std::string actions;  // letters of "RWXCA": read, write, execute endpoints, create, administer
  // The scope: a namespace, a table or a part of it; all empty: the whole cluster.
  std::string name_space = {};
  std::string table = {};
  std::string family = {};
  std::string qualifier = {};

  bool operator==(const UserPermission&) const = default;
};

// --- Permissions and labels of cells, in the `attributes` of operations. A server without such features, like klip's own, refuses
// mutations that use them (kUnsupported). ---

inline constexpr const char* kVisibilityAttribute = "VISIBILITY";
inline constexpr const char* kPermissionsAttribute = "acl";

// For mutations: a condition on labels that decides who sees the cells: "(secret|topsecret)&!probationary". HBase's setCellVisibility.
void SetCellVisibility(std::string_view expression, OperationAttributes* attributes);

// For Get and Scan: which of the user's labels apply; without it, all of them apply. HBase's
// Query.setAuthorizations.
void SetAuthorizations(std::span<const std::string> labels, OperationAttributes* attributes);

// For mutations: what users (or "@group"s) may do with the cells, as UserPermission::actions. HBase's Mutation.setACL. Errors:
// kInvalidArgument: other letters.
Status SetCellPermissions(const std::map<std::string, std::string>& actions_by_user, OperationAttributes* attributes);

// Permissions. Thread-safe; lives as long as its Admin. Errors of all: kUnsupported if the cluster has no access control; kDoNotRetry if
// the caller may not do this, or the server refuses the arguments.
class SecurityAdmin {
 public:
  virtual ~SecurityAdmin() = default;

  // Adds to the user's permissions; replaces them if `merge` is false.
  virtual Status Grant(const UserPermission& permission, bool merge = true) = 0;
  // Revokes these actions; without actions, everything that the user has on exactly this scope.
  virtual Status Revoke(const UserPermission& permission) = 0;
  // Permissions on the cluster, or on the namespace, table or part of it that `with` names; of one user if it names one. The actions of
  // `with` are ignored.
  virtual Expected<std::vector<UserPermission>> GetUserPermissions(const UserPermission& with = {}) = 0;
};

// Visibility labels. Thread-safe; lives as long as its Admin. Errors of all: those of SecurityAdmin.
class LabelAdmin {
 public:
  virtual ~LabelAdmin() = default;

  virtual Status AddLabels(std::span<const std::string> labels) = 0;

  // The labels that match the expression completely; without one, all.
  virtual Expected<std::vector<std::string>> ListLabels(std::string_view regex = {}) = 0;

  // SetAuths allows the user to see cells with these labels; ClearAuths withdraws that.
  virtual Status SetAuths(std::string_view user, std::span<const std::string> labels) = 0;
  virtual Status ClearAuths(std::string_view user, std::span<const std::string> labels) = 0;
  virtual Expected<std::vector<std::string>> GetAuths(std::string_view user) = 0;
};

}  // namespace klip
