#include "engine/store/descriptor_checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/coprocessor_spec.h"
#include "base/errors.h"
#include "engine/store/split_policy.h"
#include "klip/bytes.h"
#include "klip/cell.h"

namespace klip::engine {
namespace {

constexpr std::string_view kSanityChecks = "hbase.table.sanity.checks";
constexpr std::array<std::string_view, 9> kCompressions = {"NONE", "GZ",    "SNAPPY", "LZ4",   "ZSTD",
                                                           "LZO",  "BZIP2", "LZMA",   "BROTLI"};

bool IsWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_' ||
         byte >= 0x80;  // letters of any language, in UTF-8
}

using base::Invalid;

Status CheckQualifier(std::string_view name, std::string_view kind) {
  const std::string subject(kind == "Snapshot" ? "Snapshot" : "User-space table");
  if (name.empty()) {
    return Invalid(std::string(kind) + " qualifier must not be empty");
  }
  if (name[0] == '.' || name[0] == '-') {
    return Invalid("Illegal first character <" + std::to_string(static_cast<int>(name[0])) + "> at 0. " + subject +
                   " qualifiers can only start with 'alphanumeric characters' from any language: " + std::string(name));
  }
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsWord(c) && c != '-' && c != '.') {
      return Invalid("Illegal character code:" + std::to_string(static_cast<int>(c)) + ", <" + std::string(1, c) +
                     "> at " + std::to_string(i) + ". " + subject +
                     " qualifiers may only contain 'alphanumeric characters' and digits: " + std::string(name));
    }
  }
  return Status::Ok();
}

Status Insane(std::string reason) {
  return {Code::kDoNotRetry, std::move(reason) + " Set " + std::string(kSanityChecks) +
                                 " to false at conf or table descriptor if you want to bypass sanity checks"};
}

Status CheckTableAttributes(const TableDescriptor& table) {
  constexpr int64_t kMinFileBytes = 2 << 20;
  constexpr int64_t kMinFlushBytes = 1 << 20;
  const int64_t file_bytes = NumberIn(table.attributes, "MAX_FILESIZE", kMinFileBytes);
  if (file_bytes < kMinFileBytes) {
    return Insane("MAX_FILESIZE for table descriptor or \"hbase.hregion.max.filesize\" (" + std::to_string(file_bytes) +
                  ") is too small, which might cause over splitting into unmanageable number of regions.");
  }
  const int64_t flush_bytes = NumberIn(table.attributes, "MEMSTORE_FLUSHSIZE", kMinFlushBytes);
  if (flush_bytes < kMinFlushBytes) {
    return Insane("MEMSTORE_FLUSHSIZE for table descriptor or \"hbase.hregion.memstore.flush.size\" (" +
                  std::to_string(flush_bytes) + ") is too small, which might cause very frequent flushing.");
  }
  const std::string policy = SplitPolicyName(table);
  if (!IsSplitPolicy(policy)) {
    return Insane("Unable to load configured region split policy '" + policy + "' for table '" + table.name + "'");
  }
  const int64_t replicas = NumberIn(table.attributes, "REGION_REPLICATION", 1);
  if (replicas < 1) {
    return Insane("Table region replication should be at least one.");
  }
  if (replicas > kMostReplicas) {
    return Insane("Table region replication should be " + std::to_string(kMostReplicas) + " at most.");
  }
  return Status::Ok();
}

Status CheckFamilySanity(const FamilyDescriptor& family) {
  if (family.ttl_s <= 0) {
    return Insane("TTL for column family " + family.name + " must be positive.");
  }
  if (family.block_bytes < 1024 || family.block_bytes > 16 * 1024 * 1024) {
    return Insane("Block size for column family " + family.name + "  must be between 1K and 16MB.");
  }
  if (family.min_versions < 0) {
    return Insane("Min versions for column family " + family.name + "  must be positive.");
  }
  if (family.min_versions > family.max_versions) {
    return Insane("Min versions for column family " + family.name + " must be less than the Max versions.");
  }
  if (std::find(kCompressions.begin(), kCompressions.end(), family.compression) == kCompressions.end()) {
    return Insane("Compression algorithm '" + family.compression + "' previously failed test.");
  }
  return Status::Ok();
}

