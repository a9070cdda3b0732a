#include "rpc/access_messages.h"

#include <utility>

#include "proto/Client.pb.h"
#include "rpc/names.h"

namespace klip {
namespace rpc {
namespace {

constexpr std::string_view kLetters = "RWXCA";  // indexes are hbase::pb::Permission::Action

template <typename Permission>
Status FillActions(std::string_view letters, Permission* message) {
  for (const char letter : letters) {
    const size_t action = kLetters.find(letter);
    if (action == std::string_view::npos) {
      return {Code::kInvalidArgument, "permission '" + std::string(letters) + "': expected letters of RWXCA, found '" +
                                          std::string(1, letter) + "'"};
    }
    message->add_action(static_cast<hbase::pb::Permission::Action>(action));
  }
  return Status::Ok();
}

template <typename Permission>
std::string LettersOf(const Permission& message) {
  std::string letters;
  for (const int action : message.action()) {
    letters += kLetters[static_cast<size_t>(action)];  // protobuf drops invalid Actions
  }
  return letters;
}

}  // namespace

Status FillPermission(const UserPermission& permission, hbase::pb::UserPermission* message) {
  const bool of_table = !permission.family.empty() || !permission.qualifier.empty();
  if (permission.name_space.empty() ? of_table && permission.table.empty() : of_table || !permission.table.empty()) {
    return {Code::kInvalidArgument, "a permission must be for the cluster, a namespace, a table or a part of a table"};
  }
  message->set_user(permission.user);
  hbase::pb::Permission* with = message->mutable_permission();
  if (!permission.name_space.empty()) {
    with->set_type(hbase::pb::Permission::Namespace);
    with->mutable_namespace_permission()->set_namespace_name(permission.name_space);
    return FillActions(permission.actions, with->mutable_namespace_permission());
  }
  if (permission.table.empty()) {
    with->set_type(hbase::pb::Permission::Global);
    return FillActions(permission.actions, with->mutable_global_permission());
  }
  with->set_type(hbase::pb::Permission::Table);
  hbase::pb::TablePermission* table = with->mutable_table_permission();
  FillTableName(permission.table, table->mutable_table_name());
  if (!permission.family.empty()) {
    table->set_family(permission.family);
  }
  if (!permission.qualifier.empty()) {
    table->set_qualifier(permission.qualifier);
  }
  return FillActions(permission.actions, table);
}

UserPermission ToPermission(const hbase::pb::UserPermission& message) {
  UserPermission permission = {.user = message.user(), .actions = {}};
  const hbase::pb::Permission& with = message.permission();
  if (with.has_namespace_permission()) {
    permission.actions = LettersOf(with.namespace_permission());
    permission.name_space = with.namespace_permission().namespace_name();
  } else if (with.has_table_permission()) {
    const hbase::pb::TablePermission& table = with.table_permission();
    permission.actions = LettersOf(table);
    permission.table = table.has_table_name() ? TableNameOf(table.table_name()) : "";
    permission.family = table.family();
    permission.qualifier = table.qualifier();
  } else {
    permission.actions = LettersOf(with.global_permission());
  }
  return permission;
}

}  // namespace rpc

void SetCellVisibility(std::string_view expression, OperationAttributes* attributes) {
  hbase::pb::CellVisibility message;
  message.set_expression(expression.data(), expression.size());
  (*attributes)[kVisibilityAttribute] = message.SerializeAsString();
}

void SetAuthorizations(std::span<const std::string> labels, OperationAttributes* attributes) {
  hbase::pb::Authorizations message;
  *message.mutable_label() = {labels.begin(), labels.end()};
  (*attributes)[kVisibilityAttribute] = message.SerializeAsString();
}

Status SetCellPermissions(const std::map<std::string, std::string>& actions_by_user, OperationAttributes* attributes) {
  hbase::pb::UsersAndPermissions message;
  for (const auto& [user, actions] : actions_by_user) {
    auto* of_user = message.add_user_permissions();
    of_user->set_user(user);
    hbase::pb::Permission* permission = of_user->add_permissions();
    permission->set_type(hbase::pb::Permission::Global);
    KLIP_RETURN_IF_ERROR(rpc::FillActions(actions, permission->mutable_global_permission()));
  }
  (*attributes)[kPermissionsAttribute] = message.SerializeAsString();
  return Status::Ok();
}

}  // namespace klip
