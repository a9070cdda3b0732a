// klip export: all of a table as files in a directory, or rows as JSON lines or CSV. klip import reads either.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/copy_options.h"
#include "cli/printer.h"
#include "cli/scan_options.h"
#include "cli/texts.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

Json CellWithTime(const Cell& cell) {
  return {{"timestamp", cell.timestamp_ms}, {"value", ToStringBinary(cell.value)}};
}

// {"row": "...", "d:visits": "3"}; with timestamps {"d:visits": [{"timestamp": 1, "value": "3"}, ...]}.
std::string JsonLine(const Result& row, bool timestamps) {
  Json line;
  line["row"] = ToStringBinary(row.row());
  for (const Cell& cell : row) {
    std::string column = std::string(cell.family) + ":" + ToStringBinary(cell.qualifier);
    if (timestamps) {
      line[column].push_back(CellWithTime(cell));
    } else {
      line[column] = ToStringBinary(cell.value);
    }
  }
  return line.dump() + "\n";
}

// The key fields (the whole row where there is no schema), then one field per column.
class CsvWriter {
 public:
  CsvWriter(const Console& console, std::optional<RowKeySchema> schema, std::vector<ColumnSpec> columns)
      : console_(console), schema_(std::move(schema)), columns_(std::move(columns)) {}

  void Header() {
    std::string line;
    if (schema_) {
      for (const KeyField& field : schema_->fields()) {
        if (!field.derived()) {
          line += (line.empty() ? "" : ",") + CsvField(field.name, ',');
        }
      }
    } else {
      line = "HBASE_ROW_KEY";
    }
    for (const ColumnSpec& column : columns_) {
      line += "," + CsvField(column.family + ":" + ToStringBinary(*column.qualifier), ',');
    }
    console_.Write(line + "\n");
  }

  Status Row(const Result& row) {
    std::string line;
    if (schema_) {
      KLIP_ASSIGN_OR_RETURN(std::vector<std::string> values, schema_->Decode(row.row()));
      for (size_t i = 0; i < values.size(); ++i) {
        if (!schema_->fields()[i].derived()) {
          line += (line.empty() ? "" : ",") + CsvField(ToStringBinary(values[i]), ',');
        }
      }
    } else {
      line = CsvField(ToStringBinary(row.row()), ',');
    }
    for (const ColumnSpec& column : columns_) {
      std::optional<std::string_view> value = row.Value(column.family, *column.qualifier);
      line += "," + (value ? CsvField(ToStringBinary(*value), ',') : std::string());
    }
    console_.Write(line + "\n");
    return Status::Ok();
  }

 private:
  const Console& console_;
  std::optional<RowKeySchema> schema_;
  std::vector<ColumnSpec> columns_;
};

struct Export {
  TableArguments arguments;
  ScanOptions options;
  MoveArguments move;
  std::string directory;
  std::string format = "json";
  bool timestamps = false;

  Expected<int> operator()(const Console& console) const {
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
    KLIP_ASSIGN_OR_RETURN(Scan scan, options.Make(*open.table));
    if (!directory.empty()) {
      return ToDirectory(console, open, scan);
    }
    if (scan.raw) {
      return UsageError("delete markers have no form in lines of text: give a directory, or leave out --raw");
    }
    bool csv = format == "csv";
    for (const ColumnSpec& column : scan.columns) {
      if (csv && !column.qualifier) {
        return UsageError("csv needs whole columns, --columns family:qualifier,...");
      }
    }
    if (csv && scan.columns.empty()) {
      return UsageError("csv needs --columns family:qualifier,...");
    }
    CsvWriter writer(console, open.table->row_key_schema(), scan.columns);
    if (csv) {
      writer.Header();
    }
    bool with_time = timestamps || scan.max_versions > 1;
    KLIP_ASSIGN_OR_RETURN(auto scanner, open.table->Scan(scan));
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
      if (!more) {
        return kExitOk;
      }
      if (csv) {
        KLIP_RETURN_IF_ERROR(writer.Row(row));
      } else {
        console.Write(JsonLine(row, with_time));
      }
      if (std::ferror(console.out) != 0) {
        return Status(Code::kIoError, "cannot write the output");
      }
    }
  }

  // Everything, versions and delete markers too (docs/copy.md).
  Expected<int> ToDirectory(const Console& console, const OpenTable& open, const Scan& scan) const {
    CopyOptions copy = {.start_row = scan.start_row, .stop_row = scan.stop_row, .time_range = scan.time_range};
    for (const ColumnSpec& column : scan.columns) {
      if (column.qualifier) {
        return UsageError("whole families only go into a directory, not the column " + column.family + ":" +
                          *column.qualifier);
      }
      copy.families.push_back(column.family);
    }
    if (scan.where || scan.filter != nullptr || scan.reversed || scan.limit_rows > 0 || timestamps) {
      return UsageError(
          "an export into a directory is of a key range: without --where, --fuzzy, --reverse, --limit, --timestamps");
    }
    copy.threads = scan.threads == 1 ? ThreadsOf(0) : ThreadsOf(scan.threads);
    copy.state_file = directory + "/STATE";
    KLIP_RETURN_IF_ERROR(
        move.Apply(fmt::format("{} {}..{} {} {}..{}", NameOf({arguments.store, arguments.table}),
                               ToStringBinary(copy.start_row), ToStringBinary(copy.stop_row),
                               fmt::join(copy.families, ","), copy.time_range.min_ms, copy.time_range.max_ms),
                   &copy));
    TellOfState(console, copy);
    const int64_t start_us = MonotonicUs();
    CopyCounts counts;
    {
      const CopyProgressBar bar(console, "exporting", &copy);
      KLIP_ASSIGN_OR_RETURN(counts, ExportTable(*open.connection, arguments.table, directory, copy));
    }
    console.Print("{}\n", CopyText("exported", counts, MonotonicUs() - start_us));
    return kExitOk;
  }
};

}  // namespace

Run AddExportCommand(Arguments* args) {
  auto command = std::make_shared<Export>();
  command->arguments.AddTo(args);
  args->Add("DIRECTORY", &command->directory,
            "where everything goes, versions and delete markers too; without it: lines of text");
  command->options.AddTo(args, /*with_columns=*/true);
  command->move.AddTo(args);
  args->Add("--format", &command->format, "of lines: json (one object each) or csv").OneOf({"json", "csv"});
  args->AddFlag("--timestamps", &command->timestamps, "with json: timestamps too");
  return [command](const Console& console) { return (*command)(console); };
}

}  // namespace klip::cli
