// Rows as lines of text, CSV, TSV or JSON, onto a stream or into a file. An export into a file resumes if it was
// killed.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/copy_options.h"
#include "klip/query.h"

namespace klip::cli {

struct TextExport {
  std::string file;    // empty: console.out
  std::string format;  // "csv", "tsv", "json"; empty: by the file's name, else json
  bool timestamps = false;
  std::string job = {};      // of a file: what is exported, in words, by which one that was interrupted is known
  bool whole_table = false;  // the scan has no conditions, so the table's statistics tell how long it is
  const MoveArguments* move = nullptr;

  // Errors: kInvalidArgument for a scan that has no form in lines.
  Expected<int> Run(const Console& console, Table* table, Scan scan) const;

 private:
  // The file that takes the place of `file` when all is written: where a symbolic link leads. Empty for what is written to as it
  // is, such as a device or a pipe.
  Expected<std::string> Target() const;
};

}  // namespace klip::cli
