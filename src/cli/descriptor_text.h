// Families and tables as text: what `klip create --family` takes and `klip describe` prints. Attribute names and values are
// those of HBase's shell.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::cli {

// "d" or "d,VERSIONS=3,TTL=86400,COMPRESSION=ZSTD,BLOOMFILTER=ROWCOL". Attributes klip does not know are an error, as in
// HBase's shell.
Expected<FamilyDescriptor> ParseFamily(std::string_view text);

// {NAME => 'd', VERSIONS => '3', ...}
std::string FamilyToText(const FamilyDescriptor& family);
nlohmann::ordered_json FamilyToJson(const FamilyDescriptor& family);

}  // namespace klip::cli
