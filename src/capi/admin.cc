// Operations on whole tables, namespaces, regions and snapshots.
#include <utility>

#include "capi/call.h"
#include "capi/json.h"
#include "capi/requests.h"

using klip::Admin;
using klip::Expected;
using klip::Status;
using klip::capi::GiveText;
using klip::capi::Missing;

namespace {

// Runs `work(admin)`; the texts must not be NULL.
template <typename Work>
klip_code CallAdmin(klip_connection* connection, std::initializer_list<const char*> texts, klip_error** error,
                    Work work) {
  for (const char* text : texts) {
    if (text == nullptr) {
      return klip::capi::Report(Missing("a name or descriptor"), error);
    }
  }
  return klip::capi::CallConnection(connection, error, [&](klip::Connection& inner) { return work(inner.admin()); });
}

Status GiveFlag(const Expected<bool>& flag, int* out) {
  KLIP_RETURN_IF_ERROR(flag.status());
  if (out == nullptr) {
    return Missing("the place for the answer");
  }
  *out = *flag ? 1 : 0;
  return Status::Ok();
}

template <typename Descriptor>
Status GiveNames(const std::vector<Descriptor>& descriptors, klip_list** out) {
  if (out == nullptr) {
    return Missing("names");
  }
  *out = new klip_list;
  for (const Descriptor& descriptor : descriptors) {
    (*out)->items.push_back(descriptor.name);
  }
  return Status::Ok();
}

}  // namespace

extern "C" {

// --- Tables ---

klip_code klip_create_table(klip_connection* connection, const char* descriptor, const klip_bytes* split_keys,
                            size_t split_key_count, klip_error** error) {
  return CallAdmin(connection, {descriptor}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::TableDescriptor table, klip::capi::ParseTable(descriptor));
    if (split_keys == nullptr && split_key_count > 0) {
      return Missing("split_keys");
    }
    std::vector<std::string> keys;
    for (size_t i = 0; i < split_key_count; ++i) {
      KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(split_keys[i], "split_keys"));
      keys.emplace_back(klip::capi::View(split_keys[i]));
    }
    return admin.CreateTable(table, keys);
  });
}

klip_code klip_describe_table(klip_connection* connection, const char* table, char** descriptor, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::TableDescriptor found, admin.GetDescriptor(table));
    return GiveText(klip::capi::ToJson(found), descriptor);
  });
}

klip_code klip_modify_table(klip_connection* connection, const char* descriptor, klip_error** error) {
  return CallAdmin(connection, {descriptor}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::TableDescriptor table, klip::capi::ParseTable(descriptor));
    return admin.ModifyTable(table);
  });
}

klip_code klip_add_family(klip_connection* connection, const char* table, const char* family, klip_error** error) {
  return CallAdmin(connection, {table, family}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::FamilyDescriptor descriptor, klip::capi::ParseFamily(family));
    return admin.AddFamily(table, descriptor);
  });
}

klip_code klip_modify_family(klip_connection* connection, const char* table, const char* family, klip_error** error) {
  return CallAdmin(connection, {table, family}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::FamilyDescriptor descriptor, klip::capi::ParseFamily(family));
    return admin.ModifyFamily(table, descriptor);
  });
}

klip_code klip_delete_family(klip_connection* connection, const char* table, const char* name, klip_error** error) {
  return CallAdmin(connection, {table, name}, error, [&](Admin& admin) { return admin.DeleteFamily(table, name); });
}

klip_code klip_list_tables(klip_connection* connection, const char* name_space, klip_list** names, klip_error** error) {
  return CallAdmin(connection, {}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::TableDescriptor> tables,
                          admin.ListTables(name_space == nullptr ? "" : name_space));
    return GiveNames(tables, names);
  });
}

klip_code klip_table_exists(klip_connection* connection, const char* table, int* exists, klip_error** error) {
  return CallAdmin(connection, {table}, error,
                   [&](Admin& admin) { return GiveFlag(admin.TableExists(table), exists); });
}

klip_code klip_is_table_enabled(klip_connection* connection, const char* table, int* enabled, klip_error** error) {
  return CallAdmin(connection, {table}, error,
                   [&](Admin& admin) { return GiveFlag(admin.IsTableEnabled(table), enabled); });
}

klip_code klip_enable_table(klip_connection* connection, const char* table, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) { return admin.EnableTable(table); });
}

