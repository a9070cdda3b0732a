// Descriptors and region names: the parts of klip/admin.h that need no store.
#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/digest.h"
#include "klip/admin.h"
#include "klip/bytes.h"

namespace klip {
namespace {

// `value` in base 10 or 16 (lower case), padded with zeros to `digits` places.
std::string Padded(uint64_t value, int base, size_t digits) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof(text), value, base).ptr;
  std::string out(text, end);
  return out.size() < digits ? std::string(digits - out.size(), '0') + out : out;
}

// The i-th border between `regions` regions of a space of `last` + 1 values, rounded as by HBase's tools: a multiple of
// (last + 1) / regions, so the last region gets the remainder.
uint64_t Border(uint64_t last, int regions, int i) {
  const auto count = static_cast<uint64_t>(regions);
  const uint64_t size = last / count + (last % count + 1 == count ? 1 : 0);
  return size * static_cast<uint64_t>(i);
}

}  // namespace

const FamilyDescriptor* TableDescriptor::Find(std::string_view family) const {
  const auto found =
      std::find_if(families.begin(), families.end(), [&](const auto& one) { return one.name == family; });
  return found == families.end() ? nullptr : &*found;
}

std::string RegionInfo::Name() const {
  return table + "," + start_key + "," + std::to_string(region_id) + "." + encoded_name + ".";
}

Expected<std::vector<std::string>> SplitKeys(SplitAlgorithm algorithm, int regions) {
  if (regions < 2) {
    return Status(Code::kInvalidArgument, "the number of regions must be at least 2, not " + std::to_string(regions));
  }
  std::vector<std::string> keys;
  for (int i = 1; i < regions; ++i) {
    switch (algorithm) {
      case SplitAlgorithm::kHexString:
        keys.push_back(Padded(Border(0xffffffff, regions, i), 16, 8));
        break;
      case SplitAlgorithm::kDecimalString:
        keys.push_back(Padded(Border(99999999, regions, i), 10, 8));
        break;
      case SplitAlgorithm::kUniform:
        keys.push_back(BigEndian<uint64_t>(Border(UINT64_MAX, regions, i)));
        break;
    }
  }
  return keys;
}

}  // namespace klip
