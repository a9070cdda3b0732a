// A column family's settings as HBase's attributes: names and texts, as its shell and its descriptors have them.
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

// Has FamilyDescriptor a member for the attribute: VERSIONS, TTL, ...?
bool IsFamilySetting(std::string_view name);

// VERSIONS => 3 and so on; words are in either case. What is no setting is kept among the attributes or, with a dot in its name, in the configuration.
// Errors: kInvalidArgument for a text that the setting cannot have.
Status SetAttribute(std::string_view name, std::string_view text, FamilyDescriptor* family);

// Every setting, kBloomPrefix only where there is one, and the other attributes behind them; not the
// configuration.
std::vector<std::pair<std::string, std::string>> AttributesOf(const FamilyDescriptor& family);

}  // namespace klip::base