klip_code klip_disable_table(klip_connection* connection, const char* table, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) { return admin.DisableTable(table); });
}

klip_code klip_delete_table(klip_connection* connection, const char* table, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) { return admin.DeleteTable(table); });
}

klip_code klip_truncate_table(klip_connection* connection, const char* table, int preserve_splits, klip_error** error) {
  return CallAdmin(connection, {table}, error,
                   [&](Admin& admin) { return admin.TruncateTable(table, preserve_splits != 0); });
}

// --- Namespaces ---

klip_code klip_create_namespace(klip_connection* connection, const char* name, klip_error** error) {
  return CallAdmin(connection, {name}, error, [&](Admin& admin) {
    klip::NamespaceDescriptor descriptor;
    descriptor.name = name;
    return admin.CreateNamespace(descriptor);
  });
}

klip_code klip_delete_namespace(klip_connection* connection, const char* name, klip_error** error) {
  return CallAdmin(connection, {name}, error, [&](Admin& admin) { return admin.DeleteNamespace(name); });
}

klip_code klip_list_namespaces(klip_connection* connection, klip_list** names, klip_error** error) {
  return CallAdmin(connection, {}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::NamespaceDescriptor> namespaces, admin.ListNamespaces());
    return GiveNames(namespaces, names);
  });
}

// --- Storage and regions ---

klip_code klip_flush(klip_connection* connection, const char* table, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) { return admin.Flush(table); });
}

klip_code klip_metrics(klip_connection* connection, char** json, klip_error** error) {
  return CallAdmin(connection, {}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::StoreMetrics metrics, admin.Metrics());
    return GiveText(klip::capi::ToJson(metrics), json);
  });
}

klip_code klip_cluster_metrics(klip_connection* connection, char** json, klip_error** error) {
  return CallAdmin(connection, {}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::ClusterMetrics metrics, admin.cluster().GetClusterMetrics());
    return GiveText(klip::ToJson(metrics), json);
  });
}

klip_code klip_compact(klip_connection* connection, const char* table, int major, klip_error** error) {
  return CallAdmin(connection, {table}, error,
                   [&](Admin& admin) { return major != 0 ? admin.MajorCompact(table) : admin.Compact(table); });
}

klip_code klip_list_regions(klip_connection* connection, const char* table, char** json, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::RegionInfo> regions, admin.GetRegions(table));
    return GiveText(klip::capi::ToJson(regions), json);
  });
}

klip_code klip_split_table(klip_connection* connection, const char* table, klip_bytes split_key, klip_error** error) {
  return CallAdmin(connection, {table}, error, [&](Admin& admin) -> Status {
    KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(split_key, "split_key"));
    return admin.Split(table, klip::capi::View(split_key));
  });
}

klip_code klip_merge_regions(klip_connection* connection, const char* first, const char* second, int forcible,
                             klip_error** error) {
  return CallAdmin(connection, {first, second}, error, [&](Admin& admin) {
    const std::vector<std::string> regions = {first, second};
    return admin.MergeRegions(regions, forcible != 0);
  });
}

// --- Snapshots ---

klip_code klip_snapshot(klip_connection* connection, const char* snapshot, const char* table, klip_error** error) {
  return CallAdmin(connection, {snapshot, table}, error, [&](Admin& admin) { return admin.Snapshot(snapshot, table); });
}

klip_code klip_list_snapshots(klip_connection* connection, char** json, klip_error** error) {
  return CallAdmin(connection, {}, error, [&](Admin& admin) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::SnapshotInfo> snapshots, admin.ListSnapshots());
    return GiveText(klip::capi::ToJson(snapshots), json);
  });
}

klip_code klip_delete_snapshot(klip_connection* connection, const char* snapshot, klip_error** error) {
  return CallAdmin(connection, {snapshot}, error, [&](Admin& admin) { return admin.DeleteSnapshot(snapshot); });
}

klip_code klip_clone_snapshot(klip_connection* connection, const char* snapshot, const char* table,
                              klip_error** error) {
  return CallAdmin(connection, {snapshot, table}, error,
                   [&](Admin& admin) { return admin.CloneSnapshot(snapshot, table); });
}

klip_code klip_restore_snapshot(klip_connection* connection, const char* snapshot, klip_error** error) {
  return CallAdmin(connection, {snapshot}, error, [&](Admin& admin) { return admin.RestoreSnapshot(snapshot); });
}

}  // extern "C"
