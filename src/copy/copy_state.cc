#include "copy/copy_state.h"

#include <utility>

namespace klip::copy {

Expected<CopyState> CopyState::Open(const std::string& path, const std::string& job) {
  std::vector<DonePart> done;
  auto read = [&](std::string_view line) { return ParsePart(SplitAtTabs(line), &done.emplace_back()); };
  KLIP_ASSIGN_OR_RETURN(StateFile file, StateFile::Open(path, "copy", job, read));
  return CopyState(std::move(file), std::move(done));
}

std::vector<KeyRange> CopyState::done_ranges() const {
  std::vector<KeyRange> ranges;
  for (const DonePart& part : done_) {
    ranges.push_back(part.range);
  }
  return ranges;
}

Status CopyState::Add(DonePart part) {
  KLIP_RETURN_IF_ERROR(file_.Append(LineOf(part)));
  done_.push_back(std::move(part));
  return Status::Ok();
}

Status CopyState::Clear() {
  done_.clear();
  return file_.Clear();
}

}  // namespace klip::copy
