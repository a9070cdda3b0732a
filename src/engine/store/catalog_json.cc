// Catalog and snapshot records as JSON. Every field is checked for its type: the bytes come from disk.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "engine/store/catalog.h"
#include "engine/store/json_reader.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

// --- Families, tables ---

constexpr std::array kKeepNames = {"FALSE", "TRUE", "TTL"};
constexpr std::array kBloomNames = {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"};

template <typename Enum, size_t kCount>
Enum EnumField(const JsonReader& reader, const char* name, const std::array<const char*, kCount>& names) {
  const std::string text = reader.String(name);
  for (size_t i = 0; i < kCount; ++i) {
    if (text == names[i]) {
      return static_cast<Enum>(i);
    }
  }
  reader.Fail(name, "a known name");
  return Enum{};
}

Json FamilyJson(const FamilyDescriptor& family, uint32_t id) {
  return {{"id", id},
          {"versions", family.max_versions},
          {"min_versions", family.min_versions},
          {"ttl_s", family.ttl_s},
          {"keep_deleted_cells", kKeepNames[static_cast<size_t>(family.keep_deleted_cells)]},
          {"new_version_behavior", family.new_version_behavior},
          {"bloom", kBloomNames[static_cast<size_t>(family.bloom)]},
          {"bloom_prefix_bytes", family.bloom_prefix_bytes},
          {"compression", Text(family.compression)},
          {"block_bytes", family.block_bytes},
          {"in_memory", family.in_memory},
          {"block_cache", family.block_cache},
          {"replication_scope", family.replication_scope},
          {"attributes", Strings(family.attributes)},
          {"configuration", Strings(family.configuration)}};
}

FamilyDescriptor FamilyFrom(std::string name, const JsonReader& in) {
  FamilyDescriptor family;
  family.name = std::move(name);
  family.max_versions = in.Number<int32_t>("versions");
  family.min_versions = in.Number<int32_t>("min_versions");
  family.ttl_s = in.Number<int32_t>("ttl_s");
  family.keep_deleted_cells = EnumField<KeepDeletedCells>(in, "keep_deleted_cells", kKeepNames);
  family.new_version_behavior = in.Bool("new_version_behavior");
  family.bloom = EnumField<BloomKind>(in, "bloom", kBloomNames);
  family.bloom_prefix_bytes = in.Number<int32_t>("bloom_prefix_bytes");
  family.compression = in.String("compression");
  family.block_bytes = in.Number<int32_t>("block_bytes");
  family.in_memory = in.Bool("in_memory");
  family.block_cache = in.Bool("block_cache");
  family.replication_scope = in.Number<int32_t>("replication_scope");
  family.attributes = in.Strings("attributes");
  family.configuration = in.Strings("configuration");
  return family;
}

Json TableJson(const TableRecord& record) {
  Json families = Json::object();
  for (const FamilyDescriptor& family : record.descriptor.families) {
    const auto id = record.family_ids.find(family.name);
    families[Text(family.name)] = FamilyJson(family, id == record.family_ids.end() ? 0 : id->second);
  }
  Json regions = Json::array();
  for (const Region& region : record.regions) {
    regions.push_back({{"start", Text(region.start_key)}, {"id", region.region_id}});
  }
  Json out = {{"enabled", record.enabled},
              {"families", std::move(families)},
              {"attributes", Strings(record.descriptor.attributes)},
              {"configuration", Strings(record.descriptor.configuration)},
              {"regions", std::move(regions)}};
  for (const auto& [name, id] : record.family_ids) {
    if (name.starts_with(kIndexFamilyMark)) {
      out["indexes"][Text(name)] = {{"id", id}};
    }
  }
  return out;
}

void RegionsFrom(const JsonReader& in, std::vector<Region>* regions) {
  in.Each("regions", [&](const std::string&, const JsonReader& region) {
    Region next{.start_key = region.String("start"), .end_key = {}, .region_id = region.Number<int64_t>("id")};
    if (regions->empty() ? !next.start_key.empty() : next.start_key <= regions->back().start_key) {
      region.Fail("start", "above the region before");
      return;
    }
    if (!regions->empty()) {
      regions->back().end_key = next.start_key;
    }
    regions->push_back(std::move(next));
  });
  if (regions->empty()) {
    in.Fail("regions", "a non-empty list of regions");
  }
}

// For regions that need not be adjacent.
Json RangesJson(const std::vector<Region>& regions) {
  Json out = Json::array();
  for (const Region& region : regions) {
    out.push_back({{"start", Text(region.start_key)}, {"end", Text(region.end_key)}, {"id", region.region_id}});
  }
  return out;
}

std::vector<Region> RangesFrom(const JsonReader& in, const char* name) {
  std::vector<Region> regions;
  in.Each(name, [&](const std::string&, const JsonReader& region) {
    regions.push_back({.start_key = region.String("start"),
                       .end_key = region.String("end"),
                       .region_id = region.Number<int64_t>("id")});
  });
  if (regions.empty()) {
    in.Fail(name, "a non-empty list of regions");
  }
  return regions;
}

Json ChangesJson(const std::vector<RegionChange>& changes) {
  Json out = Json::array();
  for (const RegionChange& change : changes) {
    out.push_back({{"before", RangesJson(change.before)}, {"after", RangesJson(change.after)}});
  }
  return out;
}

TableRecord TableFrom(std::string name, const JsonReader& in) {
  TableRecord record;
  record.descriptor.name = std::move(name);
  record.enabled = in.Bool("enabled");
  in.Each("families", [&](const std::string& family, const JsonReader& fields) {
    record.family_ids[family] = fields.Number<uint32_t>("id");
    record.descriptor.families.push_back(FamilyFrom(family, fields));
  });
  if (in.Has("indexes")) {
    in.Each("indexes", [&](const std::string& index, const JsonReader& fields) {
      record.family_ids[index] = fields.Number<uint32_t>("id");
    });
  }
  std::sort(record.descriptor.families.begin(), record.descriptor.families.end(),
            [](const FamilyDescriptor& a, const FamilyDescriptor& b) { return a.name < b.name; });
  record.descriptor.attributes = in.Strings("attributes");
  record.descriptor.configuration = in.Strings("configuration");
  RegionsFrom(in, &record.regions);
  return record;
}

}  // namespace

