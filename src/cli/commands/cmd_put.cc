// klip put: columns of one row, as one atomic write.
#include "cli/command.h"
#include "cli/texts.h"

namespace klip::cli {

Run AddPutCommand(Arguments* args) {
  struct PutRow {
    TableArguments arguments;
    std::string row;
    std::vector<std::string> columns;
    int64_t timestamp_ms = kLatestTimestamp;
    int64_t ttl_ms = 0;
  };
  auto put_row = std::make_shared<PutRow>();
  put_row->arguments.AddWritingTo(args);
  args->Add("ROW", &put_row->row, "the row key, or @field=value,... by the table's row-key schema").Required();
  args->Add("COLUMN", &put_row->columns, "family:qualifier=value, one or more").Required();
  args->Add("--timestamp", &put_row->timestamp_ms, "milliseconds; default now").Between(0, INT64_MAX);
  args->Add("--ttl", &put_row->ttl_ms, "time to live of these cells, in milliseconds").Between(1, INT32_MAX);
  return [put_row](const Console&) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(put_row->arguments));
    Put put = {.timestamp_ms = put_row->timestamp_ms, .ttl_ms = put_row->ttl_ms};
    KLIP_ASSIGN_OR_RETURN(put.row, ParseRow(put_row->row, open.table->row_key_schema()));
    for (const std::string& text : put_row->columns) {
      KLIP_ASSIGN_OR_RETURN(Put::Column column, ParseColumnValue(text));
      put.columns.push_back(std::move(column));
    }
    KLIP_RETURN_IF_ERROR(open.table->Put(put));
    return kExitOk;
  };
}

}  // namespace klip::cli
