// Converts Ruby values to C++ and back, without raising.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/query.h"
#include "klip/status.h"
#include "shell/ruby_api.h"

namespace klip::shell {

// --- From Ruby. Errors: kInvalidArgument naming `what`. ---
Expected<std::string> ToBytes(VALUE value, std::string_view what);
Expected<int64_t> ToInt(VALUE value, std::string_view what);
Expected<std::vector<std::string>> ToByteList(VALUE value, std::string_view what);
Expected<std::map<std::string, std::string>> ToTextMap(VALUE value, std::string_view what);
inline bool ToFlag(VALUE value) { return RTEST(value); }

// [family, qualifier or nil]
Expected<ColumnSpec> ToColumn(VALUE value);

// --- To Ruby. Strings are bytes without an encoding. ---
VALUE FromBytes(std::string_view bytes);
VALUE FromText(std::string_view text);  // UTF-8
VALUE FromInt(int64_t value);
VALUE FromTextMap(const std::map<std::string, std::string>& map);

VALUE Symbol(const char* name);

// Reads a Hash with symbols as keys, member by member. A missing member or nil leaves the target unchanged; the first
// error is kept.
class HashReader {
 public:
  HashReader(VALUE hash, std::string_view what);

  VALUE At(const char* key) const;  // nil if it is missing
  void Read(const char* key, std::string* value);
  void Read(const char* key, int64_t* value);
  void Read(const char* key, int32_t* value);
  void Read(const char* key, bool* value);
  void Read(const char* key, TimeRange* value);  // [min, max]
  void Read(const char* key, std::vector<ColumnSpec>* value);
  void Read(const char* key, std::map<std::string, std::string>* value);

  void Fail(Status status);
  const Status& status() const { return status_; }

 private:
  VALUE hash_;
  std::string what_;
  Status status_;
};

}  // namespace klip::shell
