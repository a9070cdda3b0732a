#include "replication/cluster_ids.h"

#include <charconv>
#include <string>

namespace klip::replication {

std::optional<engine::ClusterId> ParseClusterId(std::string_view uuid) {
  constexpr size_t kDigits = 32;
  constexpr int kHex = 16;
  std::string digits;
  for (size_t i = 0; i < uuid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (uuid[i] == '-')) {
      return std::nullopt;
    }
    if (!dash) {
      digits += uuid[i];
    }
  }
  engine::ClusterId id;
  const char* const middle = digits.data() + kDigits / 2;
  const char* const end = digits.data() + digits.size();
  if (digits.size() != kDigits || std::from_chars(digits.data(), middle, id.high, kHex).ptr != middle ||
      std::from_chars(middle, end, id.low, kHex).ptr != end) {
    return std::nullopt;
  }
  return id;
}

}  // namespace klip::replication
