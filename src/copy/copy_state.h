// The state file of a copy: one line (done_part.h) per finished key range, on disk before the next is started. A copy
// that was killed resumes from there.
#pragma once

#include <string>
#include <vector>

#include "copy/done_part.h"
#include "copy/state_file.h"
#include "klip/status.h"

namespace klip::copy {

// Not thread-safe.
class CopyState {
 public:
  CopyState() = default;

  // An empty path stores nothing. Errors: those of StateFile::Open.
  static Expected<CopyState> Open(const std::string& path, const std::string& job);

  const std::vector<DonePart>& done() const { return done_; }
  std::vector<KeyRange> done_ranges() const;

  // On disk when it returns.
  Status Add(DonePart part);

  // Forgets all finished ranges.
  Status Clear();
  // After the end: removes the file.
  Status Remove() { return file_.Remove(); }

 private:
  CopyState(StateFile file, std::vector<DonePart> done) : file_(std::move(file)), done_(std::move(done)) {}

  StateFile file_;
  std::vector<DonePart> done_;
};

}  // namespace klip::copy
