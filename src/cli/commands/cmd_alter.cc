// klip alter: adds, changes and drops families of a table, its attributes and its row-key schema.
#include <algorithm>

#include "cli/command.h"
#include "cli/descriptor_text.h"
#include "klip/row_key.h"

namespace klip::cli {
namespace {

struct Alter {
  TableArguments arguments;
  std::vector<std::string> families;
  std::vector<std::string> dropped_families;
  std::string row_key;
  std::vector<std::string> attributes;
  std::vector<std::string> dropped_attributes;

  Status ApplyTo(TableDescriptor* table) const {
    const auto find = [table](const std::string& name) {
      return std::find_if(table->families.begin(), table->families.end(),
                          [&](const FamilyDescriptor& family) { return family.name == name; });
    };
    for (const std::string& text : families) {
      const auto family = find(FamilyName(text));
      if (family != table->families.end()) {
        KLIP_RETURN_IF_ERROR(ChangeFamily(text, &*family));
      } else {
        KLIP_ASSIGN_OR_RETURN(FamilyDescriptor added, ParseFamily(text));
        table->families.push_back(std::move(added));
      }
    }
    for (const std::string& name : dropped_families) {
      const auto family = find(name);
      if (family == table->families.end()) {
        return UsageError("table '" + table->name + "' has no family '" + name + "'");
      }
      table->families.erase(family);
    }
    KLIP_RETURN_IF_ERROR(SetTableAttributes(attributes, table));
    for (const std::string& name : dropped_attributes) {
      if (table->attributes.erase(name) == 0) {
        return UsageError("table '" + table->name + "' has no attribute '" + name + "'");
      }
    }
    if (!row_key.empty()) {
      KLIP_ASSIGN_OR_RETURN(const RowKeySchema schema, RowKeySchema::Parse(row_key));
      table->attributes[std::string(RowKeySchema::kTableAttribute)] = schema.ToString();
    }
    return Status::Ok();
  }

  Expected<int> operator()(const Console& console) const {
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(arguments.store));
    KLIP_ASSIGN_OR_RETURN(const TableDescriptor before, connection->admin().GetDescriptor(arguments.table));
    TableDescriptor after = before;
    KLIP_RETURN_IF_ERROR(ApplyTo(&after));
    if (after == before) {
      return UsageError("nothing to change; see klip alter --help");
    }
    KLIP_RETURN_IF_ERROR(connection->admin().ModifyTable(after));
    console.Print("altered {}\n", arguments.table);
    return kExitOk;
  }
};

}  // namespace

Run AddAlterCommand(Arguments* args) {
  auto alter = std::make_shared<Alter>();
  alter->arguments.AddTo(args);
  args->Add("--family,-f", &alter->families,
            "NAME,VERSIONS=3,TTL=86400,...: changes these attributes, or adds the family; repeatable");
  args->Add("--drop-family", &alter->dropped_families, "delete this family with its data; repeatable");
  args->Add("--row-key", &alter->row_key, "the row-key schema; existing rows do not change");
  args->Add("--attribute", &alter->attributes, "table attribute NAME=VALUE; repeatable");
  args->Add("--drop-attribute", &alter->dropped_attributes, "remove this table attribute; repeatable");
  return [alter](const Console& console) { return (*alter)(console); };
}

}  // namespace klip::cli
