// Reads the lines of a file (plain or gzip) or a stream. Tracks the bytes read and their digest, so that a later read of
// the file can resume there and detect changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/digest.h"
#include "klip/status.h"

struct gzFile_s;

namespace klip::cli {

class TextInput {
 public:
  static constexpr size_t kMaxLineBytes = 64 << 20;

  // Errors: kInvalidArgument if the file cannot be read.
  static Expected<std::unique_ptr<TextInput>> Open(const std::string& path);
  // The caller keeps the stream.
  explicit TextInput(std::FILE* stream);

  // Reads the next line, without its end; false after the last one. Errors: kInvalidArgument for a line that is too long
  // (the next call reads the line after it), kIoError if the file cannot be read further.
  Expected<bool> ReadLine(std::string* line);

  int64_t line() const { return line_; }      // lines read so far
  int64_t offset() const { return offset_; }  // bytes read so far, unpacked
  std::string Digest();                       // SHA-256 of them, 32 bytes

  // Skips to the position of an earlier read, whose digest is in hex. False: the file has changed.
  Expected<bool> SkipTo(int64_t offset, int64_t line, const std::string& digest);

  // Whether it can be read again from the beginning, unlike a pipe.
  bool is_file() const { return size_bytes_ >= 0; }
  // For progress: the size of the file on disk, 0 if unknown, and the bytes read of it.
  int64_t size_bytes() const { return is_file() ? size_bytes_ : 0; }
  int64_t position() const { return position_; }

 private:
  using GzPointer = std::unique_ptr<gzFile_s, int (*)(gzFile_s*)>;

  Expected<bool> Fill();
  void Consume(size_t bytes);

  std::string path_;
  std::FILE* stream_ = nullptr;
  GzPointer file_;
  int64_t size_bytes_ = -1;
  int64_t position_ = 0;

  std::string buffer_;
  size_t at_ = 0;        // in buffer_: what is to be read next
  size_t end_ = 0;       // behind what was filled in
  size_t digested_ = 0;  // before at_
  base::Sha256Stream digest_;
  int64_t offset_ = 0;
  int64_t line_ = 0;
};

}  // namespace klip::cli
