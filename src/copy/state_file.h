// A file of lines that says how far a job is, so that one that was killed goes on from there. Its first line names the job:
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
  // False: the line is none of this kind.
  using ReadLine = std::function<bool(std::string_view line)>;

  // An empty path keeps nothing.
  StateFile() = default;
  StateFile(StateFile&& other) noexcept;
  StateFile& operator=(StateFile&&) = delete;
  ~StateFile();

  // Calls `read` with each line behind the first, without its end. A line that was cut off in the middle is dropped.
  // Errors: kInvalidArgument for a file of another job, no state file at all or a line that `read` refuses;
  // kOperationConflict while another process has it open; kIoError.
  static Expected<StateFile> Open(const std::string& path, std::string_view kind, const std::string& job,
                                  const ReadLine& read);

  // On disk when it returns. `lines` end with a line end each.
  Status Append(std::string_view lines);
  // Forgets all lines but the first.
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
