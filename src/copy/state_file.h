// A file of lines that records the progress of a job, so that it can resume after being killed. Its first line names the
// job:
//
//   klip <kind> state 1 <tab> <job>
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip::copy {

// Not thread-safe.
class StateFile {
 public:
  // False: not a line of this kind.
  using ReadLine = std::function<bool(std::string_view line)>;

  // An empty path stores nothing.
  StateFile() = default;
  StateFile(StateFile&& other) noexcept;
  StateFile& operator=(StateFile&&) = delete;
  ~StateFile();

  // Calls `read` with each line after the first, without its end. Drops a line that was cut off. Errors: kInvalidArgument
  // for the file of another job, a file that is not a state file, or a line that `read` rejects; kOperationConflict while
  // another process has it open; kIoError.
  static Expected<StateFile> Open(const std::string& path, std::string_view kind, const std::string& job,
                                  const ReadLine& read);

  // On disk when it returns. Each of `lines` ends with a line end.
  Status Append(std::string_view lines);
  // Forgets all lines except the first.
  Status Clear();
  // After the end: removes the file.
  Status Remove();

 private:
  Status Read(std::string_view text, const ReadLine& read, size_t* valid_bytes) const;

  std::string path_;
  std::string kind_;
  std::string first_line_;
  int file_ = -1;
};

}  // namespace klip::copy
