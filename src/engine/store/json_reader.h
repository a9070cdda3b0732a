// Reads and writes JSON files of the store: bytes as text, and every field's type checked, since it comes from disk.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "klip/bytes.h"
#include "klip/status.h"

namespace klip::engine {

using Json = nlohmann::json;

// Any bytes, in HBase's notation.
inline std::string Text(std::string_view bytes) { return ToStringBinary(bytes); }

// Reads the fields of one object. *status keeps the first error; later reads return defaults.
class JsonReader {
 public:
  JsonReader(const Json& value, std::string path, Status* status)
      : value_(value), path_(std::move(path)), status_(status) {
    if (!value_.is_object()) {
      Fail("", "an object");
    }
  }

  std::string String(const char* name) const {
    const Json* field = Find(name);
    if (field == nullptr || !field->is_string()) {
      Fail(name, "a string");
      return {};
    }
    return FromStringBinary(field->get_ref<const std::string&>());
  }

  bool Bool(const char* name) const {
    const Json* field = Find(name);
    if (field == nullptr || !field->is_boolean()) {
      Fail(name, "true or false");
      return false;
    }
    return field->get<bool>();
  }

  template <typename T>
  T Number(const char* name) const {
    const Json* field = Find(name);
    if (field != nullptr && field->is_number_unsigned() &&
        field->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max())) {
      return static_cast<T>(field->get<uint64_t>());
    }
    if constexpr (std::numeric_limits<T>::is_signed) {
      if (field != nullptr && field->is_number_integer() && !field->is_number_unsigned() &&
          field->get<int64_t>() >= int64_t{std::numeric_limits<T>::min()}) {
        return static_cast<T>(field->get<int64_t>());
      }
    }
    Fail(name, "a whole number in range");
    return 0;
  }

  std::map<std::string, std::string> Strings(const char* name) const {
    std::map<std::string, std::string> out;
    const Json* field = Find(name);
    if (field == nullptr || !field->is_object()) {
      Fail(name, "an object");
      return out;
    }
    for (const auto& [key, value] : field->items()) {
      if (!value.is_string()) {
        Fail(std::string(name) + "." + key, "a string");
        return out;
      }
      out[FromStringBinary(key)] = FromStringBinary(value.get_ref<const std::string&>());
    }
    return out;
  }

  // visit(key, element JsonReader) for every member of the object or element of the array `name`.
  template <typename Visit>
  void Each(const char* name, Visit visit) const {
    const Json* field = Find(name);
    if (field == nullptr || !(field->is_object() || field->is_array())) {
      Fail(name, "a list");
      return;
    }
    for (const auto& [key, value] : field->items()) {
      if (!status_->ok()) {
        return;
      }
      visit(FromStringBinary(key), JsonReader(value, path_ + "." + name + "." + key, status_));
    }
  }

  JsonReader Object(const char* name) const {
    static const Json kEmpty = Json::object();
    const Json* field = Find(name);
    if (field == nullptr) {
      Fail(name, "an object");
      return {kEmpty, path_, status_};
    }
    return {*field, path_ + "." + name, status_};
  }

  void Fail(std::string_view name, std::string_view expected) const {
    if (status_->ok()) {
      std::string text = path_;
      if (!name.empty()) {
        text.append(".").append(name);
      }
      *status_ = Status(Code::kCorruption, text.append(" is not ").append(expected));
    }
  }

  bool Has(const char* name) const { return Find(name) != nullptr; }
  bool ok() const { return status_->ok(); }

 private:
  const Json* Find(const char* name) const {
    if (!value_.is_object()) {
      return nullptr;
    }
    const auto found = value_.find(name);
    return found == value_.end() ? nullptr : &*found;
  }

  const Json& value_;
  const std::string path_;
  Status* const status_;
};

inline Json Strings(const std::map<std::string, std::string>& map) {
  Json out = Json::object();
  for (const auto& [key, value] : map) {
    out[Text(key)] = Text(value);
  }
  return out;
}

}  // namespace klip::engine
