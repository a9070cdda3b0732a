// Names of tables: "namespace:table", or "table" in the namespace "default".
#pragma once

#include <string_view>

namespace klip {

inline constexpr std::string_view kDefaultNamespace = "default";

// Points into `table`, or to kDefaultNamespace.
inline std::string_view NamespaceOf(std::string_view table) {
  const size_t colon = table.find(':');
  return colon == std::string_view::npos ? kDefaultNamespace : table.substr(0, colon);
}

}  // namespace klip
