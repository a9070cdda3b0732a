// Families and tables as text: the argument of `klip create --family` and the output of `klip describe`. Attribute names
// and values are those of HBase's shell.
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
// Sets the attributes of such a text in an existing family.
Status ChangeFamily(std::string_view text, FamilyDescriptor* family);

// Sets the attributes of "NAME=VALUE" texts in a table.
Status SetTableAttributes(const std::vector<std::string>& texts, TableDescriptor* table);

constexpr const char* IndexState(bool building, bool unusable) {
  return building ? "BUILDING" : unusable ? "UNUSABLE" : "READY";
}

// An index according to the attributes of its table, on any store or cluster.
struct IndexText {
  std::string name;
  std::string declaration;
  bool building = false;
  bool unusable = false;

  const char* state() const { return IndexState(building, unusable); }
};
std::vector<IndexText> IndexesOf(const TableDescriptor& table);

// {NAME => 'd', VERSIONS => '3', ...}
std::string FamilyToText(const FamilyDescriptor& family);
nlohmann::ordered_json FamilyToJson(const FamilyDescriptor& family);

}  // namespace klip::cli
