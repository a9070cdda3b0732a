// Row-key schemas.
#include "objects.h"

namespace klip_python {
namespace {

PyTypeObject* schema_type = nullptr;

// encode(values) -> bytes
Ref Encode(PyObject* self, Arguments arguments, Py_ssize_t count) {
  if (!CheckCount(count, 1)) {
    return Ref();
  }
  const std::optional<Items> items = Items::Of(arguments[0]);
  if (!items.has_value()) {
    return Ref();
  }
  Keeper keeper;
  std::vector<klip_bytes> values(static_cast<size_t>(items->size()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (!keeper.Bytes((*items)[static_cast<Py_ssize_t>(i)], &values[i])) {
      return Ref();
    }
  }
  char* row = nullptr;
  klip_bytes key = {nullptr, 0};
  if (!Run([&](klip_error** error) {
        return klip_schema_encode(HandleOf<klip_schema>(self), values.data(), values.size(), &row, &key.size, error);
      })) {
    return Ref();
  }
  key.data = row;
  Ref bytes = FromBytes(key);
  klip_free(row);
  return bytes;
}

Ref Text(PyObject* self, Arguments, Py_ssize_t) {
  return Ref(PyUnicode_FromString(klip_schema_text(HandleOf<klip_schema>(self))));
}

PyMethodDef schema_methods[] = {
    Define<Encode>("encode"),
    Define<Text>("text"),
    DefineFrom<klip_schema_fields>("fields"),
    DefineFrom<klip_schema_decode>("decode"),
    DefineFrom<klip_schema_check_query>("check_query"),
    {},
};

}  // namespace

bool AddSchemaType(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&Deallocate<klip_schema, Free<klip_schema, klip_schema_free>>)},
      {Py_tp_methods, schema_methods},
      {}};
  schema_type = MakeType(module, "klip._klip.Schema", sizeof(Object<klip_schema>), slots);
  return schema_type != nullptr;
}

Ref WrapSchema(klip_schema* handle) {
  return Wrap<klip_schema, Free<klip_schema, klip_schema_free>>(schema_type, handle, nullptr);
}

}  // namespace klip_python
