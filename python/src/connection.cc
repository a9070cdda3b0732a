// Connections: tables, and everything that is not about the rows of one.
#include "objects.h"

namespace klip_python {
namespace {

PyTypeObject* connection_type = nullptr;

Ref Close(PyObject* self, Arguments, Py_ssize_t) {
  const WithoutGil released;
  klip_connection_close(HandleOf<klip_connection>(self));
  return None();
}

// table(name)
Ref OpenTable(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> name;
  Keeper keeper;
  klip_table* table = nullptr;
  if (!CheckCount(count, 1) || !name.Read(arguments[0], &keeper) || !Run([&](klip_error** error) {
        return klip_table_open(HandleOf<klip_connection>(self), name.value, &table, error);
      })) {
    return Ref();
  }
  return WrapTable(table, self);
}

// loader(table)
Ref OpenLoader(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> table;
  Keeper keeper;
  klip_loader* loader = nullptr;
  if (!CheckCount(count, 1) || !table.Read(arguments[0], &keeper) || !Run([&](klip_error** error) {
        return klip_loader_open(HandleOf<klip_connection>(self), table.value, &loader, error);
      })) {
    return Ref();
  }
  return WrapLoader(loader, self);
}

// create_table(descriptor, split_keys)
Ref CreateTable(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> descriptor;
  Keeper keeper;
  if (!CheckCount(count, 2) || !descriptor.Read(arguments[0], &keeper)) {
    return Ref();
  }
  const std::optional<Items> splits = Items::Of(arguments[1]);
  if (!splits.has_value()) {
    return Ref();
  }
  std::vector<klip_bytes> keys(static_cast<size_t>(splits->size()));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keeper.Bytes((*splits)[static_cast<Py_ssize_t>(i)], &keys[i])) {
      return Ref();
    }
  }
  const bool ok = Run([&](klip_error** error) {
    return klip_create_table(HandleOf<klip_connection>(self), descriptor.value, keys.data(), keys.size(), error);
  });
  return ok ? None() : Ref();
}

// apply([(table, mutation or None, condition or None, row or None), ...], durability) -> bool
Ref Apply(PyObject* self, Arguments arguments, Py_ssize_t count) {
  int32_t durability = 0;
  if (!CheckCount(count, 2) || !ToInt(arguments[1], &durability)) {
    return Ref();
  }
  const std::optional<Items> items = Items::Of(arguments[0]);
  if (!items.has_value()) {
    return Ref();
  }
  Keeper keeper;
  std::vector<klip_step> steps(static_cast<size_t>(items->size()));
  std::deque<Mutations> mutations;
  std::deque<klip_condition> conditions;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::optional<Items> item = Items::Of((*items)[static_cast<Py_ssize_t>(i)]);
    klip_step& step = steps[i];
    std::memset(&step, 0, sizeof(step));
    if (!item.has_value() || !CheckCount(item->size(), 4) || !keeper.Bytes((*item)[0], &step.table)) {
      return Ref();
    }
    if ((*item)[1] != Py_None) {
      if (!mutations.emplace_back().Add((*item)[1], &keeper)) {
        return Ref();
      }
      step.mutation = mutations.back().data();
    }
    if ((*item)[2] != Py_None) {
      if (!ToCondition((*item)[2], &keeper, &conditions.emplace_back()) || !keeper.Bytes((*item)[3], &step.row)) {
        return Ref();
      }
      step.condition = &conditions.back();
    }
  }
  int met = 0;
  const bool ok = Run([&](klip_error** error) {
    return klip_connection_apply(HandleOf<klip_connection>(self), steps.data(), steps.size(),
                                 static_cast<klip_durability>(durability), &met, error);
  });
  return ok ? Ref(PyBool_FromLong(met)) : Ref();
}

PyMethodDef connection_methods[] = {
    Define<Close>("close"),
    Define<OpenTable>("table"),
    Define<OpenLoader>("loader"),
    Define<CreateTable>("create_table"),
    Define<Apply>("apply"),
    Define<OpenSql>("sql"),
    Define<BeginTransaction>("begin"),
    DefineFrom<klip_describe_table>("describe_table"),
    DefineFrom<klip_modify_table>("modify_table"),
    DefineFrom<klip_add_family>("add_family"),
    DefineFrom<klip_modify_family>("modify_family"),
    DefineFrom<klip_delete_family>("delete_family"),
    DefineFrom<klip_list_tables>("list_tables"),
    DefineFrom<klip_table_exists>("table_exists"),
    DefineFrom<klip_is_table_enabled>("is_table_enabled"),
    DefineFrom<klip_enable_table>("enable_table"),
    DefineFrom<klip_disable_table>("disable_table"),
    DefineFrom<klip_delete_table>("delete_table"),
    DefineFrom<klip_truncate_table>("truncate_table"),
    DefineFrom<klip_create_namespace>("create_namespace"),
    DefineFrom<klip_delete_namespace>("delete_namespace"),
    DefineFrom<klip_list_namespaces>("list_namespaces"),
    DefineFrom<klip_flush>("flush"),
    DefineFrom<klip_compact>("compact"),
    DefineFrom<klip_metrics>("metrics"),
    DefineFrom<klip_cluster_metrics>("cluster_metrics"),
    DefineFrom<klip_list_regions>("list_regions"),
    DefineFrom<klip_split_table>("split_table"),
    DefineFrom<klip_merge_regions>("merge_regions"),
    DefineFrom<klip_snapshot>("snapshot"),
    DefineFrom<klip_list_snapshots>("list_snapshots"),
    DefineFrom<klip_delete_snapshot>("delete_snapshot"),
    DefineFrom<klip_clone_snapshot>("clone_snapshot"),
    DefineFrom<klip_restore_snapshot>("restore_snapshot"),
    {},
};

}  // namespace

bool AddConnectionType(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc,
       reinterpret_cast<void*>(&Deallocate<klip_connection, Free<klip_connection, klip_connection_free>>)},
      {Py_tp_methods, connection_methods},
      {}};
  connection_type = MakeType(module, "klip._klip.Connection", sizeof(Object<klip_connection>), slots);
  return connection_type != nullptr;
}

Ref WrapConnection(klip_connection* handle) {
  return Wrap<klip_connection, Free<klip_connection, klip_connection_free>>(connection_type, handle, nullptr);
}

}  // namespace klip_python
