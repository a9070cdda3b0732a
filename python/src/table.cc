// Tables and loaders: gets and writes.
#include "arrow.h"
#include "objects.h"
#include "rows.h"

namespace klip_python {
namespace {

PyTypeObject* table_type = nullptr;
PyTypeObject* loader_type = nullptr;

// Rows that a call brought, freed with it.
struct Rows {
  ~Rows() { klip_rows_free(rows); }
  klip_rows* rows = nullptr;
};

// get(form, row, read, existence_only) -> row, or bool
Ref Get(PyObject* self, Arguments arguments, Py_ssize_t count) {
  RowForm form;
  Keeper keeper;
  ReadArguments read;
  klip_get get = klip_get_default({nullptr, 0});
  if (!CheckCount(count, 4) || !ToForm(arguments[0], &form) || !keeper.Bytes(arguments[1], &get.row) ||
      (arguments[2] != Py_None && !read.Fill(arguments[2], &keeper, &get)) ||
      !ToFlag(arguments[3], &get.existence_only)) {
    return Ref();
  }
  Rows got;
  if (!Run([&](klip_error** error) { return klip_table_get(HandleOf<klip_table>(self), &get, &got.rows, error); })) {
    return Ref();
  }
  return get.existence_only != 0 ? Ref(PyBool_FromLong(klip_rows_get(got.rows, 0)->exists))
                                 : RowMaker(form).MakeOne(got.rows);
}

// multi_get(form, rows, read) -> [row, ...]
Ref MultiGet(PyObject* self, Arguments arguments, Py_ssize_t count) {
  RowForm form;
  Keeper keeper;
  ReadArguments read;
  klip_get common = klip_get_default({nullptr, 0});
  if (!CheckCount(count, 3) || !ToForm(arguments[0], &form) ||
      (arguments[2] != Py_None && !read.Fill(arguments[2], &keeper, &common))) {
    return Ref();
  }
  const std::optional<Items> items = Items::Of(arguments[1]);
  if (!items.has_value()) {
    return Ref();
  }
  std::vector<klip_get> gets(static_cast<size_t>(items->size()), common);
  for (size_t i = 0; i < gets.size(); ++i) {
    if (!keeper.Bytes((*items)[static_cast<Py_ssize_t>(i)], &gets[i].row)) {
      return Ref();
    }
  }
  Rows got;
  if (!Run([&](klip_error** error) {
        return klip_table_multi_get(HandleOf<klip_table>(self), gets.data(), gets.size(), &got.rows, error);
      })) {
    return Ref();
  }
  return RowMaker(form).MakeAll(got.rows);
}

// edge_row(form, last) -> (key, row) or None
Ref EdgeRow(PyObject* self, Arguments arguments, Py_ssize_t count) {
  RowForm form;
  int last = 0;
  Rows got;
  if (!CheckCount(count, 2) || !ToForm(arguments[0], &form) || !ToFlag(arguments[1], &last) ||
      !Run([&](klip_error** error) {
        return klip_table_edge_row(HandleOf<klip_table>(self), last, &got.rows, error);
      })) {
    return Ref();
  }
  const klip_row* row = klip_rows_get(got.rows, 0);
  if (row->cell_count == 0) {
    return None();
  }
  const Ref key = FromBytes(row->cells[0].row);
  const Ref made = RowMaker(form).Make(got.rows, 0);
  return key && made ? Ref(PyTuple_Pack(2, key.get(), made.get())) : Ref();
}

// mutate(form, mutations, one) -> row of the cells that increments and appends made; None when there is none
Ref Mutate(PyObject* self, Arguments arguments, Py_ssize_t count) {
  RowForm form;
  Keeper keeper;
  Mutations mutations;
  Rows got;
  if (!CheckCount(count, 2) || !ToForm(arguments[0], &form) || !mutations.AddAll(arguments[1], &keeper) ||
      !Run([&](klip_error** error) {
        return mutations.size() == 1 ? klip_table_mutate(HandleOf<klip_table>(self), mutations.data(), &got.rows, error)
                                     : klip_table_mutate_row(HandleOf<klip_table>(self), mutations.data(),
                                                             mutations.size(), &got.rows, error);
      })) {
    return Ref();
  }
  return RowMaker(form).MakeOne(got.rows);
}

// put_all(puts)
Ref PutAll(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Keeper keeper;
  Mutations puts;
  const bool ok = CheckCount(count, 1) && puts.AddAll(arguments[0], &keeper) && Run([&](klip_error** error) {
                    return klip_table_put_all(HandleOf<klip_table>(self), puts.data(), puts.size(), error);
                  });
  return ok ? None() : Ref();
}

// check_and_mutate(row, condition, mutations) -> (met, row)
Ref CheckAndMutate(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Keeper keeper;
  klip_bytes row;
  klip_condition condition;
  Mutations mutations;
  Rows got;
  int met = 0;
  if (!CheckCount(count, 3) || !keeper.Bytes(arguments[0], &row) || !ToCondition(arguments[1], &keeper, &condition) ||
      !mutations.AddAll(arguments[2], &keeper) || !Run([&](klip_error** error) {
        return klip_table_check_and_mutate(HandleOf<klip_table>(self), row, &condition, mutations.data(),
                                           mutations.size(), &met, &got.rows, error);
      })) {
    return Ref();
  }
  const Ref made = RowMaker(RowForm::kValues).MakeOne(got.rows);
  return made ? Ref(PyTuple_Pack(2, met != 0 ? Py_True : Py_False, made.get())) : Ref();
}

// prepend(column, data, last_key, durability) -> key
Ref Prepend(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Keeper keeper;
  klip_column column;
  int64_t last_key = 0;
  Mutations put;
  if (!CheckCount(count, 4) || !keeper.Column(arguments[0], &column) || !ToInt(arguments[2], &last_key)) {
    return Ref();
  }
  klip_prepend prepend = klip_prepend_default(column.family, column.qualifier);
  const Ref tuple(Py_BuildValue("(isOOiOi)", KLIP_PUT, "", arguments[1], Py_None, 0, arguments[3], 0));
  if (!tuple || !put.Add(tuple.get(), &keeper) || !ToInt(arguments[3], &prepend.durability)) {
    return Ref();
  }
  prepend.last_key = static_cast<uint64_t>(last_key);
  prepend.columns = put.data()->changes;
  prepend.column_count = put.data()->change_count;
  uint64_t key = 0;
  const bool ok =
      Run([&](klip_error** error) { return klip_table_prepend(HandleOf<klip_table>(self), &prepend, &key, error); });
  return ok ? Ref(PyLong_FromUnsignedLongLong(key)) : Ref();
}

// batch(form, [mutation, ...]) -> [row or exception, ...]
Ref Batch(PyObject* self, Arguments arguments, Py_ssize_t count) {
  RowForm form;
  Keeper keeper;
  Mutations mutations;
  Rows got;
  if (!CheckCount(count, 2) || !ToForm(arguments[0], &form) || !mutations.AddAll(arguments[1], &keeper)) {
    return Ref();
  }
  std::vector<klip_action> actions(mutations.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    std::memset(&actions[i], 0, sizeof(klip_action));
    actions[i].mutations = mutations.data() + i;
    actions[i].mutation_count = 1;
  }
  if (!Run([&](klip_error** error) {
        return klip_table_batch(HandleOf<klip_table>(self), actions.data(), actions.size(), &got.rows, error);
      })) {
    return Ref();
  }
  return RowMaker(form).MakeAll(got.rows);
}

// schema() -> Schema or None
Ref TableSchema(PyObject* self, Arguments, Py_ssize_t) {
  klip_schema* schema = nullptr;
  if (!Run([&](klip_error** error) { return klip_table_schema(HandleOf<klip_table>(self), &schema, error); })) {
    return Ref();
  }
  return schema == nullptr ? None() : WrapSchema(schema);
}

PyMethodDef table_methods[] = {
    Define<Get>("get"),
    Define<MultiGet>("multi_get"),
    Define<EdgeRow>("edge_row"),
    Define<Scan>("scan"),
    Define<CountRows>("count"),
    Define<ExplainScan>("explain"),
    Define<ScanArrow>("scan_arrow"),
    Define<WriteArrow>("write_arrow"),
    Define<Mutate>("mutate"),
    Define<PutAll>("put_all"),
    Define<CheckAndMutate>("check_and_mutate"),
    Define<Batch>("batch"),
    Define<Prepend>("prepend"),
    Define<TableSchema>("schema"),
    DefineFrom<klip_table_statistics>("statistics"),
    DefineFrom<klip_table_distinct_keys>("distinct_keys"),
    {},
};

// add(puts)
Ref AddToLoader(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Keeper keeper;
  Mutations puts;
  const bool ok = CheckCount(count, 1) && puts.AddAll(arguments[0], &keeper) && Run([&](klip_error** error) {
                    return klip_loader_add(HandleOf<klip_loader>(self), puts.data(), puts.size(), error);
                  });
  return ok ? None() : Ref();
}

PyMethodDef loader_methods[] = {
    Define<AddToLoader>("add"),
    DefineFrom<klip_loader_finish>("finish"),
    {},
};

}  // namespace

bool AddTableType(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<klip_table, Free<klip_table, klip_table_free>>)},
      {Py_tp_methods, table_methods},
      {}};
  table_type = MakeType(module, "klip._klip.Table", sizeof(Object<klip_table>), slots);
  return table_type != nullptr;
}

bool AddLoaderType(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<klip_loader, Free<klip_loader, klip_loader_free>>)},
      {Py_tp_methods, loader_methods},
      {}};
  loader_type = MakeType(module, "klip._klip.Loader", sizeof(Object<klip_loader>), slots);
  return loader_type != nullptr;
}

Ref WrapTable(klip_table* handle, PyObject* parent) {
  return Wrap<klip_table, Free<klip_table, klip_table_free>>(table_type, handle, parent);
}

Ref WrapLoader(klip_loader* handle, PyObject* parent) {
  return Wrap<klip_loader, Free<klip_loader, klip_loader_free>>(loader_type, handle, parent);
}

}  // namespace klip_python
