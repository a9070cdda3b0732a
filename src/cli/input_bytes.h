// The bytes of a file or a stream, unpacked if they are gzip: all members of the file, each with its checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "klip/status.h"

struct z_stream_s;

namespace klip::cli {

class InputBytes {
 public:
  // Errors: kInvalidArgument if the file cannot be read.
  static Expected<InputBytes> Open(const std::string& path);
  // The caller keeps the stream.
  explicit InputBytes(std::FILE* stream);

  // Fills `to` as far as there are bytes; fewer than `size` only at the end. Errors: kUnsupported for a format that only
  // other programs unpack; kIoError naming file and byte for one that is damaged or cut off, or cannot be read.
  Expected<size_t> Read(char* to, size_t size);

  // Whether it can be read again from the beginning, unlike a pipe.
  bool is_file() const { return size_bytes_ >= 0; }
  int64_t size_bytes() const { return size_bytes_; }  // on disk; -1 for a stream or a pipe
  int64_t position() const { return position_; }      // bytes taken from the file or stream

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(z_stream_s* stream) const;
  };

  // The next bytes as they are in the file. False at the end.
  Expected<bool> FillPacked();
  // Looks at the first bytes.
  Status Begin();
  Expected<size_t> Unpack(char* to, size_t size);
  Status BeginMember();
  Status Unreadable(const std::string& why) const;

  std::string name_;  // in errors
  std::FILE* stream_ = nullptr;
  std::unique_ptr<std::FILE, Closer> file_;
  int64_t size_bytes_ = -1;
  int64_t position_ = 0;
  int64_t unpacked_ = 0;  // bytes returned

  std::string packed_;  // its capacity is the buffer
  size_t at_ = 0;       // in packed_: what is next
  bool begun_ = false;
  bool in_member_ = false;                       // of a gzip file
  std::unique_ptr<z_stream_s, Closer> inflate_;  // null: not packed
};

}  // namespace klip::cli
