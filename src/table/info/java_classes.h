// The coprocessors that a table's descriptor or a configuration names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"

namespace klip::table {

// Classes of HBase's own that klip has natively, so that they need no Java.
bool IsNative(std::string_view java_class);

// A Java class of a table.
struct JavaClass {
  std::string attribute;  // coprocessor$1
  std::string path;       // of its jar; empty: it is on the class path
  std::string name;       // empty: the spec cannot be read, and the host says what is wrong with it

  bool operator==(const JavaClass&) const = default;
};

// Those of a table, without those that klip has and without WebAssembly modules: of the attributes `coprocessor$1` = "path|class|priority|key=value,...".
std::vector<JavaClass> JavaClassesOf(const TableDescriptor& table);

// Whether a configuration names classes for regions (hbase.coprocessor.region.classes, hbase.coprocessor.user.region.classes), other
// than those.
bool NamesRegionClasses(const std::map<std::string, std::string>& configuration);
// The same for the region server, the master or the log.
bool NamesServerClasses(const std::map<std::string, std::string>& configuration);

}  // namespace klip::table
