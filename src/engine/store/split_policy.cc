#include "engine/store/split_policy.h"

#include <algorithm>
#include <array>

#include "engine/store/descriptor_checks.h"

namespace klip::engine {
namespace {

constexpr std::string_view kDefaultPolicy = "SteppingSplitPolicy";
constexpr std::string_view kDisabled = "DisabledRegionSplitPolicy";
constexpr std::string_view kConstantSize = "ConstantSizeRegionSplitPolicy";
constexpr std::string_view kKeyPrefix = "KeyPrefixRegionSplitPolicy";
constexpr std::string_view kDelimitedKeyPrefix = "DelimitedKeyPrefixRegionSplitPolicy";
constexpr std::string_view kBusy = "BusyRegionSplitPolicy";

constexpr std::array<std::string_view, 7> kPolicies = {
    kDefaultPolicy, kDisabled, kConstantSize,      "IncreasingToUpperBoundRegionSplitPolicy",
    kKeyPrefix,     kBusy,     kDelimitedKeyPrefix};

constexpr int64_t kDefaultMaxFileBytes = int64_t{10} << 30;
constexpr int64_t kDefaultFlushBytes = int64_t{128} << 20;
constexpr int kMaxCubedRegions = 100;  // above it HBase always uses the upper bound

// A setting from either map, since HBase reads both.
int64_t Number(const TableDescriptor& table, const std::string& key, int64_t fallback) {
  return NumberIn(table.configuration, key, NumberIn(table.attributes, key, fallback));
}

int64_t MaxFileBytes(const TableDescriptor& table) {
  const int64_t bytes =
      Number(table, "MAX_FILESIZE", Number(table, "hbase.hregion.max.filesize", kDefaultMaxFileBytes));
  return bytes > 0 ? bytes : kDefaultMaxFileBytes;
}

int64_t InitialBytes(const TableDescriptor& table) {
  const int64_t initial = Number(table, "hbase.increasing.policy.initial.size", 0);
  if (initial > 0) {
    return initial;
  }
  int64_t flush = Number(table, "MEMSTORE_FLUSHSIZE", Number(table, "hbase.hregion.memstore.flush.size", 0));
  if (flush <= 0) {
    flush = kDefaultFlushBytes;
  }
  return 2 * std::min(flush, kDefaultMaxFileBytes);
}

// The size above which a region is split.
int64_t LimitBytes(const TableDescriptor& table, std::string_view policy, int64_t regions) {
  const int64_t most = MaxFileBytes(table);
  if (policy == kConstantSize) {
    return most;
  }
  if (policy == kDefaultPolicy) {
    return regions == 1 ? InitialBytes(table) : most;
  }
  if (regions == 0 || regions > kMaxCubedRegions) {
    return most;
  }
  const int64_t cube = regions * regions * regions;
  const int64_t initial = InitialBytes(table);
  return initial > most / cube ? most : initial * cube;
}

bool IsBusy(const TableDescriptor& table, const SplitInput& input) {
  constexpr double kDefaultBlockedShare = 0.2;
  constexpr int64_t kDefaultMinAgeMs = 600000;
  const double share = kDefaultBlockedShare;
  return input.blocked_share >= share &&
         input.region_age_ms >= Number(table, "hbase.busy.policy.minAge", kDefaultMinAgeMs);
}

std::string CutToLength(std::string_view point, int64_t length) {
  return std::string(length > 0 ? point.substr(0, static_cast<size_t>(length)) : point);
}

// Without the delimiter, the point is returned unchanged.
std::string CutBefore(std::string_view point, std::string_view delimiter) {
  return std::string(delimiter.empty() ? point : point.substr(0, point.find(delimiter)));
}

}  // namespace

std::string SplitPolicyName(const TableDescriptor& table) {
  std::string name = SettingOf(table, "SPLIT_POLICY");
  if (name.empty()) {
    name = SettingOf(table, "hbase.regionserver.region.split.policy");
  }
  if (name.empty()) {
    return std::string(kDefaultPolicy);
  }
  // Of Phoenix's tables with local indexes: a SteppingSplitPolicy that leaves the indexes out of the split point.
  if (name == "org.apache.phoenix.hbase.index.IndexRegionSplitPolicy") {
    return std::string(kDefaultPolicy);
  }
  constexpr std::string_view kPackage = "org.apache.hadoop.hbase.regionserver.";
  return name.starts_with(kPackage) ? name.substr(kPackage.size()) : name;
}

bool IsSplitPolicy(std::string_view name) {
  return std::find(kPolicies.begin(), kPolicies.end(), name) != kPolicies.end();
}

bool MayEverSplit(const TableDescriptor& table) { return SplitPolicyName(table) != kDisabled; }

bool ShouldSplit(const TableDescriptor& table, const SplitInput& input) {
  const std::string policy = SplitPolicyName(table);
  if (policy == kDisabled || IsSwitchedOff(table, "SPLIT_ENABLED")) {
    return false;
  }
  const bool all = SettingOf(table, "hbase.hregion.split.overallfiles") == "true";
  const int64_t bytes = all ? input.all_families_bytes : input.largest_family_bytes;
  return bytes > LimitBytes(table, policy, input.table_regions) || (policy == kBusy && IsBusy(table, input));
}

std::string RestrictSplitPoint(const TableDescriptor& table, std::string_view point) {
  std::string cut(point);
  const std::string policy = SplitPolicyName(table);
  if (policy == kKeyPrefix) {
    cut = CutToLength(cut, Number(table, "KeyPrefixRegionSplitPolicy.prefix_length",
                                  Number(table, "prefix_split_key_policy.prefix_length", 0)));
  } else if (policy == kDelimitedKeyPrefix) {
    cut = CutBefore(cut, SettingOf(table, "DelimitedKeyPrefixRegionSplitPolicy.delimiter"));
  }
  const std::string restriction = "hbase.regionserver.region.split_restriction.";
  const std::string type = SettingOf(table, restriction + "type");
  if (type == "KeyPrefix") {
    cut = CutToLength(cut, Number(table, restriction + "prefix_length", 0));
  } else if (type == "DelimitedKeyPrefix") {
    cut = CutBefore(cut, SettingOf(table, restriction + "delimiter"));
  }
  return cut;
}

}  // namespace klip::engine
