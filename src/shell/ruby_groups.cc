// Klip::Connection's calls about groups of region servers.
#include <optional>
#include <string>

#include "shell/cluster_values.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

// {name:, servers: ["host:port"], tables:, configuration:}
VALUE FromGroup(const RSGroupInfo& group) {
  VALUE hash = rb_hash_new();
  Set(hash, "name", FromText(group.name));
  Set(hash, "servers", FromList(group.servers, FromText));
  Set(hash, "tables", FromList(group.tables, FromText));
  Set(hash, "configuration", FromTextMap(group.configuration));
  return hash;
}

Answer Groups(VALUE self, Arguments) {
  auto groups = WithAdmin<RSGroupAdmin>(self, [](RSGroupAdmin& admin) { return admin.ListRSGroups(); });
  KLIP_RETURN_IF_ERROR(groups.status());
  return FromList(*groups, FromGroup);
}

// A group or nil, by its name, one of its servers or one of its tables.
template <Expected<std::optional<RSGroupInfo>> (RSGroupAdmin::*kCall)(std::string_view)>
Answer GroupOf(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "name"));
  auto group = WithAdmin<RSGroupAdmin>(self, [name](RSGroupAdmin& admin) { return (admin.*kCall)(name); });
  KLIP_RETURN_IF_ERROR(group.status());
  return group->has_value() ? FromGroup(**group) : Qnil;
}

// configure_group(name, {key => value})
Answer ConfigureGroup(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "group"));
  KLIP_ASSIGN_OR_RETURN(auto configuration, ToTextMap(args[1], "configuration"));
  return NilOr(WithAdmin<RSGroupAdmin>(
      self, [name, configuration](RSGroupAdmin& admin) { return admin.UpdateRSGroupConfig(name, configuration); }));
}

// balance_group(name, dry_run, ignore_regions_in_transition), as balance
Answer BalanceGroup(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "group"));
  const BalanceOptions options = {.dry_run = ToFlag(args[1]), .ignore_regions_in_transition = ToFlag(args[2])};
  auto result = WithAdmin<RSGroupAdmin>(
      self, [name, options](RSGroupAdmin& admin) { return admin.BalanceRSGroup(name, options); });
  KLIP_RETURN_IF_ERROR(result.status());
  return rb_ary_new_from_args(3, FromFlag(result->ran), FromInt(result->moves_planned), FromInt(result->moves_made));
}

// move_to_group(name, servers, tables)
Answer MoveToGroup(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "group"));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> servers, ToByteList(args[1], "servers"));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> tables, ToByteList(args[2], "tables"));
  return NilOr(WithAdmin<RSGroupAdmin>(
      self, [name, servers, tables](RSGroupAdmin& admin) { return admin.MoveToRSGroup(name, servers, tables); }));
}

Answer RemoveGroupServers(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> servers, ToByteList(args[0], "servers"));
  return NilOr(WithAdmin<RSGroupAdmin>(
      self, [servers](RSGroupAdmin& admin) { return admin.RemoveServersFromRSGroup(servers); }));
}

}  // namespace

void DefineGroupMethods(VALUE connection) {
  DefineMethod<Groups, 0>(connection, "groups");
  DefineMethod<GroupOf<&RSGroupAdmin::GetRSGroup>, 1>(connection, "group");
  DefineMethod<GroupOf<&RSGroupAdmin::GetRSGroupOfServer>, 1>(connection, "group_of_server");
  DefineMethod<GroupOf<&RSGroupAdmin::GetRSGroupOfTable>, 1>(connection, "group_of_table");
  DefineMethod<ByName<&RSGroupAdmin::AddRSGroup, RSGroupAdmin>, 1>(connection, "add_group");
  DefineMethod<ByName<&RSGroupAdmin::RemoveRSGroup, RSGroupAdmin>, 1>(connection, "remove_group");
  DefineMethod<ByTwoNames<&RSGroupAdmin::RenameRSGroup, RSGroupAdmin>, 2>(connection, "rename_group");
  DefineMethod<ConfigureGroup, 2>(connection, "configure_group");
  DefineMethod<BalanceGroup, 3>(connection, "balance_group");
  DefineMethod<MoveToGroup, 3>(connection, "move_to_group");
  DefineMethod<RemoveGroupServers, 1>(connection, "remove_group_servers");
}

}  // namespace klip::shell
