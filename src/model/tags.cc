#include "model/tags.h"

#include "klip/bytes.h"

namespace klip::model {
namespace {

constexpr uint8_t kTtlTag = 8;
constexpr size_t kTtlTagBytes = 2 + 1 + 8;

}  // namespace

std::string TtlTag(int64_t ttl_ms) {
  std::string tag = BigEndian<uint16_t>(1 + 8);  // type and data
  tag.push_back(static_cast<char>(kTtlTag));
  AppendBigEndian(ttl_ms, &tag);
  return tag;
}

int64_t TtlFromTags(std::string_view tags) {
  while (tags.size() >= 3) {
    size_t bytes = ReadBigEndian<uint16_t>(tags.data());
    if (bytes == 0 || bytes > tags.size() - 2) {
      return -1;
    }
    if (static_cast<uint8_t>(tags[2]) == kTtlTag && bytes + 2 == kTtlTagBytes) {
      return ReadBigEndian<int64_t>(tags.data() + 3);
    }
    tags.remove_prefix(bytes + 2);
  }
  return -1;
}

}  // namespace klip::model
