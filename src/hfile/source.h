// The bytes of an HFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::hfile {

class Source {
 public:
  virtual ~Source() = default;
  virtual uint64_t size() const = 0;
  // Its name in errors.
  virtual const std::string& name() const = 0;
  // REQUIRES: offset + bytes <= size(). Errors: kIoError.
  virtual Status Read(uint64_t offset, size_t bytes, char* out) const = 0;

  // kCorruption, naming the file and the offset.
  Status Bad(uint64_t offset, std::string_view what) const;
};

// Errors: kIoError; kInvalidArgument if it is not a regular file.
Expected<std::unique_ptr<Source>> OpenFile(std::string path);

// Bytes in memory, which outlive it.
std::unique_ptr<Source> OpenBytes(std::string_view bytes);

}  // namespace klip::hfile
