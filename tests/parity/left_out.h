// Exceptions from the comparison with HBase, each with its reason: HBase hangs, its behavior is undefined, or klip
// differs on purpose (docs/compatibility.md).
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace klip::ops {

// What an op may meet in its case.
struct CaseTraits {
  bool flushes = false;       // the case writes files
  bool few_versions = false;  // a family drops surplus versions
  bool one_version = false;   // a family keeps one version only
  bool keep_deleted = false;  // a family has KEEP_DELETED_CELLS
  bool min_versions = false;  // a family has MIN_VERSIONS
  bool expires = false;       // a family has a TTL
  bool new_version_behavior = false;
  bool regions = false;          // the table has several
  bool empty_qualifier = false;  // a column has the empty qualifier
  bool cell_ttl = false;         // cells have TTLs of their own
};

// The name of the reason for which a random op is left out; empty when it is not.
std::string_view LeftOut(const CaseTraits& traits, const std::string& op);

// Whether an op of a golden file is known to come out differently.
bool IsGoldenDifference(std::string_view file, std::string_view op);

// The reasons by name.
const std::map<std::string_view, std::string_view>& LeftOutReasons();

}  // namespace klip::ops
