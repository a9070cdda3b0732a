// The coprocessors that a table's descriptor or a configuration names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"

namespace klip::coprocessor {

// Classes of HBase's own that klip has natively, so that they need no Java.
bool IsNative(std::string_view java_class);

// The classes of a table, without those: of the attributes `coprocessor$1` = "path|class|priority|key=value,...". One that cannot
// be read counts too, as the class "": the host says what is wrong with it.
std::vector<std::string> JavaClassesOf(const TableDescriptor& table);

// Whether a configuration names classes for regions (hbase.coprocessor.region.classes, hbase.coprocessor.user.region.classes), other
// than those.
bool NamesRegionClasses(const std::map<std::string, std::string>& configuration);
// The same for the region server, the master or the log.
bool NamesServerClasses(const std::map<std::string, std::string>& configuration);

}  // namespace klip::coprocessor
