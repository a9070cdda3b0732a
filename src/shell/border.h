// The border between Ruby and C++: native methods and objects.
#pragma once

#include <span>
#include <utility>

#include "klip/status.h"
#include "shell/blocking.h"
#include "shell/ruby_api.h"

namespace klip::shell {

// The result of a native method: a value, or an error, which is raised as Klip::Error once all C++ objects are destroyed.
using Answer = Expected<VALUE>;
using Arguments = std::span<const VALUE>;

// Raises the error, or the exception that interrupted Blocking.
[[noreturn]] void Raise(VALUE error, int jump);

// A Klip::Error of this status, with its code and Java class.
VALUE NewError(const Status& status);

void DefineErrors(VALUE module);

template <Answer (*kFunction)(VALUE self, Arguments args), int kArguments>
VALUE Border(int argc, VALUE* argv, VALUE self) {
  rb_check_arity(argc, kArguments, kArguments);
  VALUE value = Qnil;
  VALUE error = Qnil;
  {
    Answer answer = kFunction(self, Arguments(argv, static_cast<size_t>(argc)));
    if (answer.ok()) {
      value = *answer;
    } else {
      error = NewError(answer.status());
    }
  }
  if (!NIL_P(error)) {
    Raise(error, TakePendingJump());
  }
  return value;
}

template <Answer (*kFunction)(VALUE self, Arguments args), int kArguments>
void DefineMethod(VALUE klass, const char* name) {
  rb_define_method(klass, name, RUBY_METHOD_FUNC((Border<kFunction, kArguments>)), -1);
}

template <Answer (*kFunction)(VALUE self, Arguments args), int kArguments>
void DefineSingletonMethod(VALUE klass, const char* name) {
  rb_define_singleton_method(klass, name, RUBY_METHOD_FUNC((Border<kFunction, kArguments>)), -1);
}

// A C++ object owned by Ruby: created by Wrap, deleted when Ruby collects it. T has a `static constexpr const char*
// kName`.
template <typename T>
struct Wrapped {
  static void Free(void* object) { delete static_cast<T*>(object); }

  static inline const rb_data_type_t kType = {
      T::kName, {nullptr, Free, nullptr, nullptr, {nullptr}}, nullptr, nullptr, RUBY_TYPED_FREE_IMMEDIATELY};

  static VALUE Wrap(VALUE klass, T object) {
    return rb_data_typed_object_wrap(klass, new T(std::move(object)), &kType);
  }

  // REQUIRES: Wrap created `self`. That is true for the receiver of T's methods, since its class has no allocator.
  static T& Of(VALUE self) { return *static_cast<T*>(RTYPEDDATA_DATA(self)); }

  static bool Is(VALUE value) { return rb_typeddata_is_kind_of(value, &kType) != 0; }
};

}  // namespace klip::shell
