// The state file of a copy: one line per finished key range, on disk before the next is begun. A copy that was killed goes on from
// there. Lines, with tabs between the parts and bytes as \xNN:
//
//   klip copy state 1 <job>
//   a line of done_part.h
#pragma once

#include <string>
#include <vector>

#include "copy/done_part.h"
#include "klip/status.h"

namespace klip::copy {

// Not thread-safe.
class CopyState {
 public:
  CopyState() = default;
  CopyState(CopyState&& other) noexcept;
  CopyState& operator=(CopyState&&) = delete;
  ~CopyState();

  // An empty path keeps nothing. A line that was cut off in the middle is dropped.
  // Errors: kInvalidArgument for a file of another job or no state file at all, kOperationConflict while another process has
  // it open, kIoError.
  static Expected<CopyState> Open(const std::string& path, const std::string& job);

  const std::vector<DonePart>& done() const { return done_; }
  std::vector<KeyRange> done_ranges() const;

  // On disk when it returns.
  Status Add(DonePart part);

  // Forgets all that is done.
  Status Clear();
  // After the end: removes the file.
  Status Remove();

 private:
  Status Read(std::string_view text, size_t* valid_bytes);
  Status Write(std::string_view text);
  std::string FirstLine() const;

  std::string path_;
  std::string job_;
  int file_ = -1;
  std::vector<DonePart> done_;
};

}  // namespace klip::copy
