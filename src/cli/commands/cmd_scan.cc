// klip scan: rows, printed as they come.
#include "cli/command.h"
#include "cli/printer.h"
#include "cli/scan_options.h"

namespace klip::cli {

Run AddScanCommand(Arguments* args) {
  struct ScanRows {
    TableArguments arguments;
    ScanOptions options;
    ReplicaOptions replicas;
    OutputForm form = OutputForm::kText;
  };
  auto rows = std::make_shared<ScanRows>();
  rows->arguments.AddTo(args);
  rows->options.AddTo(args, /*with_columns=*/true);
  rows->replicas.AddTo(args);
  args->AddForm(&rows->form, "one JSON object per line", "one line per cell; klip export writes one per row");
  return [rows](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(rows->arguments));
    KLIP_ASSIGN_OR_RETURN(Scan scan, rows->options.Make(*open.table));
    KLIP_RETURN_IF_ERROR(rows->replicas.Apply(&scan));
    int64_t start_us = MonotonicUs();
    KLIP_ASSIGN_OR_RETURN(auto scanner, open.table->Scan(scan));
    RowPrinter printer(console, rows->form, open.table->row_key_schema());
    Result result;
    while (!console.failed()) {
      KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&result));
      if (!more) {
        break;
      }
      printer.Print(result);
    }
    printer.Finish(MonotonicUs() - start_us);
    return kExitOk;
  };
}

}  // namespace klip::cli
