// Log: the server's messages for its operator, one line per event, on standard error: time=... event=... and fields, or
// as JSON.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace klip::server {

enum class LogFormat : uint8_t { kText, kJson };

struct LogField {
  std::string_view key;
  std::variant<std::string_view, int64_t> value;
};

// The line, with its end. `time_ms` since 1970.
std::string LogLine(LogFormat format, int64_t time_ms, std::string_view event, std::initializer_list<LogField> fields);

// Thread-safe: lines do not mix.
class Log {
 public:
  explicit Log(LogFormat format = LogFormat::kText) : format_(format) {}
  void Write(std::string_view event, std::initializer_list<LogField> fields) const;

 private:
  LogFormat format_;
};

}  // namespace klip::server
