// Writes rows as lines of text, CSV, TSV or JSON, to a stream or a file. An export into a file resumes after a kill.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/copy_options.h"
#include "klip/query.h"

namespace klip::cli {

struct TextExport {
  std::string file;                        // empty: console.out
  std::string format;                      // "csv", "tsv", "json"; empty: by the file's name, else json
  std::vector<std::string> columns = {};   // --columns: fields as an import names them; of JSON also families
  std::vector<std::string> families = {};  // of the table
  std::string null_text = {};              // of CSV and TSV: where there is no cell
  bool timestamps = false;
  std::string job = {};      // of a file: what is exported, in words, by which one that was interrupted is known
  bool whole_table = false;  // the scan has no conditions, so the table's statistics tell how long it is
  const MoveArguments* move = nullptr;

  // `scan`: without columns. Errors: kInvalidArgument for a scan that cannot be written as lines, and for a row that lines
  // cannot contain.
  Expected<int> Run(const Console& console, Table* table, Scan scan) const;

 private:
  // The file that replaces `file` when the export is complete: the target of a symbolic link. Empty if `file` is written
  // directly, such as a device or a pipe.
  Expected<std::string> Target() const;
};

}  // namespace klip::cli
