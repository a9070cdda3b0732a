#include "server/rpc/log.h"

#include <ctime>

#include <unistd.h>

#include "base/clock.h"
#include "klip/bytes.h"

namespace klip::server {
namespace {

std::string UtcText(int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const size_t bytes = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string millis = std::to_string(1000 + time_ms % 1000);
  return std::string(text, bytes) + "." + millis.substr(1) + "Z";
}

// Escapes quotes and backslashes. Other unprintable bytes become \xNN, so that an entry is one line.
std::string Quoted(std::string_view text, LogFormat format) {
  std::string out = "\"";
  for (const char c : ToStringBinary(text)) {
    // JSON has no \x.
    out += c == '"' ? "\\\"" : c == '\\' && format == LogFormat::kJson ? "\\\\" : std::string(1, c);
  }
  return out + "\"";
}

std::string ValueText(const LogField& field, LogFormat format) {
  if (const auto* number = std::get_if<int64_t>(&field.value)) {
    return std::to_string(*number);
  }
  const std::string_view text = std::get<std::string_view>(field.value);
  const bool plain =
      !text.empty() && text.find_first_of(" \"=\\") == std::string_view::npos && ToStringBinary(text) == text;
  return format == LogFormat::kText && plain ? std::string(text) : Quoted(text, format);
}

}  // namespace

std::string LogLine(LogFormat format, int64_t time_ms, std::string_view event, std::initializer_list<LogField> fields) {
  const bool json = format == LogFormat::kJson;
  const std::string time = UtcText(time_ms);
  std::string line = json ? "{" : "";
  const auto add = [&](const LogField& field) {
    if (line.size() > 1) {
      line += json ? ", " : " ";
    }
    line += json ? Quoted(field.key, format) + ": " : std::string(field.key) + "=";
    line += ValueText(field, format);
  };
  add({"time", time});
  add({"event", event});
  for (const LogField& field : fields) {
    add(field);
  }
  return line + (json ? "}\n" : "\n");
}

void Log::Write(std::string_view event, std::initializer_list<LogField> fields) const {
  const std::string line = LogLine(format_, base::SystemMs(), event, fields);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace klip::server