bool Catalog::HasIndexes() const {
  return std::any_of(tables.begin(), tables.end(), [](const auto& table) {
    return std::any_of(table.second.family_ids.begin(), table.second.family_ids.end(),
                       [](const auto& family) { return family.first.starts_with(kIndexFamilyMark); });
  });
}

std::string Catalog::ToJson() const {
  Json spaces = Json::object();
  for (const auto& [name, descriptor] : namespaces) {
    spaces[Text(name)] = {{"configuration", Strings(descriptor.configuration)}};
  }
  Json records = Json::object();
  for (const auto& [name, record] : tables) {
    Json& table = records[Text(name)] = TableJson(record);
    if (!record.changes.empty()) {  // versions of klip that do not know them drop them
      table["changes"] = ChangesJson(record.changes);
    }
  }
  const Json out = {{"namespaces", std::move(spaces)},  {"tables", std::move(records)},
                    {"split_enabled", split_enabled},   {"merge_enabled", merge_enabled},
                    {"next_family_id", next_family_id}, {"last_region_id", last_region_id}};
  return out.dump(1) + "\n";
}

Expected<Catalog> Catalog::FromJson(std::string_view json, std::string_view file) {
  const Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    return Status(Code::kCorruption, std::string(file) + ": not JSON");
  }
  Status status;
  const JsonReader in(root, std::string(file) + ": catalog", &status);
  Catalog catalog;
  in.Each("namespaces", [&](const std::string& name, const JsonReader& fields) {
    catalog.namespaces[name] = {.name = name, .configuration = fields.Strings("configuration")};
  });
  in.Each("tables", [&](const std::string& name, const JsonReader& fields) {
    TableRecord& record = catalog.tables[name] = TableFrom(name, fields);
    if (fields.Has("changes")) {
      fields.Each("changes", [&](const std::string&, const JsonReader& change) {
        record.changes.push_back({.before = RangesFrom(change, "before"), .after = RangesFrom(change, "after")});
      });
    }
  });
  catalog.split_enabled = in.Bool("split_enabled");
  catalog.merge_enabled = in.Bool("merge_enabled");
  catalog.next_family_id = in.Number<uint32_t>("next_family_id");
  catalog.last_region_id = in.Number<int64_t>("last_region_id");
  if (!status.ok()) {
    return status;
  }
  return catalog;
}

