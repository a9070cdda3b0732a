// klip export: a whole table as files in a directory, or rows as lines of text (text_export.h). klip import reads both.
#include <filesystem>

#include <fmt/format.h>

#include "base/paths.h"
#include "cli/command.h"
#include "cli/copy_options.h"
#include "cli/python_files.h"
#include "cli/scan_options.h"
#include "cli/text_export.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

struct Export {
  TableArguments arguments;
  ScanOptions options;
  MoveArguments move;
  std::string directory;
  std::string file;
  std::string format;
  std::string partition_by;
  std::string null_text;
  bool timestamps = false;

  Expected<int> operator()(const Console& console) const {
    if (IsPythonFormat(format)) {
      return ToColumns();
    }
    if (!partition_by.empty()) {
      return UsageError("--partition-by is for --format parquet and arrow");
    }
    KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(arguments));
    if (!directory.empty()) {
      KLIP_ASSIGN_OR_RETURN(const Scan scan, options.Make(*open.table));
      return file.empty() && format.empty() && null_text.empty()
                 ? ToDirectory(console, open, scan)
                 : UsageError("--output, --format and --null are for lines of text: use them without a directory");
    }
    KLIP_ASSIGN_OR_RETURN(Scan scan, options.MakeRows(*open.table));
    KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, open.connection->admin().GetDescriptor(arguments.table));
    if (file.empty() && move.names_state()) {
      return UsageError("an export to standard output cannot be resumed: --state and --restart need --output");
    }
    TextExport text = {.file = file,
                       .format = format,
                       .columns = options.columns(),
                       .null_text = null_text,
                       .timestamps = timestamps,
                       .whole_table = options.Everything(),
                       .move = &move};
    for (const FamilyDescriptor& family : descriptor.families) {
      text.families.push_back(family.name);
    }
    if (!file.empty()) {
      text.job = fmt::format("{} -> {} {} {}{}{}", NameOf({arguments.store, arguments.table}),
                             std::filesystem::absolute(file).lexically_normal().string(), options.Text(), format,
                             timestamps ? " timestamps" : "", null_text.empty() ? "" : " null=" + null_text);
    }
    return text.Run(console, open.table.get(), std::move(scan));
  }

  // Parquet or Arrow.
  Expected<int> ToColumns() const {
    if (file.empty() || !directory.empty() || timestamps || move.names_state() || !null_text.empty()) {
      return UsageError("--format " + format +
                        " needs --output, without DIRECTORY, --timestamps, --null, --state and --restart");
    }
    KLIP_RETURN_IF_ERROR(base::CheckOutsideStores(file));
    std::vector<std::string> words = {"export", arguments.store, arguments.table, file, "--format=" + format};
    if (!partition_by.empty()) {
      words.push_back("--partition-by=" + partition_by);
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> scan, options.ForFiles());
    words.insert(words.end(), scan.begin(), scan.end());
    return RunPythonFiles(words);
  }

  // Everything, including versions and delete markers (docs/copy.md).
  Expected<int> ToDirectory(const Console& console, const OpenTable& open, const Scan& scan) const {
    CopyOptions copy = {.start_row = scan.start_row, .stop_row = scan.stop_row, .time_range = scan.time_range};
    for (const ColumnSpec& column : scan.columns) {
      if (column.qualifier) {
        return UsageError("an export into a directory contains whole families, not single columns such as " +
                          column.family + ":" + *column.qualifier);
      }
      copy.families.push_back(column.family);
    }
    if (scan.where || scan.filter != nullptr || scan.reversed || scan.limit_rows > 0 || timestamps) {
      return UsageError(
          "an export into a directory does not support --where, --filter, --fuzzy, --reverse, --limit and "
          "--timestamps");
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
            "export everything into this directory, versions and delete markers too; without it, print lines of text");
  command->options.AddTo(
      args, /*with_columns=*/true,
      "fields, separated by commas, as for klip import: family:qualifier, with :int, :long or :hex, key "
      "fields, HBASE_ROW_KEY, HBASE_TS_KEY, -; of json and directories also whole families");
  command->move.AddTo(args);
  args->Add("--output", &command->file, "write the lines to this file; default standard output");
  args->Add("--format", &command->format,
            "format of the lines: json (one object each), csv or tsv; default: from the file's name, else json. Or "
            "parquet or arrow: "
            "--columns then includes types, \"d:visits i64,d:from text\"; needs Python with klip and pyarrow")
      .OneOf({"json", "csv", "tsv", "parquet", "arrow"});
  args->Add("--partition-by", &command->partition_by,
            "with parquet and arrow: a key field; --output becomes a directory of files, one for each value");
  args->Add(
      "--null", &command->null_text,
      "with csv and tsv: text for a column without a cell; an empty field is then an empty value, as for klip import");
  args->AddFlag("--timestamps", &command->timestamps, "with json: include timestamps");
  return [command](const Console& console) { return (*command)(console); };
}

}  // namespace klip::cli
