// Tags of a block's cells: each is written once and then referred to by its number. Source: HBase's
// TagCompressionContext.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hfile/byte_reader.h"

namespace klip::hfile {

class TagDictionary {
 public:
  void Clear() { entries_.clear(); }

  // Fills *out with `bytes` of tags in HBase's format. False: invalid.
  bool Take(size_t bytes, ByteReader* in, std::string* out);

 private:
  static constexpr size_t kMaxEntries = 32767;  // HBase's dictionary forgets further entries; no block has so many

  std::vector<std::string> entries_;  // type and data
};

}  // namespace klip::hfile
