// Klip::Connection's calls about namespaces, tables and snapshots: klip::Admin with Ruby's names.
#include <utility>

#include "shell/blocking.h"
#include "shell/descriptor_hash.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

// Questions about one name.
template <Expected<bool> (Admin::*kCall)(std::string_view)>
Answer Ask(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "name"));
  auto answer = WithAdmin(self, [name](Admin& admin) { return (admin.*kCall)(name); });
  KLIP_RETURN_IF_ERROR(answer.status());
  return *answer ? Qtrue : Qfalse;
}

Expected<NamespaceDescriptor> ToNamespace(Arguments args) {
  NamespaceDescriptor descriptor;
  KLIP_ASSIGN_OR_RETURN(descriptor.name, ToBytes(args[0], "namespace"));
  KLIP_ASSIGN_OR_RETURN(descriptor.configuration, ToTextMap(args[1], "configuration"));
  return descriptor;
}

// create_namespace(name, {key => value}), modify_namespace likewise
template <Status (Admin::*kCall)(const NamespaceDescriptor&)>
Answer WriteNamespace(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(NamespaceDescriptor descriptor, ToNamespace(args));
  return NilOr(WithAdmin(self, [descriptor](Admin& admin) { return (admin.*kCall)(descriptor); }));
}

// [[name, {key => value}], ...]
Answer Namespaces(VALUE self, Arguments) {
  auto all = WithAdmin(self, [](Admin& admin) { return admin.ListNamespaces(); });
  KLIP_RETURN_IF_ERROR(all.status());
  VALUE list = rb_ary_new();
  for (const NamespaceDescriptor& one : *all) {
    rb_ary_push(list, rb_ary_new_from_args(2, FromText(one.name), FromTextMap(one.configuration)));
  }
  return list;
}

// create_table(descriptor, split_keys)
Answer CreateTable(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, ToTableDescriptor(args[0]));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> splits, ToByteList(args[1], "split keys"));
  return NilOr(WithAdmin(self, [descriptor, splits](Admin& admin) { return admin.CreateTable(descriptor, splits); }));
}

Answer ModifyTable(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, ToTableDescriptor(args[0]));
  return NilOr(WithAdmin(self, [descriptor](Admin& admin) { return admin.ModifyTable(descriptor); }));
}

Answer DescribeTable(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "table"));
  auto descriptor = WithAdmin(self, [name](Admin& admin) { return admin.GetDescriptor(name); });
  KLIP_RETURN_IF_ERROR(descriptor.status());
  return FromTableDescriptor(*descriptor);
}

Answer TablesOf(VALUE self, const std::string& name_space) {
  auto tables = WithAdmin(self, [name_space](Admin& admin) { return admin.ListTables(name_space); });
  KLIP_RETURN_IF_ERROR(tables.status());
  VALUE list = rb_ary_new();
  for (const TableDescriptor& table : *tables) {
    rb_ary_push(list, FromText(table.name));
  }
  return list;
}

// The names of all user tables.
Answer Tables(VALUE self, Arguments) { return TablesOf(self, ""); }

Answer TablesInNamespace(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string name_space, ToBytes(args[0], "namespace"));
  return TablesOf(self, name_space);
}

Answer TruncateTable(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "table"));
  return NilOr(WithAdmin(
      self, [name, preserve = ToFlag(args[1])](Admin& admin) { return admin.TruncateTable(name, preserve); }));
}

// snapshot(name, table, ttl_s, max_file_bytes, skip_flush)
Answer TakeSnapshot(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "snapshot"));
  KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(args[1], "table"));
  SnapshotOptions options;
  KLIP_ASSIGN_OR_RETURN(options.ttl_s, ToInt(args[2], "TTL"));
  KLIP_ASSIGN_OR_RETURN(options.max_file_bytes, ToInt(args[3], "MAX_FILESIZE"));
  options.skip_flush = ToFlag(args[4]);
  return NilOr(WithAdmin(self, [name, table, options](Admin& admin) { return admin.Snapshot(name, table, options); }));
}

// [[name, table, created_ms], ...]
Answer Snapshots(VALUE self, Arguments) {
  auto snapshots = WithAdmin(self, [](Admin& admin) { return admin.ListSnapshots(); });
  KLIP_RETURN_IF_ERROR(snapshots.status());
  VALUE list = rb_ary_new();
  for (const SnapshotInfo& one : *snapshots) {
    rb_ary_push(list, rb_ary_new_from_args(3, FromText(one.name), FromText(one.table), FromInt(one.created_ms)));
  }
  return list;
}

// modify_store_file_tracker(table, family or '', tracker)
Answer ModifyStoreFileTracker(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(args[0], "table"));
  KLIP_ASSIGN_OR_RETURN(std::string family, ToBytes(args[1], "family"));
  KLIP_ASSIGN_OR_RETURN(std::string tracker, ToBytes(args[2], "tracker"));
  return NilOr(WithAdmin(
      self, [table, family, tracker](Admin& admin) { return admin.ModifyStoreFileTracker(table, family, tracker); }));
}

