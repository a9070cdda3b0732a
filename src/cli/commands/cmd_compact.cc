// klip compact: flushes a table and rewrites its files.
#include "cli/command.h"

namespace klip::cli {

Run AddCompactCommand(Arguments* args) {
  struct Compact {
    TableArguments arguments;
    bool major = false;
  };
  auto compact = std::make_shared<Compact>();
  compact->arguments.AddWritingTo(args);
  args->AddFlag("--major", &compact->major, "rewrite all files without deleted, expired and surplus cells");
  return [compact](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(compact->arguments));
    Admin& admin = open.connection->admin();
    const std::string& name = compact->arguments.table;
    // Flushes first: as in HBase, Admin::MajorCompact does not compact cells in memory.
    KLIP_RETURN_IF_ERROR(admin.Flush(name));
    KLIP_ASSIGN_OR_RETURN(TableStatistics before, open.table->Statistics());
    int64_t start_us = MonotonicUs();
    KLIP_RETURN_IF_ERROR(compact->major ? admin.MajorCompact(name) : admin.Compact(name));
    int64_t elapsed_us = MonotonicUs() - start_us;
    KLIP_ASSIGN_OR_RETURN(TableStatistics after, open.table->Statistics());
    console.Print("compacted {} in {}: {} in {} runs -> {} in {}\n", name, FormatDuration(elapsed_us),
                  FormatBytes(before.bytes_on_disk), before.sorted_runs, FormatBytes(after.bytes_on_disk),
                  after.sorted_runs);
    return kExitOk;
  };
}

}  // namespace klip::cli
