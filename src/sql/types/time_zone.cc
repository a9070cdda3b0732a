#include "sql/types/time_zone.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

// Big-endian, signed.
int64_t BigEndian(std::string_view bytes) {
  uint64_t value = static_cast<unsigned char>(bytes[0]) >= 0x80 ? ~uint64_t{0} : 0;
  for (char c : bytes) {
    value = (value << 8) | static_cast<unsigned char>(c);
  }
  return static_cast<int64_t>(value);
}

// Numbers of entries in the parts of a TZif file (RFC 8536).
struct Counts {
  size_t universal;
  size_t standard;
  size_t leap;
  size_t transitions;
  size_t types;
  size_t letters;

  size_t bytes(size_t time_bytes) const {
    return transitions * (time_bytes + 1) + types * 6 + letters + leap * (time_bytes + 4) + standard + universal;
  }
};

constexpr size_t kHeaderBytes = 44;

bool ReadCounts(std::string_view bytes, Counts* counts) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("TZif")) {
    return false;
  }
  auto at = [bytes](size_t i) { return static_cast<size_t>(BigEndian(bytes.substr(20 + 4 * i, 4)) & 0xFFFFFFFF); };
  *counts = {at(0), at(1), at(2), at(3), at(4), at(5)};
  return true;
}

// Parses "+2", "-03:30", "+0530" to milliseconds. False: another text.
bool ParseOffset(std::string_view text, int64_t* ms) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) {
    return false;
  }
  std::string digits(text.substr(1));
  if (size_t colon = digits.find(':'); colon != std::string::npos) {
    digits.erase(colon, 1);
  } else if (digits.size() <= 2) {
    digits += "00";
  }
  int number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.size() < 3 || digits.size() > 4 ||
      number < 0 || number / 100 > 23 || number % 100 > 59) {
    return false;
  }
  *ms = (text[0] == '-' ? -1 : 1) * (int64_t{number / 100} * 60 + number % 100) * 60'000;
  return true;
}

bool IsLocal(std::string_view name) {
  constexpr std::string_view kLocal = "local";
  return std::equal(name.begin(), name.end(), kLocal.begin(), kLocal.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

// The second part of the file, with 8-byte times.
bool TimeZone::Read(std::string_view bytes) {
  Counts counts = {};
  if (!ReadCounts(bytes, &counts) || bytes.size() - kHeaderBytes < counts.bytes(4)) {
    return false;
  }
  bytes.remove_prefix(kHeaderBytes + counts.bytes(4));
  if (!ReadCounts(bytes, &counts) || bytes.size() - kHeaderBytes < counts.bytes(8) || counts.types == 0) {
    return false;
  }
  std::string_view times = bytes.substr(kHeaderBytes, counts.transitions * 8);
  std::string_view kinds = bytes.substr(kHeaderBytes + times.size(), counts.transitions);
  std::string_view types = bytes.substr(kHeaderBytes + times.size() + kinds.size(), counts.types * 6);
  first_offset_ms_ = BigEndian(types.substr(0, 4)) * 1000;
  for (size_t i = 0; i < counts.transitions; i++) {
    auto kind = static_cast<unsigned char>(kinds[i]);
    if (kind >= counts.types) {
      return false;
    }
    int64_t from = std::max<int64_t>(BigEndian(times.substr(8 * i, 8)), INT64_MIN / 1000);
    transitions_.push_back({from * 1000, BigEndian(types.substr(size_t{6} * kind, 4)) * 1000});
  }
  return true;
}

Expected<TimeZone> TimeZone::Of(std::string_view name) {
  TimeZone zone;
  bool gmt = name.starts_with("GMT") || name.starts_with("UTC");
  if (name == "GMT" || name == "UTC" || name == "Z" ||
      ParseOffset(gmt ? name.substr(3) : name, &zone.first_offset_ms_)) {
    return zone;
  }
  std::string path = IsLocal(name) ? "/etc/localtime" : "/usr/share/zoneinfo/" + std::string(name);
  bool inside = !name.starts_with('/') && name.find("..") == std::string_view::npos;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  if (inside && file) {
    constexpr size_t kMaxBytes = size_t{64} << 10;  // the largest zone has 4 kB
    bytes.resize(kMaxBytes);
    file.read(bytes.data(), kMaxBytes);  // fails for a directory, such as "Europe"
    bytes.resize(static_cast<size_t>(file.gcount()));
  }
  if (!zone.Read(bytes)) {
    return SqlError(201, "22000", "Illegal data. Unknown time zone '" + std::string(name) + "'");
  }
  return zone;
}

int64_t TimeZone::OffsetAt(int64_t utc_ms) const {
  constexpr int64_t kCycleMs = int64_t{10'227} * 86'400'000;  // 28 years: weekdays repeat
  constexpr int64_t k2037Ms = 2'114'380'800'000;
  if (!transitions_.empty() && transitions_.back().from_ms >= k2037Ms) {
    int64_t last = transitions_.back().from_ms;
    if (utc_ms >= last) {
      utc_ms -= ((utc_ms - last) / kCycleMs + 1) * kCycleMs;
    }
  }
  auto next = std::upper_bound(transitions_.begin(), transitions_.end(), utc_ms,
                               [](int64_t ms, const Transition& transition) { return ms < transition.from_ms; });
  return next == transitions_.begin() ? first_offset_ms_ : std::prev(next)->offset_ms;
}

int64_t TimeZone::ToUtc(int64_t local_ms) const {
  // A day before and after, there is no transition.
  constexpr int64_t kDayMs = 86'400'000;
  int64_t before = local_ms - OffsetAt(local_ms - kDayMs);
  int64_t after = local_ms - OffsetAt(local_ms + kDayMs);
  return before + OffsetAt(before) == local_ms || after + OffsetAt(after) != local_ms ? before : after;
}

}  // namespace klip::sql
