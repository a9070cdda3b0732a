// klip drop: disables and deletes a table.
#include "base/while_disabled.h"
#include "cli/command.h"

namespace klip::cli {

Run AddDropCommand(Arguments* args) {
  auto arguments = std::make_shared<TableArguments>();
  arguments->AddTo(args);
  return [arguments](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(arguments->store));
    Admin& admin = connection->admin();
    KLIP_RETURN_IF_ERROR(
        base::WhileDisabled(&admin, arguments->table, [&] { return admin.DeleteTable(arguments->table); }));
    console.Print("dropped {}\n", arguments->table);
    return kExitOk;
  };
}

}  // namespace klip::cli
