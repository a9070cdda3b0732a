#include "copy/copy_state.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "copy/io_error.h"
#include "klip/bytes.h"

namespace klip::copy {
namespace {

constexpr std::string_view kMagic = "klip copy state 1\t";

}  // namespace

CopyState::CopyState(CopyState&& other) noexcept
    : path_(std::move(other.path_)),
      job_(std::move(other.job_)),
      file_(std::exchange(other.file_, -1)),
      done_(std::move(other.done_)) {}

CopyState::~CopyState() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

std::string CopyState::FirstLine() const { return std::string(kMagic) + ToStringBinary(job_) + "\n"; }

Expected<CopyState> CopyState::Open(const std::string& path, const std::string& job) {
  CopyState state;
  if (path.empty()) {
    return state;
  }
  state.path_ = path;
  state.job_ = job;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  state.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (state.file_ < 0) {
    return IoError("cannot open the state file", path);
  }
  if (::flock(state.file_, LOCK_EX | LOCK_NB) != 0) {
    return Status(Code::kOperationConflict, "another process works by the state file '" + path + "'");
  }
  std::ifstream input(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  size_t valid_bytes = 0;
  KLIP_RETURN_IF_ERROR(state.Read(text, &valid_bytes));
  if (::ftruncate(state.file_, static_cast<off_t>(valid_bytes)) != 0 || ::lseek(state.file_, 0, SEEK_END) < 0) {
    return IoError("cannot write the state file", path);
  }
  if (valid_bytes == 0) {
    KLIP_RETURN_IF_ERROR(state.Write(state.FirstLine()));
  }
  return state;
}

Status CopyState::Read(std::string_view text, size_t* valid_bytes) {
  for (size_t line_number = 1;; ++line_number) {
    const size_t end = text.find('\n', *valid_bytes);
    if (end == std::string_view::npos) {
      return Status::Ok();
    }
    const std::string_view line = text.substr(*valid_bytes, end + 1 - *valid_bytes);
    if (line_number == 1) {
      if (!line.starts_with(kMagic)) {
        return {Code::kInvalidArgument, "'" + path_ + "' is no state file of a copy"};
      }
      if (line != FirstLine()) {
        return {Code::kInvalidArgument, "the state file '" + path_ + "' is of another job: " +
                                            std::string(line.substr(kMagic.size(), line.size() - kMagic.size() - 1))};
      }
    } else {
      DonePart part;
      if (!ParsePart(SplitAtTabs(line.substr(0, line.size() - 1)), &part)) {
        return {Code::kInvalidArgument, "the state file '" + path_ + "' is damaged in line " +
                                            std::to_string(line_number) + ": remove it to begin anew"};
      }
      done_.push_back(std::move(part));
    }
    *valid_bytes = end + 1;
  }
}

Status CopyState::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0) {
      return IoError("cannot write the state file", path_);
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return ::fdatasync(file_) == 0 ? Status::Ok() : IoError("cannot write the state file", path_);
}

std::vector<KeyRange> CopyState::done_ranges() const {
  std::vector<KeyRange> ranges;
  for (const DonePart& part : done_) {
    ranges.push_back(part.range);
  }
  return ranges;
}

Status CopyState::Add(DonePart part) {
  if (file_ >= 0) {
    KLIP_RETURN_IF_ERROR(Write(LineOf(part)));
  }
  done_.push_back(std::move(part));
  return Status::Ok();
}

Status CopyState::Clear() {
  done_.clear();
  if (file_ < 0) {
    return Status::Ok();
  }
  if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) < 0) {
    return IoError("cannot write the state file", path_);
  }
  return Write(FirstLine());
}

Status CopyState::Remove() {
  if (file_ < 0) {
    return Status::Ok();
  }
  ::close(std::exchange(file_, -1));
  return ::unlink(path_.c_str()) == 0 ? Status::Ok() : IoError("cannot remove the state file", path_);
}

}  // namespace klip::copy
