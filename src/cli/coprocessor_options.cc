#include "cli/coprocessor_options.h"

#include <cstdlib>

#include <pugixml.hpp>

namespace klip::cli {

Expected<coprocessor::HostOptions> CoprocessorOptions::Read() const {
  coprocessor::HostOptions options = {.class_path = class_path, .socket = socket};
  if (const char* const home = std::getenv("JAVA_HOME"); home != nullptr && *home != '\0') {
    options.java = std::string(home) + "/bin/java";
  }
  if (site.empty()) {
    return options;
  }
  pugi::xml_document document;
  if (const pugi::xml_parse_result parsed = document.load_file(site.c_str()); !parsed) {
    return Status(Code::kInvalidArgument,
                  site + ": " + parsed.description() + ", at byte " + std::to_string(parsed.offset));
  }
  const pugi::xml_node root = document.child("configuration");
  if (!root) {
    return Status(Code::kInvalidArgument, site + ": no element <configuration>");
  }
  for (const pugi::xml_node property : root.children("property")) {
    options.configuration[property.child_value("name")] = property.child_value("value");
  }
  return options;
}

}  // namespace klip::cli
