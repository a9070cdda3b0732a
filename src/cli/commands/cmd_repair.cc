// klip repair: copies the readable parts of a damaged store.
#include "cli/command.h"
#include "engine/store/repair.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

std::string RowsText(const engine::LostRows& rows) {
  if (rows.from.empty() && rows.to.empty()) {
    return "all cells";
  }
  return rows.from.empty() ? "cells before row " + ToStringBinary(rows.to)
         : rows.to.empty() ? "cells from row " + ToStringBinary(rows.from) + " on"
                           : "cells from row " + ToStringBinary(rows.from) + " to row " + ToStringBinary(rows.to);
}

std::string OfFamily(const std::string& family) { return family.empty() ? "no table" : family; }

void PrintTables(const Console& console, const engine::RepairReport& report) {
  const auto damaged = static_cast<int64_t>(report.tables.size());
  console.Print("{} of {} table files are completely readable\n", report.table_files - damaged, report.table_files);
  for (const engine::DamagedTable& table : report.tables) {
    console.Print("{}: {}, of {}; {} cells are kept\n", table.file, table.missing ? "missing" : "damaged",
                  OfFamily(table.family), FormatCount(table.kept_cells));
    for (const engine::LostRows& rows : table.lost) {
      console.Print("  lost: {}\n", RowsText(rows));
    }
  }
  for (const std::string& file : report.snapshot_files) {
    console.Print("{}: damaged or missing; this snapshot cannot be restored\n", file);
  }
}

void PrintLogs(const Console& console, const engine::RepairReport& report) {
  for (const engine::DamagedLog& log : report.logs) {
    console.Print("{}: damaged in {} places, the first at offset {}: {} are lost\n", log.file, log.places, log.offset,
                  FormatBytes(log.lost_bytes));
    console.Print("  {} writes are kept, {} of them after the first damage\n", log.kept_writes, log.kept_behind);
  }
}

void PrintManifest(const Console& console, const engine::RepairReport& report, const std::string& to) {
  if (!report.manifest.has_value()) {
    return;
  }
  console.Print("{}: readable up to byte {}\n", report.manifest->file, report.manifest->bytes);
  for (const engine::UnnamedTable& table : report.unnamed) {
    console.Print(
        "  it does not list {}: {} entries of {} are lost, unless other files contain them; the file is moved to "
        "{}/lost\n",
        table.file, FormatCount(table.entries), OfFamily(table.family), to);
  }
}

}  // namespace

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
    for (const engine::ReplacedFile& file : report.files) {
      console.Print("{}/{}: {}\n  the copy has {}\n", store, file.name, file.damage, file.instead);
    }
    PrintManifest(console, report, repair->to);
    PrintLogs(console, report);
    PrintTables(console, report);
    if (report.is_whole()) {
      console.Print("no file is damaged\n");
    }
    if (repair->yes) {
      console.Print("created {}: check it with klip doctor --deep\n", repair->to);
    } else {
      console.Print("nothing was changed: --yes creates {}\n", repair->to);
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
