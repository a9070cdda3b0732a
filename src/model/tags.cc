#include "model/tags.h"

#include "klip/bytes.h"

namespace klip::model {
namespace {

constexpr uint8_t kTtlTag = 8;
constexpr size_t kTtlTagBytes = 2 + 1 + 8;
constexpr size_t kMaxTagsBytes = 0xFFFF - kTtlTagBytes;  // the length has two bytes; a TTL may be added

// The first tag; empty: none, or damaged.
std::string_view FirstOf(std::string_view tags) {
  if (tags.size() < 3) {
    return {};
  }
  const size_t bytes = ReadBigEndian<uint16_t>(tags.data());
  return bytes == 0 || bytes > tags.size() - 2 ? std::string_view() : tags.substr(0, bytes + 2);
}

bool IsTtl(std::string_view tag) { return static_cast<uint8_t>(tag[2]) == kTtlTag && tag.size() == kTtlTagBytes; }

}  // namespace

std::string TtlTag(int64_t ttl_ms) {
  std::string tag = BigEndian<uint16_t>(1 + 8);  // type and data
  tag.push_back(static_cast<char>(kTtlTag));
  AppendBigEndian(ttl_ms, &tag);
  return tag;
}

bool AreTags(std::string_view tags) {
  if (tags.size() > kMaxTagsBytes) {
    return false;
  }
  for (std::string_view tag = FirstOf(tags); !tag.empty(); tag = FirstOf(tags)) {
    tags.remove_prefix(tag.size());
  }
  return tags.empty();
}

std::string WithoutTtl(std::string_view tags) {
  std::string others;
  for (std::string_view tag = FirstOf(tags); !tag.empty(); tag = FirstOf(tags)) {
    if (!IsTtl(tag)) {
      others += tag;
    }
    tags.remove_prefix(tag.size());
  }
  return others;
}

int64_t TtlFromTags(std::string_view tags) {
  for (std::string_view tag = FirstOf(tags); !tag.empty(); tag = FirstOf(tags)) {
    if (IsTtl(tag)) {
      return ReadBigEndian<int64_t>(tag.data() + 3);
    }
    tags.remove_prefix(tag.size());
  }
  return -1;
}

}  // namespace klip::model
