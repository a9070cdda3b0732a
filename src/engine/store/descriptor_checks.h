// The names and descriptors that HBase rejects, with its error texts. Pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::engine {

// "default:t" and "t" are one table, called "t".
std::string_view CanonicalTableName(std::string_view name);

// Errors: kInvalidArgument.
Status CheckNamespaceName(std::string_view name);
Status CheckTableName(std::string_view name);
Status CheckSnapshotName(std::string_view name);
Status CheckFamilyName(std::string_view name);

// Checks a table before it is created or modified. `sanity_checks`: whether to run the checks that guard against risky
// settings, if the table does not decide it itself (hbase.table.sanity.checks). `one_more` is one of those; null: none.
// Errors: kDoNotRetry, kInvalidArgument.
Status CheckDescriptor(const TableDescriptor& descriptor, bool sanity_checks,
                       const std::function<Status(const TableDescriptor&)>& one_more = nullptr);

// The maximum of REGION_REPLICATION. In HBase, the number of servers is the limit; here, a replica is only another name
// that clients look up.
inline constexpr int64_t kMostReplicas = 64;

// Sorts. Errors: kInvalidArgument for empty and duplicate keys.
Status CheckSplitKeys(std::vector<std::string>* split_keys);

// A whole decimal number in an attribute or configuration value; `fallback` if it is missing or not a number.
int64_t NumberIn(const std::map<std::string, std::string>& values, const std::string& key, int64_t fallback);

// The table's value of a setting: its configuration, else its attributes, else "".
std::string SettingOf(const TableDescriptor& descriptor, const std::string& key);

// The same for a family: its attribute, else its configuration, else the table's.
std::string FamilySettingOf(const TableDescriptor& table, const FamilyDescriptor& family, const std::string& key);

// True for "FALSE" in any case, false if the attribute is missing.
bool IsSwitchedOff(const TableDescriptor& descriptor, const std::string& attribute);

}  // namespace klip::engine