// Combinations of settings that HBase rejects, with or without the sanity checks.
Status CheckCompactionSettings(const TableDescriptor& table, const FamilyDescriptor& family) {
  constexpr std::string_view kFifo = "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy";
  constexpr std::string_view kDateTiered = "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine";
  const std::string blocking_files = "hbase.hstore.blockingStoreFiles";
  constexpr int64_t kBlockingFilesDefault = 16;
  constexpr int64_t kBlockingFilesOfFifo = 1000;
  if (FamilySettingOf(table, family, "hbase.hstore.defaultengine.compactionpolicy.class") == kFifo) {
    if (family.ttl_s == kTtlForever) {
      return Insane("Default TTL is not supported for FIFO compaction");
    }
    if (family.min_versions > 0) {
      return Insane("MIN_VERSION > 0 is not supported for FIFO compaction");
    }
    const int64_t files = NumberIn({{blocking_files, FamilySettingOf(table, family, blocking_files)}}, blocking_files,
                                   kBlockingFilesDefault);
    if (files < kBlockingFilesOfFifo) {
      return Insane("Blocking file count '" + blocking_files + "' " + std::to_string(files) +
                    " is below recommended minimum of 1000 for column family " + family.name);
    }
  }
  if (FamilySettingOf(table, family, "hbase.hstore.datatiering.type") == "TIME_RANGE" &&
      FamilySettingOf(table, family, "hbase.hstore.engine.class") != kDateTiered) {
    return Insane("Time Range Data Tiering should be enabled with Date Tiered Compaction.");
  }
  return Status::Ok();
}

// Rejected even without the sanity checks: the store could not work with it.
Status CheckFamilyAlways(const FamilyDescriptor& family) {
  KLIP_RETURN_IF_ERROR(CheckFamilyName(family.name));
  if (family.max_versions < 1) {
    return Invalid("Maximum versions must be positive");
  }
  if (family.replication_scope < 0 || family.replication_scope > 1) {
    return {Code::kDoNotRetry, "Replication scope for column family " + family.name + " is " +
                                   std::to_string(family.replication_scope) + " which is invalid."};
  }
  if (family.bloom == BloomKind::kRowPrefixFixedLength &&
      (family.bloom_prefix_bytes < 1 || family.bloom_prefix_bytes > static_cast<int32_t>(kMaxRowBytes))) {
    return {Code::kDoNotRetry, "Failed to get bloom filter param"};
  }
  return Status::Ok();
}

}  // namespace

std::string_view CanonicalTableName(std::string_view name) {
  constexpr std::string_view kDefault = "default:";
  return name.starts_with(kDefault) ? name.substr(kDefault.size()) : name;
}

Status CheckNamespaceName(std::string_view name) {
  if (name.empty()) {
    return Invalid("Namespace must not be empty");
  }
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsWord(name[i])) {
      return Invalid(
          "Illegal character <" + std::string(1, name[i]) + "> at " + std::to_string(i) +
          ". Namespaces may only contain 'alphanumeric characters' from any language and digits: " + std::string(name));
    }
  }
  return Status::Ok();
}

Status CheckTableName(std::string_view name) {
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) {
    return CheckQualifier(name, "Table");
  }
  KLIP_RETURN_IF_ERROR(CheckNamespaceName(name.substr(0, colon)));
  return CheckQualifier(name.substr(colon + 1), "Table");
}

Status CheckSnapshotName(std::string_view name) { return CheckQualifier(name, "Snapshot"); }

