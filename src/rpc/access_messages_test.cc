#include "rpc/access_messages.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/Client.pb.h"

namespace klip::rpc {
namespace {

TEST(AccessMessages, PermissionsComeBackAsTheyWent) {
  const std::vector<UserPermission> permissions = {
      {.user = "u", .actions = "RWXCA"},
      {.user = "@g", .actions = "", .name_space = "n"},
      {.user = "u", .actions = "XR", .table = "n:t"},
      {.user = "u", .actions = "A", .table = "t", .family = "f"},
      {.user = "u", .actions = "C", .table = "t", .family = "f", .qualifier = std::string("q\0", 2)}};
  for (const UserPermission& permission : permissions) {
    hbase::pb::UserPermission message;
    ASSERT_TRUE(FillPermission(permission, &message).ok());
    EXPECT_EQ(message.permission().type(), !permission.name_space.empty() ? hbase::pb::Permission::Namespace
                                           : !permission.table.empty()    ? hbase::pb::Permission::Table
                                                                          : hbase::pb::Permission::Global);
    EXPECT_EQ(ToPermission(message), permission);
  }
}

TEST(AccessMessages, WhatIsNoPermission) {
  const auto refused = [](const UserPermission& permission) {
    hbase::pb::UserPermission message;
    return FillPermission(permission, &message).code() == Code::kInvalidArgument;
  };
  EXPECT_TRUE(refused({.user = "u", .actions = "RZ"}));
  EXPECT_TRUE(refused({.user = "u", .actions = "r", .table = "t"}));
  EXPECT_TRUE(refused({.user = "u", .actions = "R", .name_space = "n", .table = "t"}));
  EXPECT_TRUE(refused({.user = "u", .actions = "R", .name_space = "n", .family = "f"}));
  EXPECT_TRUE(refused({.user = "u", .actions = "R", .family = "f"}));
  EXPECT_TRUE(refused({.user = "u", .actions = "R", .qualifier = "q"}));
}

TEST(AccessMessages, WhatOperationsSay) {
  OperationAttributes attributes;
  SetCellVisibility("a|!b", &attributes);
  hbase::pb::CellVisibility visibility;
  ASSERT_TRUE(visibility.ParseFromString(attributes["VISIBILITY"]));
  EXPECT_EQ(visibility.expression(), "a|!b");

  const std::vector<std::string> labels = {"a", "b"};
  SetAuthorizations(labels, &attributes);
  hbase::pb::Authorizations authorizations;
  ASSERT_TRUE(authorizations.ParseFromString(attributes["VISIBILITY"]));
  EXPECT_EQ(std::vector<std::string>(authorizations.label().begin(), authorizations.label().end()), labels);

  ASSERT_TRUE(SetCellPermissions({{"u", "RW"}, {"@g", "A"}}, &attributes).ok());
  hbase::pb::UsersAndPermissions permissions;
  ASSERT_TRUE(permissions.ParseFromString(attributes["acl"]));
  ASSERT_EQ(permissions.user_permissions_size(), 2);
  EXPECT_EQ(permissions.user_permissions(0).user(), "@g");
  const hbase::pb::Permission& of_user = permissions.user_permissions(1).permissions(0);
  EXPECT_EQ(of_user.global_permission().action_size(), 2);
  EXPECT_EQ(of_user.global_permission().action(1), hbase::pb::Permission::WRITE);
  EXPECT_EQ(SetCellPermissions({{"u", "?"}}, &attributes).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace klip::rpc
