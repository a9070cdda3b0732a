// klip get, first and last: one row. Exit code 1 if there is none.
#include "cli/command.h"
#include "cli/printer.h"
#include "cli/scan_options.h"
#include "cli/texts.h"

namespace klip::cli {
namespace {

int PrintOne(const Console& console, const Result& row, OutputForm form, const Table& table, int64_t elapsed_us) {
  RowPrinter printer(console, form, table.row_key_schema());
  if (!row.empty()) {
    printer.Print(row);
  }
  printer.Finish(elapsed_us);
  return row.empty() ? kExitNotFound : kExitOk;
}

Run AddEndCommand(Arguments* args, bool last) {
  struct End {
    TableArguments arguments;
    OutputForm form = OutputForm::kText;
  };
  auto end = std::make_shared<End>();
  end->arguments.AddTo(args);
  args->AddForm(&end->form, "one JSON object", "one line per cell");
  return [end, last](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(end->arguments));
    int64_t start_us = MonotonicUs();
    KLIP_ASSIGN_OR_RETURN(Result row, last ? open.table->LastRow() : open.table->FirstRow());
    return PrintOne(console, row, end->form, *open.table, MonotonicUs() - start_us);
  };
}

}  // namespace

Run AddFirstCommand(Arguments* args) { return AddEndCommand(args, /*last=*/false); }
Run AddLastCommand(Arguments* args) { return AddEndCommand(args, /*last=*/true); }

Run AddGetCommand(Arguments* args) {
  struct GetRow {
    TableArguments arguments;
    std::string row;
    std::vector<std::string> columns;
    int32_t versions = 1;
    std::string time_range;
    ReplicaOptions replicas;
    OutputForm form = OutputForm::kText;
  };
  auto get_row = std::make_shared<GetRow>();
  get_row->arguments.AddTo(args);
  args->Add("ROW", &get_row->row, "the row key, or @field=value,... by the table's row-key schema").Required();
  args->Add("COLUMN", &get_row->columns, "family or family:qualifier; repeatable; default all");
  args->Add("--versions", &get_row->versions, "return up to this many versions per column, newest first")
      .Between(1, INT32_MAX);
  args->Add("--time-range", &get_row->time_range,
            "only cells with timestamps MIN..MAX in milliseconds; MAX is not included");
  get_row->replicas.AddTo(args);
  args->AddForm(&get_row->form, "one JSON object", "one line per cell");
  return [get_row](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(get_row->arguments));
    Get get = {.max_versions = get_row->versions};
    KLIP_RETURN_IF_ERROR(get_row->replicas.Apply(&get));
    KLIP_ASSIGN_OR_RETURN(get.row, ParseRow(get_row->row, open.table->row_key_schema()));
    for (const std::string& text : get_row->columns) {
      KLIP_ASSIGN_OR_RETURN(ColumnSpec column, ParseColumn(text));
      get.columns.push_back(std::move(column));
    }
    if (!get_row->time_range.empty()) {
      KLIP_ASSIGN_OR_RETURN(get.time_range, ParseTimeRange(get_row->time_range));
    }
    int64_t start_us = MonotonicUs();
    KLIP_ASSIGN_OR_RETURN(Result row, open.table->Get(get));
    return PrintOne(console, row, get_row->form, *open.table, MonotonicUs() - start_us);
  };
}

}  // namespace klip::cli