Status CheckFamilyName(std::string_view name) {
  if (name.empty()) {
    return Invalid("Column Family name can not be empty");
  }
  if (name.size() > kMaxFamilyBytes) {
    return Invalid("Column Family name is longer than " + std::to_string(kMaxFamilyBytes) + " bytes");
  }
  if (name[0] == '.') {
    return Invalid("Column Family names cannot start with a period: " + std::string(name));
  }
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == ':' || c == '\\' || c == '/') {
      return Invalid("Illegal character <" + std::to_string(static_cast<int>(c)) +
                     ">. Column Family names cannot contain control characters or colons: " + std::string(name));
    }
  }
  if (name == "recovered.edits") {
    return Invalid("Column Family name cannot be: recovered.edits");
  }
  return Status::Ok();
}

Status CheckDescriptor(const TableDescriptor& descriptor, bool sanity_checks,
                       const std::function<Status(const TableDescriptor&)>& one_more) {
  for (const FamilyDescriptor& family : descriptor.families) {
    KLIP_RETURN_IF_ERROR(CheckFamilyAlways(family));
    KLIP_RETURN_IF_ERROR(CheckCompactionSettings(descriptor, family));
  }
  for (size_t i = 1; i < descriptor.families.size(); ++i) {  // sorted by name
    if (descriptor.families[i].name == descriptor.families[i - 1].name) {
      return Invalid("Family '" + descriptor.families[i].name + "' already exists so cannot be added");
    }
  }
  if (descriptor.families.empty()) {  // a table without families could not hold a row, so this one cannot be bypassed
    return Insane("Table should have at least one column family.");
  }
  KLIP_RETURN_IF_ERROR(base::CheckCoprocessorSpecs(descriptor));  // HBase's client does so, its server only logs it
  std::string sanity = SettingOf(descriptor, std::string(kSanityChecks));
  std::transform(sanity.begin(), sanity.end(), sanity.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (sanity == "false" || (sanity.empty() && !sanity_checks)) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(CheckTableAttributes(descriptor));
  KLIP_RETURN_IF_ERROR(one_more ? one_more(descriptor) : Status::Ok());
  for (const FamilyDescriptor& family : descriptor.families) {
    KLIP_RETURN_IF_ERROR(CheckFamilySanity(family));
  }
  return Status::Ok();
}

Status CheckSplitKeys(std::vector<std::string>* split_keys) {
  std::sort(split_keys->begin(), split_keys->end());
  for (size_t i = 0; i < split_keys->size(); ++i) {
    const std::string& key = (*split_keys)[i];
    if (key.empty()) {
      return Invalid("Empty split key must not be passed in the split keys.");
    }
    if (i > 0 && key == (*split_keys)[i - 1]) {
      const std::string text = ToStringBinary(key);
      return Invalid("All split keys must be unique, found duplicate: " + text + ", " + text);
    }
  }
  return Status::Ok();
}

int64_t NumberIn(const std::map<std::string, std::string>& values, const std::string& key, int64_t fallback) {
  const auto found = values.find(key);
  if (found == values.end()) {
    return fallback;
  }
  const std::string& text = found->second;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : fallback;
}

std::string SettingOf(const TableDescriptor& descriptor, const std::string& key) {
  if (const auto found = descriptor.configuration.find(key); found != descriptor.configuration.end()) {
    return found->second;
  }
  const auto found = descriptor.attributes.find(key);
  return found == descriptor.attributes.end() ? std::string() : found->second;
}

std::string FamilySettingOf(const TableDescriptor& table, const FamilyDescriptor& family, const std::string& key) {
  for (const auto* values : {&family.attributes, &family.configuration}) {
    if (const auto found = values->find(key); found != values->end()) {
      return found->second;
    }
  }
  return SettingOf(table, key);
}

bool IsSwitchedOff(const TableDescriptor& descriptor, const std::string& attribute) {
  std::string text = SettingOf(descriptor, attribute);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text == "FALSE";
}

}  // namespace klip::engine
