// A column family's settings as HBase's attributes: names and texts, as in its shell and descriptors.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::base {

// The length of a bloom filter's prefix, which HBase keeps in the configuration.
inline constexpr std::string_view kBloomPrefix = "RowPrefixBloomFilter.prefix_length";

// Whether FamilyDescriptor has a member for the attribute: VERSIONS, TTL, ...
bool IsFamilySetting(std::string_view name);

// Sets VERSIONS => 3 and so on; words may be in either case. What is not a setting is stored among the attributes or,
// with a dot in its name, in the configuration. Errors: kInvalidArgument for a text that is invalid for the setting.
Status SetAttribute(std::string_view name, std::string_view text, FamilyDescriptor* family);

// Every setting (kBloomPrefix only if it is set), followed by the other attributes; without the configuration.
std::vector<std::pair<std::string, std::string>> AttributesOf(const FamilyDescriptor& family);

}  // namespace klip::base
