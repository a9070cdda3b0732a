// Klip::Connection's calls about permissions and visibility labels.
#include <string>

#include "shell/cluster_values.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

// {user:, actions:, namespace:, table:, family:, qualifier:}; the last four are empty, or name a namespace, a table or a
// part of it
Expected<UserPermission> ToPermission(VALUE hash) {
  UserPermission permission;
  HashReader reader(hash, "permission");
  reader.Read("user", &permission.user);
  reader.Read("actions", &permission.actions);
  reader.Read("namespace", &permission.name_space);
  reader.Read("table", &permission.table);
  reader.Read("family", &permission.family);
  reader.Read("qualifier", &permission.qualifier);
  KLIP_RETURN_IF_ERROR(reader.status());
  return permission;
}

VALUE FromPermission(const UserPermission& permission) {
  VALUE hash = rb_hash_new();
  Set(hash, "user", FromText(permission.user));
  Set(hash, "actions", FromText(permission.actions));
  Set(hash, "namespace", FromText(permission.name_space));
  Set(hash, "table", FromText(permission.table));
  Set(hash, "family", FromBytes(permission.family));
  Set(hash, "qualifier", FromBytes(permission.qualifier));
  return hash;
}

Answer Grant(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(UserPermission permission, ToPermission(args[0]));
  return NilOr(WithAdmin<SecurityAdmin>(self, [permission](SecurityAdmin& admin) { return admin.Grant(permission); }));
}

Answer Revoke(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(UserPermission permission, ToPermission(args[0]));
  return NilOr(WithAdmin<SecurityAdmin>(self, [permission](SecurityAdmin& admin) { return admin.Revoke(permission); }));
}

Answer UserPermissions(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(UserPermission with, ToPermission(args[0]));
  return ListOr(WithAdmin<SecurityAdmin>(self, [with](SecurityAdmin& admin) { return admin.GetUserPermissions(with); }),
                FromPermission);
}

Answer AddLabels(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> labels, ToByteList(args[0], "labels"));
  return NilOr(WithAdmin<LabelAdmin>(self, [labels](LabelAdmin& admin) { return admin.AddLabels(labels); }));
}

// labels(regex), auths(user)
template <Expected<std::vector<std::string>> (LabelAdmin::*kCall)(std::string_view)>
Answer Labels(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string of, ToBytes(args[0], "a user or an expression"));
  return ListOr(WithAdmin<LabelAdmin>(self, [of](LabelAdmin& admin) { return (admin.*kCall)(of); }), FromBytes);
}

// set_auths(user, labels), clear_auths(user, labels)
template <Status (LabelAdmin::*kCall)(std::string_view, std::span<const std::string>)>
Answer ChangeAuths(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string user, ToBytes(args[0], "user"));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> labels, ToByteList(args[1], "labels"));
  return NilOr(WithAdmin<LabelAdmin>(self, [user, labels](LabelAdmin& admin) { return (admin.*kCall)(user, labels); }));
}

}  // namespace

void DefineAccessMethods(VALUE connection) {
  DefineMethod<Grant, 1>(connection, "grant");
  DefineMethod<Revoke, 1>(connection, "revoke");
  DefineMethod<UserPermissions, 1>(connection, "user_permissions");
  DefineMethod<AddLabels, 1>(connection, "add_labels");
  DefineMethod<Labels<&LabelAdmin::ListLabels>, 1>(connection, "labels");
  DefineMethod<Labels<&LabelAdmin::GetAuths>, 1>(connection, "auths");
  DefineMethod<ChangeAuths<&LabelAdmin::SetAuths>, 2>(connection, "set_auths");
  DefineMethod<ChangeAuths<&LabelAdmin::ClearAuths>, 2>(connection, "clear_auths");
}

}  // namespace klip::shell
