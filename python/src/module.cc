// The module klip._klip: klip's C interface as plain Python objects. The package around it (klip/*.py) is what people use.
#include "objects.h"
#include "rows.h"

namespace klip_python {
namespace {

// connect(uri, create_if_missing, sync_wal, block_cache_bytes, memtable_bytes, rpc_timeout_ms, operation_timeout_ms): None leaves
// klip's default.
Ref Connect(PyObject*, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> uri;
  Keeper keeper;
  klip_options options = klip_options_default();
  klip_connection* connection = nullptr;
  if (!CheckCount(count, 7) || !uri.Read(arguments[0], &keeper) || !ToFlag(arguments[1], &options.create_if_missing) ||
      !ToFlag(arguments[2], &options.sync_wal) ||
      !ToInt(arguments[3], options.block_cache_bytes, &options.block_cache_bytes) ||
      !ToInt(arguments[4], options.memtable_bytes, &options.memtable_bytes) ||
      !ToInt(arguments[5], options.rpc_timeout_ms, &options.rpc_timeout_ms) ||
      !ToInt(arguments[6], options.operation_timeout_ms, &options.operation_timeout_ms) ||
      !Run([&](klip_error** error) { return klip_connection_open(uri.value, &options, &connection, error); })) {
    return Ref();
  }
  return WrapConnection(connection);
}

// schema(text)
Ref ParseSchema(PyObject*, Arguments arguments, Py_ssize_t count) {
  Argument<const char*> text;
  Keeper keeper;
  klip_schema* schema = nullptr;
  if (!CheckCount(count, 1) || !text.Read(arguments[0], &keeper) ||
      !Run([&](klip_error** error) { return klip_schema_parse(text.value, &schema, error); })) {
    return Ref();
  }
  return WrapSchema(schema);
}

// code_name(number) -> str or None
Ref CodeName(PyObject*, Arguments arguments, Py_ssize_t count) {
  int32_t number = 0;
  if (!CheckCount(count, 1) || !ToInt(arguments[0], &number)) {
    return Ref();
  }
  const char* name = klip_code_name(number);
  return name == nullptr ? None() : Ref(PyUnicode_FromString(name));
}

// to_string_binary(bytes) -> str
Ref ToStringBinary(PyObject*, Arguments arguments, Py_ssize_t count) {
  Keeper keeper;
  klip_bytes bytes;
  if (!CheckCount(count, 1) || !keeper.Bytes(arguments[0], &bytes)) {
    return Ref();
  }
  char* text = klip_to_string_binary(bytes);
  Ref made(PyUnicode_FromString(text));
  klip_free(text);
  return made;
}

// from_string_binary(text) -> bytes
Ref FromStringBinary(PyObject*, Arguments arguments, Py_ssize_t count) {
  Keeper keeper;
  Argument<const char*> text;
  if (!CheckCount(count, 1) || !text.Read(arguments[0], &keeper)) {
    return Ref();
  }
  klip_bytes bytes;
  char* data = klip_from_string_binary(text.value, &bytes.size);
  bytes.data = data;
  Ref made = FromBytes(bytes);
  klip_free(data);
  return made;
}

PyMethodDef functions[] = {
    Define<Connect>("connect"),
    Define<ParseSchema>("schema"),
    Define<CodeName>("code_name"),
    Define<ToStringBinary>("to_string_binary"),
    Define<FromStringBinary>("from_string_binary"),
    {},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "klip._klip", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyTypeObject* MakeType(PyObject* module, const char* name, size_t size, PyType_Slot* slots) {
  PyType_Spec spec = {name, static_cast<int>(size), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  Ref type(PyType_FromSpec(&spec));
  const char* dot = std::strrchr(name, '.');
  if (!type || PyModule_AddObjectRef(module, dot + 1, type.get()) != 0) {
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject*>(type.release());
}

}  // namespace klip_python

PyMODINIT_FUNC PyInit__klip() {
  using namespace klip_python;
  const int version = klip_abi_version();
  if (version / 1000 != KLIP_ABI_MAJOR || version % 1000 < KLIP_ABI_MINOR) {
    return PyErr_Format(PyExc_ImportError, "libklip.so has the interface %d, and this module needs %d.%d", version,
                        KLIP_ABI_MAJOR, KLIP_ABI_MINOR);
  }
  Ref module(PyModule_Create(&definition));
  if (!module || PyModule_AddStringConstant(module.get(), "version", klip_version()) != 0 ||
      !AddCellType(module.get()) || !AddConnectionType(module.get()) || !AddTableType(module.get()) ||
      !AddScannerType(module.get()) || !AddLoaderType(module.get()) || !AddSchemaType(module.get()) ||
      !AddSqlTypes(module.get()) || !AddTransactionType(module.get())) {
    return nullptr;
  }
  return module.release();
}
