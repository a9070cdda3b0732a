// Reading numbers from the front of bytes.
#pragma once

#include <string_view>

#include "klip/bytes.h"

namespace klip::base {

// Removes a big-endian number. False: there are too few bytes, and nothing changes.
template <typename T>
bool Take(std::string_view* bytes, T* number) {
  if (bytes->size() < sizeof(T)) {
    return false;
  }
  *number = ReadBigEndian<T>(bytes->data());
  bytes->remove_prefix(sizeof(T));
  return true;
}

}  // namespace klip::base
