// The lines of a file (plain or gzip) or of a stream, and how far they were read: in bytes, and by a digest of these bytes, so
// that a later read of the file can resume there and detect changes.
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

  // Errors: kInvalidArgument when the file cannot be read.
  static Expected<std::unique_ptr<TextInput>> Open(const std::string& path);
  // A stream that stays the caller's.
  explicit TextInput(std::FILE* stream);

  // The next line, without its end; false behind the last. Errors: kInvalidArgument for a line that is too long (the next
  // call reads the one behind it), kIoError for a file that cannot be read on.
  Expected<bool> ReadLine(std::string* line);

  int64_t line() const { return line_; }      // lines read so far
  int64_t offset() const { return offset_; }  // bytes read so far, unpacked
  std::string Digest();                       // SHA-256 of them, 32 bytes

  // From where it is to where an earlier reading was, its digest in hex. False: the file is not what it was then.
  Expected<bool> SkipTo(int64_t offset, int64_t line, const std::string& digest);

  // Can be read from its beginning once more, unlike a pipe.
  bool is_file() const { return size_bytes_ >= 0; }
  // For progress: bytes of the file as it lies on disk, 0 when unknown, and how many of them are read.
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
