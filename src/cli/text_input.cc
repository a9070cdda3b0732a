#include "cli/text_input.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>
#include <sys/stat.h>
#include <zlib.h>

#include "cli/command.h"

namespace klip::cli {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

}  // namespace

TextInput::TextInput(std::FILE* stream)
    : path_("standard input"), stream_(stream), file_(nullptr, gzclose_r), buffer_(kBufferBytes, '\0') {}

Expected<std::unique_ptr<TextInput>> TextInput::Open(const std::string& path) {
  auto input = std::make_unique<TextInput>(nullptr);
  input->path_ = path;
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  input->file_.reset(gzopen(path.c_str(), "rbe"));  // reads what is not packed as it is
  if (input->file_ == nullptr) {
    return UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  gzbuffer(input->file_.get(), kBufferBytes);
  if (S_ISREG(info.st_mode)) {
    input->size_bytes_ = info.st_size;
  }
  return input;
}

Expected<bool> TextInput::Fill() {
  Consume(0);
  at_ = end_ = digested_ = 0;
  if (stream_ != nullptr) {
    end_ = std::fread(buffer_.data(), 1, buffer_.size(), stream_);
    if (end_ == 0 && std::ferror(stream_) != 0) {
      return Status(Code::kIoError, "cannot read standard input");
    }
    position_ += static_cast<int64_t>(end_);
    return end_ > 0;
  }
  const int read = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int error = Z_OK;
  const char* const text = gzerror(file_.get(), &error);
  if (read < 0 || error < 0) {
    return Status(Code::kIoError, fmt::format("cannot read '{}' beyond byte {} of its text: {}", path_, offset_,
                                              error == Z_ERRNO       ? std::strerror(errno)
                                              : error == Z_BUF_ERROR ? "the gzip file is cut off"
                                                                     : text));
  }
  end_ = static_cast<size_t>(read);
  position_ = gzoffset(file_.get());
  return end_ > 0;
}

void TextInput::Consume(size_t bytes) {
  at_ += bytes;
  offset_ += static_cast<int64_t>(bytes);
  if (at_ == end_) {
    digest_.Add(std::string_view(buffer_).substr(digested_, at_ - digested_));
    digested_ = at_;
  }
}

Expected<bool> TextInput::ReadLine(std::string* line) {
  line->clear();
  bool any = false;
  bool too_long = false;
  while (true) {
    if (at_ == end_) {
      KLIP_ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more && !any) {
        return false;
      }
      if (!more) {
        break;
      }
    }
    any = true;
    const std::string_view rest = std::string_view(buffer_).substr(at_, end_ - at_);
    const size_t end = rest.find('\n');
    const std::string_view piece = rest.substr(0, end);
    too_long = too_long || line->size() + piece.size() > kMaxLineBytes;
    if (!too_long) {
      line->append(piece);
    }
    Consume(piece.size() + (end == std::string_view::npos ? 0 : 1));
    if (end != std::string_view::npos) {
      break;
    }
  }
  ++line_;
  if (too_long) {
    return UsageError(fmt::format("line {}: longer than {} bytes", line_, kMaxLineBytes));
  }
  if (!line->empty() && line->back() == '\r') {
    line->pop_back();
  }
  return true;
}

std::string TextInput::Digest() {
  digest_.Add(std::string_view(buffer_).substr(digested_, at_ - digested_));
  digested_ = at_;
  return digest_.Value();
}

Expected<bool> TextInput::SkipTo(int64_t offset, int64_t line, const std::string& digest) {
  while (offset_ < offset) {
    if (at_ == end_) {
      KLIP_ASSIGN_OR_RETURN(const bool more, Fill());
      if (!more) {
        return false;
      }
    }
    Consume(std::min(end_ - at_, static_cast<size_t>(offset - offset_)));
  }
  line_ = line;
  return offset_ == offset && base::Hex(Digest()) == digest;
}

}  // namespace klip::cli
