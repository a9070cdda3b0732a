// Transactions: their tables, savepoints, commit and rollback.
#include "objects.h"

namespace klip_python {
namespace {

PyTypeObject* transaction_type = nullptr;

// table(name)
Ref OpenTableInside(PyObject* self, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> name;
  Keeper keeper;
  klip_table* table = nullptr;
  if (!CheckCount(count, 1) || !name.Read(arguments[0], &keeper) || !Run([&](klip_error** error) {
        return klip_transaction_table(HandleOf<klip_transaction>(self), name.value, &table, error);
      })) {
    return Ref();
  }
  return WrapTable(table, self);
}

// savepoint() -> int
Ref Savepoint(PyObject* self, Arguments, Py_ssize_t count) {
  int64_t savepoint = 0;
  if (!CheckCount(count, 0) || !Run([&](klip_error** error) {
        return klip_transaction_savepoint(HandleOf<klip_transaction>(self), &savepoint, error);
      })) {
    return Ref();
  }
  return Ref(PyLong_FromLongLong(savepoint));
}

// rollback_to(savepoint)
Ref RollbackTo(PyObject* self, Arguments arguments, Py_ssize_t count) {
  int64_t savepoint = 0;
  if (!CheckCount(count, 1) || !ToInt(arguments[0], &savepoint) || !Run([&](klip_error** error) {
        return klip_transaction_rollback_to(HandleOf<klip_transaction>(self), savepoint, error);
      })) {
    return Ref();
  }
  return None();
}

PyMethodDef transaction_methods[] = {
    Define<OpenTableInside>("table"),
    Define<Savepoint>("savepoint"),
    Define<RollbackTo>("rollback_to"),
    DefineFrom<klip_transaction_commit>("commit"),
    DefineFrom<klip_transaction_rollback>("rollback"),
    {},
};

}  // namespace

bool AddTransactionType(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc,
       reinterpret_cast<void*>(&Deallocate<klip_transaction, Free<klip_transaction, klip_transaction_free>>)},
      {Py_tp_methods, transaction_methods},
      {}};
  transaction_type = MakeType(module, "klip._klip.Transaction", sizeof(Object<klip_transaction>), slots);
  return transaction_type != nullptr;
}

Ref BeginTransaction(PyObject* self, Arguments arguments, Py_ssize_t count) {
  klip_transaction_options options = klip_transaction_options_default();
  klip_transaction* transaction = nullptr;
  if (!CheckCount(count, 3) || !ToFlag(arguments[0], &options.serializable) ||
      !ToInt(arguments[1], options.max_age_ms, &options.max_age_ms) ||
      !ToInt(arguments[2], options.max_bytes, &options.max_bytes) || !Run([&](klip_error** error) {
        return klip_transaction_begin(HandleOf<klip_connection>(self), &options, &transaction, error);
      })) {
    return Ref();
  }
  return Wrap<klip_transaction, Free<klip_transaction, klip_transaction_free>>(transaction_type, transaction, self);
}

}  // namespace klip_python
