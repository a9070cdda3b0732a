// klip import: a whole export into a table; or rows of text (text_import.h); or HFiles of HBase.
#include <filesystem>

#include "cli/command.h"
#include "cli/copy_options.h"
#include "cli/python_files.h"
#include "cli/text_import.h"
#include "table/embedded_connection.h"
#include "table/load/hfile_load.h"

namespace klip::cli {
namespace {

struct Import {
  TextImportOptions text;
  MoveArguments move;
  int32_t threads = 0;

  Expected<int> operator()(const Console& console) const;
  Expected<int> FromColumns() const;
  Expected<int> FromDirectory(const Console& console) const;
  Expected<int> LoadHFiles(const Console& console) const;
  Expected<int> FromText(const Console& console) const;
};

Expected<int> Import::LoadHFiles(const Console& console) const {
  KLIP_ASSIGN_OR_RETURN(OpenTable open, Open(text.arguments));
  auto* embedded = dynamic_cast<table::EmbeddedConnection*>(open.connection.get());
  if (embedded == nullptr) {
    return UsageError(
        "HFiles can only be loaded into a store in a directory; for a cluster, use HBase's completebulkload");
  }
  const int64_t start_us = MonotonicUs();
  KLIP_ASSIGN_OR_RETURN(const std::vector<LoadedFile> files, table::FindHFiles(text.file));
  if (files.empty()) {
    return UsageError("'" + text.file + "' has no HFiles: it must contain a directory for each family");
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<table::HFileLoad> load,
                        table::HFileLoad::Open(&embedded->shared(), text.arguments.table, files));
  KLIP_RETURN_IF_ERROR(load->Run());
  console.Print("loaded {} cells of {} HFiles in {}\n", FormatCount(load->cells()), FormatCount(files.size()),
                FormatDuration(MonotonicUs() - start_us));
  return kExitOk;
}

// A directory written by klip export.
Expected<int> Import::FromDirectory(const Console& console) const {
  if (text.IsAsked()) {
    return UsageError("'" + text.file +
                      "' is a directory: an import of an export accepts only --threads, --rate, --state and --restart");
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection,
                        OpenStore(text.arguments.store, {.ignore_coprocessors = text.arguments.ignore_coprocessors}));
  CopyOptions options = {.threads = ThreadsOf(threads)};
  const std::string from = std::filesystem::absolute(text.file).lexically_normal().string();
  KLIP_RETURN_IF_ERROR(
      move.Apply(fmt::format("{} -> {}", from, NameOf({text.arguments.store, text.arguments.table})), &options));
  TellOfState(console, options);
  const int64_t start_us = MonotonicUs();
  CopyCounts counts;
  {
    const CopyProgressBar bar(console, "importing", &options);
    KLIP_ASSIGN_OR_RETURN(counts, ImportTable(text.file, *connection, text.arguments.table, options));
  }
  console.Print("{}\n", CopyText("imported", counts, MonotonicUs() - start_us));
  return kExitOk;
}

// Parquet or Arrow.
Expected<int> Import::FromColumns() const {
  TextImportOptions others = text;
  others.format.clear();
  others.columns.clear();
  if (others.IsAsked() || move.names_state() || threads != 0) {
    return UsageError("--format " + text.format + " can only be combined with --columns");
  }
  std::vector<std::string> words = {"import", text.arguments.store, text.arguments.table, text.file,
                                    "--format=" + text.format};
  if (!text.columns.empty()) {
    words.push_back("--columns=" + text.columns);
  }
  return RunPythonFiles(words);
}

Expected<int> Import::operator()(const Console& console) const {
  if (IsPythonFormat(text.format)) {
    return FromColumns();
  }
  std::error_code ignored;
  if (text.format != "hfile" && !std::filesystem::is_directory(text.file, ignored)) {
    return FromText(console);
  }
  const bool is_export = text.format.empty() && (std::filesystem::exists(text.file + "/MANIFEST", ignored) ||
                                                 std::filesystem::exists(text.file + "/STATE", ignored));
  return is_export ? FromDirectory(console) : LoadHFiles(console);
}

Expected<int> Import::FromText(const Console& console) const {
  if (threads != 0 || !move.compression().empty()) {
    return UsageError("--threads and --compression only work with a directory of klip export");
  }
  return ImportText(console, text, move);
}

}  // namespace

Run AddImportCommand(Arguments* args) {
  auto import = std::make_shared<Import>();
  import->text.AddTo(args);
  args->Add("--threads", &import->threads, "for a directory: threads, 0 = one per core").Between(0, 256);
  import->move.AddTo(args);
  return [import](const Console& console) { return (*import)(console); };
}

}  // namespace klip::cli
