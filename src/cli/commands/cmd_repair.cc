// klip repair: a copy of a store whose log is damaged, or whose MANIFEST was cut short, with what can be read of it.
#include "cli/command.h"
#include "engine/store/repair.h"

namespace klip::cli {

Run AddRepairCommand(Arguments* args) {
  struct Repair {
    std::string store;
    std::string to;
    bool yes = false;
  };
  auto repair = std::make_shared<Repair>();
  args->Add("STORE", &repair->store, "a directory, which no process has open; it stays as it is").Required();
  args->Add("--to", &repair->to, "the directory to make, as large as the store").Required();
  args->AddFlag("--yes", &repair->yes, "do it, and not only say what would be lost");
  return [repair](const Console& console) -> Expected<int> {
    const std::string store = repair->store.starts_with("klip:") ? repair->store.substr(5) : repair->store;
    KLIP_ASSIGN_OR_RETURN(const engine::RepairReport report, engine::RepairStore(store, repair->to, repair->yes));
    for (const engine::DamagedLog& log : report.logs) {
      console.Print("{}: damaged in {} places, the first at offset {}: {} are lost\n", log.file, log.places, log.offset,
                    FormatBytes(log.lost_bytes));
      console.Print("  {} writes are kept, {} of them behind the first damage\n", log.kept_writes, log.kept_behind);
    }
    if (report.manifest.has_value()) {
      console.Print("{}: was cut short at byte {}\n", report.manifest->file, report.manifest->bytes);
      for (const engine::UnnamedTable& table : report.unnamed) {
        console.Print(
            "  it does not name {}: {} entries of {} are lost, unless other files have them; it goes to {}/lost\n",
            table.file, FormatCount(table.entries), table.family.empty() ? "no table" : table.family, repair->to);
      }
    }
    if (report.logs.empty()) {
      console.Print("no log is damaged\n");
    }
    console.Print("{} of {} table files can be read whole\n",
                  report.table_files - static_cast<int64_t>(report.tables.size()), report.table_files);
    for (const std::string& table : report.tables) {
      console.Print("  {} cannot, and is copied as it is\n", table);
    }
    if (repair->yes) {
      console.Print("made {}: check it with klip doctor\n", repair->to);
    } else {
      console.Print("nothing is done: --yes makes {}\n", repair->to);
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
