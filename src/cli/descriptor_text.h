// Families and tables as text: what `klip create --family` takes and `klip describe` prints. Attribute names and values are
// those of HBase's shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::cli {

// "d" or "d,VERSIONS=3,TTL=86400,COMPRESSION=ZSTD,BLOOMFILTER=ROWCOL". Attributes klip does not know are an error, as in
// HBase's shell.
Expected<FamilyDescriptor> ParseFamily(std::string_view text);
// The name in such a text.
std::string FamilyName(std::string_view text);
// Sets the attributes of such a text in a family that is there.
Status ChangeFamily(std::string_view text, FamilyDescriptor* family);

// Sets the attributes of "NAME=VALUE" texts in a table.
Status SetTableAttributes(const std::vector<std::string>& texts, TableDescriptor* table);

// What the attributes of a table tell of its indexes, whatever store or cluster it is on.
struct IndexText {
  std::string name;
  std::string declaration;
  bool building = false;

  const char* state() const { return building ? "BUILDING" : "READY"; }
};
std::vector<IndexText> IndexesOf(const TableDescriptor& table);

// {NAME => 'd', VERSIONS => '3', ...}
std::string FamilyToText(const FamilyDescriptor& family);
nlohmann::ordered_json FamilyToJson(const FamilyDescriptor& family);

}  // namespace klip::cli
