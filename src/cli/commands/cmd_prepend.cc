// klip prepend: a row before the first, in a table whose keys are numbers that count down.
#include "cli/command.h"
#include "cli/texts.h"

namespace klip::cli {

Run AddPrependCommand(Arguments* args) {
  struct PrependRow {
    TableArguments arguments;
    std::vector<std::string> columns;
    uint64_t last_key = Prepend().last_key;
  };
  auto prepend_row = std::make_shared<PrependRow>();
  prepend_row->arguments.AddWritingTo(args);
  args->Add("COLUMN", &prepend_row->columns,
            "family:qualifier=value, one or more; every row must have the first column")
      .Required();
  args->Add("--last-key", &prepend_row->last_key, "key of the first row ever inserted; default 2^63-1");
  return [prepend_row](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(prepend_row->arguments));
    Prepend prepend = {.last_key = prepend_row->last_key};
    for (const std::string& text : prepend_row->columns) {
      KLIP_ASSIGN_OR_RETURN(Put::Column column, ParseColumnValue(text));
      prepend.columns.push_back(std::move(column));
    }
    prepend.family = prepend.columns[0].family;
    prepend.qualifier = prepend.columns[0].qualifier;
    KLIP_ASSIGN_OR_RETURN(uint64_t key, open.table->Prepend(prepend));
    console.Print("{}\n", key);
    return kExitOk;
  };
}

}  // namespace klip::cli
