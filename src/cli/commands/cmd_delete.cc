// klip delete: a row, families or columns of it.
#include "cli/command.h"
#include "cli/texts.h"

namespace klip::cli {
namespace {

struct DeleteRow {
  TableArguments arguments;
  std::string row;
  std::vector<std::string> columns;
  int64_t timestamp_ms = kLatestTimestamp;
  bool one_version = false;

  void AddMarker(const ColumnSpec& column, Delete* del) const {
    if (column.qualifier && one_version) {
      del->AddColumn(column.family, *column.qualifier, timestamp_ms);
    } else if (column.qualifier) {
      del->AddColumns(column.family, *column.qualifier, timestamp_ms);
    } else if (one_version) {
      del->AddFamilyVersion(column.family, timestamp_ms);
    } else {
      del->AddFamily(column.family, timestamp_ms);
    }
  }

  Expected<int> operator()(const Console&) const {
    if (one_version && columns.empty()) {
      return UsageError("--one-version needs a COLUMN");
    }
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
    Delete del;
    del.timestamp_ms = timestamp_ms;
    KLIP_ASSIGN_OR_RETURN(del.row, ParseRow(row, open.table->row_key_schema()));
    for (const std::string& text : columns) {
      KLIP_ASSIGN_OR_RETURN(ColumnSpec column, ParseColumn(text));
      if (one_version && !column.qualifier && timestamp_ms == kLatestTimestamp) {
        return UsageError("--one-version of a family needs --timestamp");
      }
      AddMarker(column, &del);
    }
    KLIP_RETURN_IF_ERROR(open.table->Delete(del));
    return kExitOk;
  }
};

}  // namespace

Run AddDeleteCommand(Arguments* args) {
  auto del = std::make_shared<DeleteRow>();
  del->arguments.AddWritingTo(args);
  args->Add("ROW", &del->row, "the row key, or @field=value,... by the table's row-key schema").Required();
  args->Add("COLUMN", &del->columns, "family or family:qualifier; repeatable; default the whole row");
  args->Add("--timestamp", &del->timestamp_ms, "delete cells up to this time in milliseconds; default now")
      .Between(0, INT64_MAX);
  args->AddFlag("--one-version", &del->one_version,
                "only the version with exactly --timestamp; default the newest one");
  return [del](const Console& console) { return (*del)(console); };
}

}  // namespace klip::cli
