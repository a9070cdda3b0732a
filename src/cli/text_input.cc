#include "cli/text_input.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cli/command.h"

namespace klip::cli {
namespace {

constexpr size_t kBufferBytes = 256 << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8

}  // namespace

TextInput::TextInput(InputBytes bytes) : bytes_(std::move(bytes)), buffer_(kBufferBytes, '\0') {}

Expected<std::unique_ptr<TextInput>> TextInput::Open(const std::string& path) {
  KLIP_ASSIGN_OR_RETURN(InputBytes bytes, InputBytes::Open(path));
  return std::unique_ptr<TextInput>(new TextInput(std::move(bytes)));
}

Expected<bool> TextInput::Fill() {
  Consume(0);
  at_ = end_ = digested_ = 0;
  KLIP_ASSIGN_OR_RETURN(end_, bytes_.Read(buffer_.data(), buffer_.size()));
  if (offset_ == 0 && std::string_view(buffer_).substr(0, end_).starts_with(kByteOrderMark)) {
    Consume(kByteOrderMark.size());
  }
  return at_ < end_;
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
  line_end_ = {};
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
      line_end_ = "\n";
      break;
    }
  }
  ++line_;
  if (too_long) {
    line->clear();
    return UsageError(fmt::format("line {}: longer than {} bytes", line_, kMaxLineBytes));
  }
  if (!line->empty() && line->back() == '\r') {
    line->pop_back();
    line_end_ = line_end_.empty() ? "\r" : "\r\n";
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
