// Python objects around the handles of klip.h, and methods made from its functions by their types.
#pragma once

#include <cstring>
#include <tuple>
#include <utility>

#include "arguments.h"
#include "py.h"

namespace klip_python {

// A Python object that owns a handle, and keeps the object alive that the handle came from.
template <typename Handle>
struct Object {
  PyObject_HEAD;
  Handle* handle;
  PyObject* parent;
};

template <typename Handle>
Handle* HandleOf(PyObject* self) {
  return reinterpret_cast<Object<Handle>*>(self)->handle;
}

// A free function of klip.h, which may wait for threads that want the GIL.
template <typename Handle, void (*kFree)(Handle*)>
void Free(Handle* handle) {
  const WithoutGil released;
  kFree(handle);
}

template <typename Handle, void (*kFree)(Handle*)>
void Deallocate(PyObject* self) {
  auto* object = reinterpret_cast<Object<Handle>*>(self);
  kFree(object->handle);
  Py_XDECREF(object->parent);
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// The object of a new handle.
template <typename Handle, void (*kFree)(Handle*)>
Ref Wrap(PyTypeObject* type, Handle* handle, PyObject* parent) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Ref made(allocate(type, 0));
  if (!made) {
    kFree(handle);
    return made;
  }
  auto* object = reinterpret_cast<Object<Handle>*>(made.get());
  object->handle = handle;
  object->parent = parent;
  Py_XINCREF(parent);
  return made;
}

// A type that only klip makes objects of. Each is made once.
PyTypeObject* MakeType(PyObject* module, const char* name, size_t size, PyType_Slot* slots);

// --- Methods from functions ---

// An argument of a function of klip.h: read from Python, or returned to it.
template <typename T>
struct Argument;

template <>
struct Argument<const char*> {
  static constexpr bool kIsInput = true;
  static constexpr bool kIsOutput = false;
  const char* value = nullptr;
  bool Read(PyObject* object, Keeper* keeper) {
    klip_bytes text = {nullptr, 0};
    if (object == Py_None) {
      return true;
    }
    if (!PyUnicode_Check(object)) {
      PyErr_Format(PyExc_TypeError, "expected str, not %R", Py_TYPE(object));
      return false;
    }
    if (!keeper->Bytes(object, &text)) {
      return false;
    }
    if (std::strlen(text.data) != text.size) {
      PyErr_SetString(PyExc_ValueError, "a name with a zero character");
      return false;
    }
    value = text.data;
    return true;
  }
  const char* Pass() { return value; }
};

template <>
struct Argument<int> {
  static constexpr bool kIsInput = true;
  static constexpr bool kIsOutput = false;
  int value = 0;
  bool Read(PyObject* object, Keeper*) { return ToInt(object, &value); }
  int Pass() { return value; }
};

template <>
struct Argument<klip_bytes> {
  static constexpr bool kIsInput = true;
  static constexpr bool kIsOutput = false;
  klip_bytes value = {nullptr, 0};
  bool Read(PyObject* object, Keeper* keeper) { return keeper->Bytes(object, &value); }
  klip_bytes Pass() { return value; }
};

template <>
struct Argument<char**> {
  static constexpr bool kIsInput = false;
  static constexpr bool kIsOutput = true;
  char* value = nullptr;
  char** Pass() { return &value; }
  Ref Give() {
    Ref text(PyUnicode_DecodeUTF8(value, static_cast<Py_ssize_t>(std::strlen(value)), "surrogateescape"));
    klip_free(value);
    return text;
  }
};

template <>
struct Argument<int*> {
  static constexpr bool kIsInput = false;
  static constexpr bool kIsOutput = true;
  int value = 0;
  int* Pass() { return &value; }
  Ref Give() { return Ref(PyBool_FromLong(value)); }
};

template <>
struct Argument<klip_list**> {
  static constexpr bool kIsInput = false;
  static constexpr bool kIsOutput = true;
  klip_list* value = nullptr;
  klip_list** Pass() { return &value; }
  Ref Give() {
    const size_t size = klip_list_size(value);
    Ref list(PyList_New(static_cast<Py_ssize_t>(size)));
    for (size_t i = 0; list && i < size; ++i) {
      const klip_bytes item = klip_list_get(value, i);
      PyObject* text = PyUnicode_DecodeUTF8(item.data, static_cast<Py_ssize_t>(item.size), "surrogateescape");
      if (text == nullptr) {
        list = Ref();
      } else {
        PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), text);
      }
    }
    klip_list_free(value);
    return list;
  }
};

template <>
struct Argument<klip_error**> {
  static constexpr bool kIsInput = false;
  static constexpr bool kIsOutput = false;
  klip_error** value = nullptr;
  klip_error** Pass() { return value; }
};

// The method of a function `klip_code f(Handle*, A...)` whose last argument is a klip_error**.
template <auto kFunction>
struct MethodOf;

template <typename Handle, typename... A, klip_code (*kFunction)(Handle*, A...)>
struct MethodOf<kFunction> {
  static Ref Call(PyObject* self, Arguments arguments, Py_ssize_t count) {
    std::tuple<Argument<A>...> all;
    Keeper keeper;
    Py_ssize_t next = 0;
    const auto read = [&](auto& one) {
      if constexpr (std::remove_reference_t<decltype(one)>::kIsInput) {
        return one.Read(arguments[next++], &keeper);
      } else {
        return true;
      }
    };
    if (!CheckCount(count, (Py_ssize_t{Argument<A>::kIsInput} + ...)) ||
        !std::apply([&](auto&... one) { return (read(one) && ...); }, all)) {
      return Ref();
    }
    const bool ok = Run([&](klip_error** error) {
      std::get<Argument<klip_error**>>(all).value = error;
      return std::apply(
          [&](auto&... one) { return kFunction(HandleOf<std::remove_const_t<Handle>>(self), one.Pass()...); }, all);
    });
    if (!ok) {
      return Ref();
    }
    Ref result = None();
    const auto give = [&](auto& one) {
      if constexpr (std::remove_reference_t<decltype(one)>::kIsOutput) {
        result = one.Give();
      }
    };
    std::apply([&](auto&... one) { (give(one), ...); }, all);
    return result;
  }
};

template <auto kFunction>
constexpr PyMethodDef DefineFrom(const char* name) {
  return Define<&MethodOf<kFunction>::Call>(name);
}

}  // namespace klip_python
