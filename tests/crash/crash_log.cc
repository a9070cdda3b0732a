#include "crash/crash_log.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace klip::crash {

Allowed AfterLog(const Items& before, const std::string& output) {
  Allowed allowed;
  Items sure = before;
  std::map<std::string, std::pair<std::string, std::string>> open;  // thread -> item, value
  std::istringstream lines(output);
  for (std::string line;
       std::getline(lines, line) && !lines.eof();) {  // a last line without newline was not written whole
    std::istringstream words(line);
    std::string kind;
    std::string thread;
    std::string item;
    std::string value;
    words >> kind >> thread >> item >> value;
    if (kind == "I") {
      open[thread] = {item, value};
      if (item.starts_with("lax:")) {
        allowed.values[item].push_back(value);
      }
    } else if (kind == "A" && open.contains(thread)) {
      sure[open[thread].first] = open[thread].second;
      open.erase(thread);
      ++allowed.acknowledged;
    } else if (kind == "E") {
      allowed.error += line + "\n";
    }
  }
  for (const auto& [item, value] : sure) {
    if (!item.starts_with("lax:")) {
      allowed.values[item].push_back(value);
    }
  }
  for (const auto& [thread, intent] : open) {
    auto& values = allowed.values[intent.first];
    if (values.empty()) {
      values.push_back("-");  // it did not exist before
    }
    values.push_back(intent.second);
  }
  return allowed;
}

std::string Compare(const Items& before, const Items& found, const Allowed& allowed) {
  std::string out;
  for (const auto& [item, values] : allowed.values) {
    const auto it = found.find(item);
    const std::string value = it == found.end() ? "-" : it->second;
    bool fits = std::ranges::find(values, value) != values.end();
    if (item.starts_with("lax:")) {
      const auto old = before.find(item);
      fits = fits || value == (old == before.end() ? "-" : old->second);
    }
    if (!fits) {
      out += item + " is " + value + ", should be";
      for (const std::string& one : values) {
        out += " " + one;
      }
      out += "\n";
    }
  }
  for (const auto& [item, value] : found) {
    if (!allowed.values.contains(item) && !item.starts_with("lax:")) {
      out += item + " is " + value + ", should not be there\n";
    }
  }
  return out;
}

}  // namespace klip::crash
