// How far an import of a file of text is. Lines of its state file (copy/state_file.h):
//
//   at <timestamp>                                                          of cells whose line has none, before anything is written
//   done <bytes> <lines> <rows> <skipped> <bytes of rejects> <SHA-256 of the bytes> <last row>     the last one counts
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "copy/state_file.h"
#include "klip/status.h"

namespace klip::cli {

struct TextProgress {
  int64_t offset = 0;  // of the input, in bytes of text
  int64_t line = 0;
  int64_t rows = 0;     // loaded
  int64_t skipped = 0;  // bad ones
  int64_t rejects_bytes = 0;
  std::string digest;    // SHA-256 of the input up to offset, in hex
  std::string last_row;  // that was loaded; empty: none
};

// Not thread-safe.
class TextImportState {
 public:
  // With an empty path, it stores nothing. A new state stores `timestamp_ms`; an existing one has its own. Errors: those
  // of copy::StateFile::Open.
  static Expected<TextImportState> Open(const std::string& path, const std::string& job, int64_t timestamp_ms);

  int64_t timestamp_ms() const { return timestamp_ms_; }
  const TextProgress& progress() const { return progress_; }  // as of the beginning

  // On disk when it returns.
  Status Note(const TextProgress& progress);
  // After the end: removes the file.
  Status Remove() { return file_.Remove(); }

 private:
  TextImportState(copy::StateFile file, int64_t timestamp_ms, TextProgress progress)
      : file_(std::move(file)), timestamp_ms_(timestamp_ms), progress_(std::move(progress)) {}

  copy::StateFile file_;
  int64_t timestamp_ms_;
  TextProgress progress_;
};

}  // namespace klip::cli
