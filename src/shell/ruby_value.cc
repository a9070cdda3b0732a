#include "shell/ruby_value.h"

#include <utility>

namespace klip::shell {
namespace {

Status WrongType(std::string_view what, const char* wanted) {
  return {Code::kInvalidArgument, std::string(what) + " must be " + wanted};
}

std::string_view View(VALUE string) { return {RSTRING_PTR(string), static_cast<size_t>(RSTRING_LEN(string))}; }

struct MapReader {
  std::map<std::string, std::string> map;
  bool ok = true;

  static int Add(VALUE key, VALUE value, VALUE data) {
    auto* reader = reinterpret_cast<MapReader*>(data);
    if (!RB_TYPE_P(key, T_STRING) || !RB_TYPE_P(value, T_STRING)) {
      reader->ok = false;
      return ST_STOP;
    }
    reader->map.insert_or_assign(std::string(View(key)), std::string(View(value)));
    return ST_CONTINUE;
  }
};

}  // namespace

Expected<std::string> ToBytes(VALUE value, std::string_view what) {
  if (!RB_TYPE_P(value, T_STRING)) {
    return WrongType(what, "a String");
  }
  return std::string(View(value));
}

Expected<int64_t> ToInt(VALUE value, std::string_view what) {
  int64_t number = 0;
  if (!RB_INTEGER_TYPE_P(value)) {
    return WrongType(what, "an Integer");
  }
  int sign = rb_integer_pack(value, &number, 1, sizeof(number), 0, INTEGER_PACK_NATIVE_BYTE_ORDER | INTEGER_PACK_2COMP);
  // -2 and 2: more bits than requested. A positive number may also have come out negative.
  if (sign == 2 || sign == -2 || (sign > 0 && number < 0) || (sign < 0 && number >= 0)) {
    return WrongType(what, "an Integer of 64 bits");
  }
  return number;
}

Expected<std::vector<std::string>> ToByteList(VALUE value, std::string_view what) {
  if (!RB_TYPE_P(value, T_ARRAY)) {
    return WrongType(what, "an Array");
  }
  std::vector<std::string> list;
  for (long i = 0; i < RARRAY_LEN(value); ++i) {
    KLIP_ASSIGN_OR_RETURN(std::string bytes, ToBytes(RARRAY_AREF(value, i), what));
    list.push_back(std::move(bytes));
  }
  return list;
}

Expected<std::map<std::string, std::string>> ToTextMap(VALUE value, std::string_view what) {
  if (!RB_TYPE_P(value, T_HASH)) {
    return WrongType(what, "a Hash");
  }
  MapReader reader;
  rb_hash_foreach(value, MapReader::Add, reinterpret_cast<VALUE>(&reader));
  if (!reader.ok) {
    return WrongType(what, "a Hash of Strings");
  }
  return std::move(reader.map);
}

Expected<ColumnSpec> ToColumn(VALUE value) {
  if (!RB_TYPE_P(value, T_ARRAY) || RARRAY_LEN(value) != 2) {
    return WrongType("a column", "[family, qualifier]");
  }
  ColumnSpec column;
  KLIP_ASSIGN_OR_RETURN(column.family, ToBytes(RARRAY_AREF(value, 0), "a family"));
  VALUE qualifier = RARRAY_AREF(value, 1);
  if (!NIL_P(qualifier)) {
    KLIP_ASSIGN_OR_RETURN(column.qualifier, ToBytes(qualifier, "a qualifier"));
  }
  return column;
}

VALUE FromBytes(std::string_view bytes) { return rb_str_new(bytes.data(), static_cast<long>(bytes.size())); }
VALUE FromText(std::string_view text) { return rb_utf8_str_new(text.data(), static_cast<long>(text.size())); }
VALUE FromInt(int64_t value) { return LL2NUM(value); }

VALUE FromTextMap(const std::map<std::string, std::string>& map) {
  VALUE hash = rb_hash_new();
  for (const auto& [key, value] : map) {
    rb_hash_aset(hash, FromText(key), FromText(value));
  }
  return hash;
}

VALUE Symbol(const char* name) { return ID2SYM(rb_intern(name)); }

HashReader::HashReader(VALUE hash, std::string_view what) : hash_(hash), what_(what) {
  if (!RB_TYPE_P(hash, T_HASH)) {
    status_ = WrongType(what, "a Hash");
  }
}

VALUE HashReader::At(const char* key) const {
  return RB_TYPE_P(hash_, T_HASH) ? rb_hash_lookup2(hash_, Symbol(key), Qnil) : Qnil;
}

void HashReader::Fail(Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
  }
}

void HashReader::Read(const char* key, std::string* value) {
  if (VALUE given = At(key); !NIL_P(given)) {
    Expected<std::string> bytes = ToBytes(given, what_ + " " + key);
    bytes.ok() ? void(*value = *std::move(bytes)) : Fail(bytes.status());
  }
}

void HashReader::Read(const char* key, int64_t* value) {
  if (VALUE given = At(key); !NIL_P(given)) {
    Expected<int64_t> number = ToInt(given, what_ + " " + key);
    number.ok() ? void(*value = *number) : Fail(number.status());
  }
}

void HashReader::Read(const char* key, int32_t* value) {
  int64_t wide = *value;
  Read(key, &wide);
  if (!std::in_range<int32_t>(wide)) {
    Fail(WrongType(what_ + " " + key, "an Integer of 32 bits"));
    return;
  }
  *value = static_cast<int32_t>(wide);
}

void HashReader::Read(const char* key, bool* value) {
  if (VALUE given = At(key); !NIL_P(given)) {
    *value = ToFlag(given);
  }
}

void HashReader::Read(const char* key, TimeRange* value) {
  VALUE given = At(key);
  if (NIL_P(given)) {
    return;
  }
  if (!RB_TYPE_P(given, T_ARRAY) || RARRAY_LEN(given) != 2) {
    Fail(WrongType(what_ + " " + key, "[min, max]"));
    return;
  }
  Expected<int64_t> min = ToInt(RARRAY_AREF(given, 0), what_ + " " + key);
  Expected<int64_t> max = ToInt(RARRAY_AREF(given, 1), what_ + " " + key);
  if (!min.ok() || !max.ok()) {
    Fail(min.ok() ? max.status() : min.status());
    return;
  }
  *value = {*min, *max};
}

void HashReader::Read(const char* key, std::vector<ColumnSpec>* value) {
  VALUE given = At(key);
  if (NIL_P(given)) {
    return;
  }
  if (!RB_TYPE_P(given, T_ARRAY)) {
    Fail(WrongType(what_ + " " + key, "an Array"));
    return;
  }
  for (long i = 0; i < RARRAY_LEN(given); ++i) {
    Expected<ColumnSpec> column = ToColumn(RARRAY_AREF(given, i));
    if (!column.ok()) {
      Fail(column.status());
      return;
    }
    value->push_back(*std::move(column));
  }
}

void HashReader::Read(const char* key, std::map<std::string, std::string>* value) {
  if (VALUE given = At(key); !NIL_P(given)) {
    auto map = ToTextMap(given, what_ + " " + key);
    map.ok() ? void(*value = *std::move(map)) : Fail(map.status());
  }
}

}  // namespace klip::shell
