#include "hfile/tag_dictionary.h"

#include <cstdint>
#include <string_view>

namespace klip::hfile {

bool TagDictionary::Take(size_t bytes, ByteReader* in, std::string* out) {
  constexpr uint8_t kNew = 0xFF;
  out->clear();
  while (out->size() < bytes) {
    uint8_t first = 0;
    std::string_view tag;
    if (!in->TakeNumber(&first)) {
      return false;
    }
    if (first == kNew) {
      uint32_t tag_bytes = 0;
      if (entries_.size() == kMaxEntries || !in->TakeVarint(&tag_bytes) || !in->Take(tag_bytes, &tag)) {
        return false;
      }
      entries_.emplace_back(tag);
    } else {
      uint8_t second = 0;
      if (!in->TakeNumber(&second)) {
        return false;
      }
      const size_t index = size_t{first} << 8 | second;
      if (index >= entries_.size()) {
        return false;
      }
      tag = entries_[index];
    }
    if (tag.size() > UINT16_MAX) {
      return false;
    }
    AppendBigEndian(static_cast<uint16_t>(tag.size()), out);
    out->append(tag);
  }
  return out->size() == bytes;
}

}  // namespace klip::hfile
