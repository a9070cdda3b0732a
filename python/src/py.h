// Python's C interface for C++: references that count themselves, and the frame of a method. Limited API of 3.10, so that one build
// runs on every later Python.
//
// Convention: functions that return a Ref or bool have set a Python exception when that is empty or false.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <string_view>
#include <utility>

#include <Python.h>

#include "klip/klip.h"

namespace klip_python {

class Ref {
 public:
  Ref() = default;
  // Takes over a new reference, as most of Python's functions return them.
  explicit Ref(PyObject* owned) : object_(owned) {}
  static Ref Borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

inline Ref None() { return Ref::Borrowed(Py_None); }
inline Ref FromBytes(klip_bytes bytes) {
  return Ref(PyBytes_FromStringAndSize(bytes.data, static_cast<Py_ssize_t>(bytes.size)));
}

// While it lives, other Python threads run.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// Sets the Python exception of a klip_error (klip/errors.py), and frees it. Always false.
bool Raise(klip_error* error);

// Runs `call(&error)`, a call of klip.h, while other threads run.
template <typename Call>
bool Run(Call call) {
  klip_error* error = nullptr;
  klip_code code;
  {
    const WithoutGil released;
    code = call(&error);
  }
  return code == KLIP_OK || Raise(error);
}

using Arguments = PyObject* const*;
using Method = Ref (*)(PyObject* self, Arguments arguments, Py_ssize_t count);

// Methods return a Ref; Python expects a pointer.
template <Method kMethod>
PyObject* Call(PyObject* self, Arguments arguments, Py_ssize_t count) {
  return kMethod(self, arguments, count).release();
}

template <Method kMethod>
constexpr PyMethodDef Define(const char* name) {
  // Python's own way to say which of its calling conventions a function has.
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Call<kMethod>)), METH_FASTCALL, nullptr};
}

// False, with a TypeError, unless there are that many.
bool CheckCount(Py_ssize_t count, Py_ssize_t wanted);

}  // namespace klip_python
