// klip repair: copies the readable parts of a store whose log is damaged or whose MANIFEST was truncated.
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
  args->Add("STORE", &repair->store, "a directory that no process has open; it is not changed").Required();
  args->Add("--to", &repair->to, "the new directory, as large as the store").Required();
  args->AddFlag("--yes", &repair->yes, "repair, instead of only reporting the data that would be lost");
  return [repair](const Console& console) -> Expected<int> {
    const std::string store = repair->store.starts_with("klip:") ? repair->store.substr(5) : repair->store;
    KLIP_ASSIGN_OR_RETURN(const engine::RepairReport report, engine::RepairStore(store, repair->to, repair->yes));
    for (const engine::DamagedLog& log : report.logs) {
      console.Print("{}: damaged in {} places, the first at offset {}: {} are lost\n", log.file, log.places, log.offset,
                    FormatBytes(log.lost_bytes));
      console.Print("  {} writes are kept, {} of them after the first damage\n", log.kept_writes, log.kept_behind);
    }
    if (report.manifest.has_value()) {
      console.Print("{}: was cut short at byte {}\n", report.manifest->file, report.manifest->bytes);
      for (const engine::UnnamedTable& table : report.unnamed) {
        console.Print(
            "  it does not list {}: {} entries of {} are lost, unless other files contain them; the file is moved to "
            "{}/lost\n",
            table.file, FormatCount(table.entries), table.family.empty() ? "no table" : table.family, repair->to);
      }
    }
    if (report.logs.empty()) {
      console.Print("no log is damaged\n");
    }
    console.Print("{} of {} table files are completely readable\n",
                  report.table_files - static_cast<int64_t>(report.tables.size()), report.table_files);
    for (const std::string& table : report.tables) {
      console.Print("  {} is not, and is copied unchanged\n", table);
    }
    if (repair->yes) {
      console.Print("created {}: check it with klip doctor\n", repair->to);
    } else {
      console.Print("nothing was changed: --yes creates {}\n", repair->to);
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
