// klip describe: a table's families, attributes and regions.
#include "cli/command.h"
#include "cli/descriptor_text.h"
#include "cli/printer.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

void PrintText(const Console& console, const TableDescriptor& table, bool enabled,
               const std::vector<RegionInfo>& regions) {
  console.Print("Table {} is {}\n", console.Bold(table.name), enabled ? "ENABLED" : "DISABLED");
  for (const auto& [name, value] : table.attributes) {
    if (!name.starts_with("KLIP_INDEX")) {
      console.Print("  {} => '{}'\n", name, value);
    }
  }
  for (const auto& [name, value] : table.configuration) {
    console.Print("  {} => '{}' (configuration)\n", name, value);
  }
  console.Print("COLUMN FAMILIES\n");
  for (const FamilyDescriptor& family : table.families) {
    console.Print("  {}\n", FamilyToText(family));
  }
  const std::vector<IndexText> indexes = IndexesOf(table);
  if (!indexes.empty()) {
    console.Print("INDEXES\n");
  }
  for (const IndexText& index : indexes) {
    console.Print("  {} {}  {}\n", index.name, index.state(), index.declaration);
  }
  console.Print("REGIONS {}\n", regions.size());
  for (const RegionInfo& region : regions) {
    console.Print("  {}  ['{}', '{}')  {}\n", region.encoded_name, ToStringBinary(region.start_key),
                  ToStringBinary(region.end_key), FormatBytes(region.size_bytes));
  }
}

Json ToJson(const TableDescriptor& table, bool enabled, const std::vector<RegionInfo>& regions) {
  Json json = {{"table", table.name},          {"enabled", enabled},
               {"attributes", Json::object()}, {"configuration", Json::object()},
               {"families", Json::array()},    {"regions", Json::array()}};
  for (const auto& [name, value] : table.attributes) {
    json["attributes"][name] = value;
  }
  for (const auto& [name, value] : table.configuration) {
    json["configuration"][name] = value;
  }
  for (const FamilyDescriptor& family : table.families) {
    json["families"].push_back(FamilyToJson(family));
  }
  for (const RegionInfo& region : regions) {
    json["regions"].push_back({{"name", ToStringBinary(region.Name())},
                               {"start", ToStringBinary(region.start_key)},
                               {"end", ToStringBinary(region.end_key)},
                               {"bytes", region.size_bytes}});
  }
  return json;
}

}  // namespace

Run AddDescribeCommand(Arguments* args) {
  struct Describe {
    TableArguments arguments;
    bool json = false;
  };
  auto describe = std::make_shared<Describe>();
  describe->arguments.AddTo(args);
  args->AddFlag("--json", &describe->json, "one JSON object");
  return [describe](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(describe->arguments.store));
    Admin& admin = connection->admin();
    const std::string& name = describe->arguments.table;
    KLIP_ASSIGN_OR_RETURN(TableDescriptor table, admin.GetDescriptor(name));
    KLIP_ASSIGN_OR_RETURN(bool enabled, admin.IsTableEnabled(name));
    KLIP_ASSIGN_OR_RETURN(std::vector<RegionInfo> regions, admin.GetRegions(name));
    if (describe->json) {
      console.Write(ToJson(table, enabled, regions).dump() + "\n");
    } else {
      PrintText(console, table, enabled, regions);
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
