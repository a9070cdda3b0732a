// klip truncate: deletes all rows of a table.
#include "base/while_disabled.h"
#include "cli/command.h"

namespace klip::cli {

Run AddTruncateCommand(Arguments* args) {
  struct Truncate {
    TableArguments arguments;
    bool keep_splits = false;
  };
  auto truncate = std::make_shared<Truncate>();
  truncate->arguments.AddTo(args);
  args->AddFlag("--keep-splits", &truncate->keep_splits, "keep the region boundaries");
  return [truncate](const Console& console) -> Expected<int> {
    const std::string& table = truncate->arguments.table;
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(truncate->arguments.store));
    Admin& admin = connection->admin();
    KLIP_RETURN_IF_ERROR(
        base::WhileDisabled(&admin, table, [&] { return admin.TruncateTable(table, truncate->keep_splits); }));
    console.Print("truncated {}\n", table);
    return kExitOk;
  };
}

}  // namespace klip::cli
