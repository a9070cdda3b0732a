#include "shell/border.h"

#include <string_view>

#include "base/errors.h"

namespace klip::shell {
namespace {

VALUE error_class = Qnil;

VALUE TextOf(std::string_view text) { return rb_utf8_str_new(text.data(), static_cast<long>(text.size())); }

}  // namespace

void DefineErrors(VALUE module) {
  error_class = rb_define_class_under(module, "Error", rb_eStandardError);
  rb_gc_register_mark_object(error_class);
  rb_define_attr(error_class, "code", 1, 0);        // "TableNotFound"
  rb_define_attr(error_class, "java_class", 1, 0);  // "org.apache.hadoop.hbase.TableNotFoundException"
}

VALUE NewError(const Status& status) {
  const base::ErrorInfo& info = base::InfoFor(status.code());
  VALUE error = rb_exc_new_str(error_class, TextOf(status.message()));
  rb_ivar_set(error, rb_intern("@code"), TextOf(info.name));
  rb_ivar_set(error, rb_intern("@java_class"), TextOf(info.java_class));
  return error;
}

void Raise(VALUE error, int jump) {
  if (jump != 0) {
    rb_jump_tag(jump);
  }
  rb_exc_raise(error);
}

}  // namespace klip::shell
