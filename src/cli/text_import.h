// Rows from CSV, TSV or JSON lines into a table: by batches or, sorted, as finished files. An import of a file that was killed,
// or ended by a bad line, resumes.
//
// All cells whose line has no timestamp get that of the import, which its state file keeps: what is written twice, since an
// import was killed between a batch and noting it, is the same cell and no second version.
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

  // Any option that is for lines of text only.
  bool IsAsked() const;
  // Errors: kInvalidArgument.
  Expected<InputForm> Form(const Table& table) const;
  // What is imported, and how: two runs with the same text are the same job.
  std::string Job() const;
};

// The exit code.
Expected<int> ImportText(const Console& console, const TextImportOptions& options, const MoveArguments& move);

}  // namespace klip::cli