SnapshotInfo SnapshotRecord::Info() const {
  return {.name = name,
          .table = table.descriptor.name,
          .created_ms = created_ms,
          .ttl_s = ttl_s,
          .max_file_bytes = max_file_bytes,
          .type = !table.enabled ? SnapshotType::kDisabled
                  : skip_flush   ? SnapshotType::kSkipFlush
                                 : SnapshotType::kFlush};
}

std::string SnapshotRecord::ToJson() const {
  Json families = Json::object();
  for (const auto& [family, list] : files) {
    Json out = Json::array();
    for (const File& file : list) {
      out.push_back({{"name", Text(file.name)},
                     {"level", file.level},
                     {"number", file.file_number},
                     {"bytes", file.size_bytes},
                     {"entries", file.entries},
                     {"smallest_sequence", file.smallest_sequence},
                     {"largest_sequence", file.largest_sequence},
                     {"smallest_key", Text(file.smallest_key)},
                     {"largest_key", Text(file.largest_key)}});
    }
    families[Text(family)] = std::move(out);
  }
  const Json out = {{"name", Text(name)},
                    {"created_ms", created_ms},
                    {"ttl_s", ttl_s},
                    {"max_file_bytes", max_file_bytes},
                    {"skip_flush", skip_flush},
                    {"table_name", Text(table.descriptor.name)},
                    {"table", TableJson(table)},
                    {"comparator", Text(comparator)},
                    {"files", std::move(families)}};
  return out.dump(1) + "\n";
}

Expected<SnapshotRecord> SnapshotRecord::FromJson(std::string_view json, std::string_view file) {
  const Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    return Status(Code::kCorruption, std::string(file) + ": not JSON");
  }
  Status status;
  const JsonReader in(root, std::string(file) + ": snapshot", &status);
  SnapshotRecord record;
  record.name = in.String("name");
  record.created_ms = in.Number<int64_t>("created_ms");
  record.ttl_s = in.Has("ttl_s") ? in.Number<int64_t>("ttl_s") : 0;
  record.max_file_bytes = in.Has("max_file_bytes") ? in.Number<int64_t>("max_file_bytes") : 0;
  record.skip_flush = in.Has("skip_flush") && in.Bool("skip_flush");
  record.table = TableFrom(in.String("table_name"), in.Object("table"));
  record.comparator = in.String("comparator");
  for (const FamilyDescriptor& family : AllFamilies(record.table.descriptor)) {
    const std::string key = Text(family.name);
    std::vector<File>& list = record.files[family.name];
    in.Object("files").Each(key.c_str(), [&](const std::string&, const JsonReader& fields) {
      list.push_back({.name = fields.String("name"),
                      .level = fields.Number<int32_t>("level"),
                      .file_number = fields.Number<uint64_t>("number"),
                      .size_bytes = fields.Number<uint64_t>("bytes"),
                      .entries = fields.Number<uint64_t>("entries"),
                      .smallest_sequence = fields.Number<uint64_t>("smallest_sequence"),
                      .largest_sequence = fields.Number<uint64_t>("largest_sequence"),
                      .smallest_key = fields.String("smallest_key"),
                      .largest_key = fields.String("largest_key")});
    });
  }
  if (!status.ok()) {
    return status;
  }
  return record;
}

}  // namespace klip::engine
