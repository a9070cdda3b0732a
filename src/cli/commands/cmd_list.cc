// klip list: the tables of a store.
#include "cli/command.h"
#include "cli/printer.h"

namespace klip::cli {

Run AddListCommand(Arguments* args) {
  struct List {
    std::string store;
    std::string name_space;
    OutputForm form = OutputForm::kText;
  };
  auto list = std::make_shared<List>();
  args->Add("STORE", &list->store,
            "a directory, klip:DIRECTORY, or a cluster: hbase+rpc://HOST:PORT, hbase+zk://HOST:PORT")
      .Required();
  args->Add("--namespace", &list->name_space, "only its tables");
  args->AddForm(&list->form, "an array of names", "one line per table");
  return [list](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(list->store));
    KLIP_ASSIGN_OR_RETURN(std::vector<TableDescriptor> tables, connection->admin().ListTables(list->name_space));
    if (list->form == OutputForm::kJson) {
      Json names = Json::array();
      for (const TableDescriptor& table : tables) {
        names.push_back(table.name);
      }
      console.Write(names.dump() + "\n");
      return kExitOk;
    }
    if (list->form == OutputForm::kCsv) {
      console.Write("table\n");
    }
    for (const TableDescriptor& table : tables) {
      console.Print("{}\n", table.name);
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
