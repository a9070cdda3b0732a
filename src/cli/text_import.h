// Loads rows from CSV, TSV or JSON lines into a table: in batches or, sorted, as finished files. The import of a file
// resumes after a kill or a bad line.
//
// Cells of lines without a timestamp get the timestamp of the import, which its state file keeps. If an import is killed
// between a batch and its record, the batch is written twice: as the same cells, not as second versions.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/copy_options.h"
#include "cli/input_reader.h"

namespace klip::cli {

struct TextImportOptions {
  TableArguments arguments;
  std::string file = "-";
  std::string format;
  std::string columns;
  std::string key;
  std::string null_text;
  std::string rejects;
  int64_t timestamp_ms = kLatestTimestamp;
  bool header = false;
  bool escapes = false;
  bool bulk = false;
  bool skip_bad = false;

  void AddTo(Arguments* args);

  // Whether any option that applies only to lines of text is set.
  bool IsAsked() const;
  // Errors: kInvalidArgument.
  Expected<InputForm> Form(const Table& table) const;
  // The input and the options: two runs with the same text are the same job.
  std::string Job() const;
};

// The exit code.
Expected<int> ImportText(const Console& console, const TextImportOptions& options, const MoveArguments& move);

}  // namespace klip::cli
