// Reads the lines of a file or a stream, plain or gzip. Skips a byte order mark at the start. Tracks the bytes read and their
// digest, so that a later read of the file can resume there and detect changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "cli/input_bytes.h"
#include "klip/status.h"

namespace klip::cli {

class TextInput {
 public:
  static constexpr size_t kMaxLineBytes = 64 << 20;

  // Errors: kInvalidArgument if the file cannot be read.
  static Expected<std::unique_ptr<TextInput>> Open(const std::string& path);
  // The caller keeps the stream.
  explicit TextInput(std::FILE* stream) : TextInput(InputBytes(stream)) {}

  // Reads the next line, without its end; false after the last one. Errors: kInvalidArgument for a line that is too long
  // (the next call reads the line after it); those of InputBytes::Read.
  Expected<bool> ReadLine(std::string* line);

  // Of the last line: "\n", "\r\n", or what ends the input, "" or "\r".
  std::string_view line_end() const { return line_end_; }
  int64_t line() const { return line_; }      // lines read so far
  int64_t offset() const { return offset_; }  // bytes read so far, unpacked
  std::string Digest();                       // SHA-256 of them, 32 bytes

  // Skips to the position of an earlier read, whose digest is in hex. False: the file has changed.
  Expected<bool> SkipTo(int64_t offset, int64_t line, const std::string& digest);

  // As of InputBytes; the size is 0 if it is unknown.
  bool is_file() const { return bytes_.is_file(); }
  int64_t size_bytes() const { return is_file() ? bytes_.size_bytes() : 0; }
  int64_t position() const { return bytes_.position(); }

 private:
  explicit TextInput(InputBytes bytes);

  Expected<bool> Fill();
  void Consume(size_t bytes);

  InputBytes bytes_;
  std::string buffer_;
  size_t at_ = 0;        // in buffer_: what is to be read next
  size_t end_ = 0;       // behind what was filled in
  size_t digested_ = 0;  // before at_
  base::Sha256Stream digest_;
  int64_t offset_ = 0;
  int64_t line_ = 0;
  std::string_view line_end_;
};

}  // namespace klip::cli
