// Tags of a block's cells, each of which is written once and then told by its number. Source: HBase's TagCompressionContext.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hfile/byte_reader.h"

namespace klip::hfile {

class TagDictionary {
 public:
  void Clear() { entries_.clear(); }

  // Fills *out with `bytes` of tags in HBase's form. False: there are no such tags.
  bool Take(size_t bytes, ByteReader* in, std::string* out);

 private:
  static constexpr size_t kMaxEntries = 32767;  // HBase's dictionary forgets entries beyond; no block has so many

  std::vector<std::string> entries_;  // type and data
};

}  // namespace klip::hfile
