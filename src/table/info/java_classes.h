// The coprocessors named in a table's descriptor or in a configuration.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"

namespace klip::table {

// Whether klip implements the class natively, so that it needs no Java.
bool IsNative(std::string_view java_class);

// A Java class of a table.
struct JavaClass {
  std::string attribute;  // coprocessor$1
  std::string path;       // of its jar; empty: it is on the class path
  std::string name;       // empty: the specification is unreadable, and the host reports the error

  bool operator==(const JavaClass&) const = default;
};

// The Java classes of a table, from the attributes `coprocessor$1` = "path|class|priority|key=value,...". Excludes native
// ones and WebAssembly modules.
std::vector<JavaClass> JavaClassesOf(const TableDescriptor& table);

// Whether a configuration names non-native classes for regions (hbase.coprocessor.region.classes,
// hbase.coprocessor.user.region.classes).
bool NamesRegionClasses(const std::map<std::string, std::string>& configuration);
// The same for the region server, the master or the log.
bool NamesServerClasses(const std::map<std::string, std::string>& configuration);
// The same for the log.
bool NamesLogClasses(const std::map<std::string, std::string>& configuration);

}  // namespace klip::table