// create_index(table, name, declaration)
Answer CreateIndex(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string table, ToBytes(args[0], "table"));
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[1], "index"));
  KLIP_ASSIGN_OR_RETURN(const std::string text, ToBytes(args[2], "declaration"));
  KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse(name, text));
  return NilOr(
      WithAdmin<IndexAdmin>(self, [table, index](IndexAdmin& admin) { return admin.CreateIndex(table, index); }));
}

// [[name, declaration, state, skipped], ...]; skipped: "3", or "10000+"
Answer Indexes(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string table, ToBytes(args[0], "table"));
  auto indexes = WithAdmin<IndexAdmin>(self, [table](IndexAdmin& admin) { return admin.ListIndexes(table); });
  KLIP_RETURN_IF_ERROR(indexes.status());
  VALUE list = rb_ary_new();
  for (const IndexInfo& one : *indexes) {
    const std::string skipped = std::to_string(one.skipped) + (one.skipped == IndexInfo::kMostSkipped ? "+" : "");
    const std::string state = one.building ? "BUILDING" : one.unusable ? "UNUSABLE" : "READY";
    rb_ary_push(list, rb_ary_new_from_args(4, FromText(one.index.name), FromText(one.index.ToString()), FromText(state),
                                           FromText(skipped)));
  }
  return list;
}

// verify_index(table, name, repair): [rows, entries, missing, wrong, stale, skipped, [difference, ...]]
Answer VerifyIndex(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string table, ToBytes(args[0], "table"));
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[1], "index"));
  auto check = WithAdmin<IndexAdmin>(self, [table, name, repair = ToFlag(args[2])](IndexAdmin& admin) {
    return admin.VerifyIndex(table, name, repair);
  });
  KLIP_RETURN_IF_ERROR(check.status());
  VALUE list = rb_ary_new();
  for (const int64_t count :
       {check->rows, check->entries, check->missing, check->wrong, check->stale, check->skipped}) {
    rb_ary_push(list, FromInt(count));
  }
  VALUE differences = rb_ary_new();
  for (const std::string& difference : check->differences) {
    rb_ary_push(differences, FromText(difference));
  }
  return rb_ary_push(list, differences);
}

}  // namespace

void DefineAdminMethods(VALUE connection) {
  DefineMethod<WriteNamespace<&Admin::CreateNamespace>, 2>(connection, "create_namespace");
  DefineMethod<WriteNamespace<&Admin::ModifyNamespace>, 2>(connection, "modify_namespace");
  DefineMethod<ByName<&Admin::DeleteNamespace>, 1>(connection, "delete_namespace");
  DefineMethod<Namespaces, 0>(connection, "namespaces");

  DefineMethod<CreateTable, 2>(connection, "create_table");
  DefineMethod<ModifyTable, 1>(connection, "modify_table");
  DefineMethod<ModifyStoreFileTracker, 3>(connection, "modify_store_file_tracker");
  DefineMethod<DescribeTable, 1>(connection, "describe_table");
  DefineMethod<ByName<&Admin::DeleteTable>, 1>(connection, "delete_table");
  DefineMethod<TruncateTable, 2>(connection, "truncate_table");
  DefineMethod<ByName<&Admin::EnableTable>, 1>(connection, "enable_table");
  DefineMethod<ByName<&Admin::DisableTable>, 1>(connection, "disable_table");
  DefineMethod<Ask<&Admin::IsTableEnabled>, 1>(connection, "table_enabled?");
  DefineMethod<Ask<&Admin::TableExists>, 1>(connection, "table_exists?");
  DefineMethod<Tables, 0>(connection, "tables");
  DefineMethod<TablesInNamespace, 1>(connection, "tables_in_namespace");

  DefineMethod<ByTwoNames<&Admin::Flush>, 2>(connection, "flush");
  DefineMethod<ByTwoNames<&Admin::Compact>, 2>(connection, "compact");
  DefineMethod<ByTwoNames<&Admin::MajorCompact>, 2>(connection, "major_compact");
  DefineMethod<ByTwoNames<&Admin::Split>, 2>(connection, "split");

  DefineMethod<CreateIndex, 3>(connection, "create_index");
  DefineMethod<ByTwoNames<&IndexAdmin::DropIndex, IndexAdmin>, 2>(connection, "drop_index");
  DefineMethod<Indexes, 1>(connection, "indexes");
  DefineMethod<VerifyIndex, 3>(connection, "verify_index");

  DefineMethod<TakeSnapshot, 5>(connection, "snapshot");
  DefineMethod<Snapshots, 0>(connection, "snapshots");
  DefineMethod<ByName<&Admin::DeleteSnapshot>, 1>(connection, "delete_snapshot");
  DefineMethod<ByTwoNames<&Admin::CloneSnapshot>, 2>(connection, "clone_snapshot");
  DefineMethod<ByName<&Admin::RestoreSnapshot>, 1>(connection, "restore_snapshot");
}

}  // namespace klip::shell
