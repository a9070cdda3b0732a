// klip create: a table with its families, row-key schema and region boundaries.
#include "cli/command.h"
#include "cli/descriptor_text.h"
#include "cli/texts.h"
#include "klip/bytes.h"
#include "klip/row_key.h"

namespace klip::cli {
namespace {

struct Create {
  TableArguments arguments;
  std::vector<std::string> families;
  std::string row_key;
  bool enforce = false;
  std::vector<std::string> splits;
  std::vector<std::string> attributes;
  int regions = 0;
  std::string algorithm = "uniform";

  Expected<TableDescriptor> Descriptor() const {
    TableDescriptor table = {.name = arguments.table};
    for (const std::string& text : families) {
      KLIP_ASSIGN_OR_RETURN(FamilyDescriptor family, ParseFamily(text));
      table.families.push_back(std::move(family));
    }
    KLIP_RETURN_IF_ERROR(SetTableAttributes(attributes, &table));
    if (!row_key.empty()) {
      KLIP_ASSIGN_OR_RETURN(RowKeySchema schema, RowKeySchema::Parse(row_key));
      table.attributes[std::string(RowKeySchema::kTableAttribute)] = schema.ToString();
    }
    if (enforce) {
      table.attributes[std::string(RowKeySchema::kEnforceAttribute)] = "true";
    }
    return table;
  }

  Expected<std::vector<std::string>> SplitRows() const {
    std::vector<std::string> rows;
    rows.reserve(splits.size());
    for (const std::string& split : splits) {
      rows.push_back(FromStringBinary(split));
    }
    if (regions > 0) {
      SplitAlgorithm by = algorithm == "hex"       ? SplitAlgorithm::kHexString
                          : algorithm == "decimal" ? SplitAlgorithm::kDecimalString
                                                   : SplitAlgorithm::kUniform;
      KLIP_ASSIGN_OR_RETURN(std::vector<std::string> even, SplitKeys(by, regions));
      rows.insert(rows.end(), even.begin(), even.end());
    }
    return rows;
  }

  Expected<int> operator()(const Console& console) const {
    KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, Descriptor());
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> rows, SplitRows());
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(arguments.store, /*create_if_missing=*/true));
    KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(descriptor, rows));
    console.Print("created {}\n", arguments.table);
    return kExitOk;
  }
};

}  // namespace

Run AddCreateCommand(Arguments* args) {
  auto create = std::make_shared<Create>();
  create->arguments.AddTo(args);
  args->Add("--family,-f", &create->families, "NAME or NAME,VERSIONS=3,TTL=86400,COMPRESSION=ZSTD,...; repeatable")
      .Required();
  args->Add("--row-key", &create->row_key,
            "row-key schema, e.g. \"username:text(10,'*') date:digits(8) domain:text(20,'*')\"")
      .NotEmpty();
  args->AddFlag("--enforce", &create->enforce, "reject rows that do not fit the schema");
  args->Add("--splits", &create->splits, "region boundaries, separated by commas").Commas();
  args->Add("--regions", &create->regions, "split evenly into this many regions").Between(2, 100000);
  args->Add("--algorithm", &create->algorithm, "key format for --regions: uniform, hex or decimal")
      .OneOf({"uniform", "hex", "decimal"});
  args->Add("--attribute", &create->attributes, "table attribute NAME=VALUE, e.g. DURABILITY=ASYNC_WAL; repeatable");
  return [create](const Console& console) { return (*create)(console); };
}

}  // namespace klip::cli
