// What tables are: descriptors, regions, statistics, indexes.
#include "console/api.h"
#include "klip/bytes.h"

namespace klip::console {
namespace {

constexpr size_t kMaxTables = 2000;
constexpr size_t kMaxRegions = 1000;

Json FamilyJson(const FamilyDescriptor& family) {
  return {{"name", family.name},
          {"versions", family.max_versions},
          {"ttl_s", family.ttl_s == kTtlForever ? Json() : Json(family.ttl_s)},
          {"compression", family.compression},
          {"block_bytes", family.block_bytes},
          {"in_memory", family.in_memory},
          {"replicated", family.replication_scope != 0}};
}

std::string Attribute(const TableDescriptor& table, std::string_view name) {
  const auto found = table.attributes.find(std::string(name));
  return found == table.attributes.end() ? std::string() : found->second;
}

std::string_view TypeName(KeyFieldType type) {
  switch (type) {
    case KeyFieldType::kText:
      return "text";
    case KeyFieldType::kBytes:
      return "bytes";
    case KeyFieldType::kDigits:
      return "digits";
    case KeyFieldType::kDate:
      return "date";
    case KeyFieldType::kUnsigned:
      return "unsigned";
    case KeyFieldType::kSigned:
      return "signed";
    case KeyFieldType::kTimestamp:
      return "ts";
    case KeyFieldType::kReverseTimestamp:
      return "reverse_ts";
    case KeyFieldType::kHash:
      return "hash";
    case KeyFieldType::kSalt:
      return "salt";
    case KeyFieldType::kLiteral:
      return "literal";
  }
  return "";
}

Json FieldsJson(const RowKeySchema& schema) {
  Json fields = Json::array();
  for (const KeyField& field : schema.fields()) {
    fields.push_back({{"name", field.name},
                      {"type", TypeName(field.type)},
                      {"bytes", field.width_bytes},
                      {"descending", field.descending},
                      {"derived", field.derived()}});
  }
  return fields;
}

Json StatisticsJson(const TableStatistics& statistics) {
  Json fields = Json::array();
  double before = 1;
  for (const TableStatistics::Field& field : statistics.fields) {
    const double distinct = field.distinct_prefixes;
    fields.push_back(
        {{"name", field.name}, {"prefixes", distinct}, {"per_prefix", before > 0 ? distinct / before : 0.0}});
    before = distinct;
  }
  return {{"rows", statistics.rows},
          {"cells", statistics.cells},
          {"disk_bytes", statistics.bytes_on_disk},
          {"memory_bytes", statistics.bytes_in_memory},
          {"delete_markers", statistics.delete_markers},
          {"sorted_runs", statistics.sorted_runs},
          {"fields", std::move(fields)}};
}

Json RegionsJson(Connection* connection, const std::string& table) {
  const Expected<std::vector<RegionInfo>> regions = connection->admin().GetRegions(table);
  if (!regions.ok()) {
    return Json::array();
  }
  std::map<std::string, RegionMetrics> metrics;
  if (Expected<std::vector<RegionMetrics>> all = connection->admin().GetRegionMetrics(table); all.ok()) {
    for (RegionMetrics& one : *all) {
      metrics.emplace(one.name, std::move(one));
    }
  }
  Json list = Json::array();
  for (const RegionInfo& region : *regions) {
    if (list.size() == kMaxRegions) {
      break;
    }
    Json one = {{"name", region.encoded_name},
                {"start", ToStringBinary(region.start_key)},
                {"end", ToStringBinary(region.end_key)},
                {"bytes", region.size_bytes},
                {"server", region.server.host.empty() ? "" : region.server.ToString()}};
    if (const auto found = metrics.find(region.Name()); found != metrics.end()) {
      const RegionMetrics& told = found->second;
      one["reads"] = told.read_requests;
      one["writes"] = told.write_requests;
      one["files"] = told.store_files;
      if (region.size_bytes == 0) {
        one["bytes"] = told.file_bytes + told.memstore_bytes;
      }
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json IndexesJson(Connection* connection, const std::string& table) {
  Json list = Json::array();
  const Expected<IndexAdmin*> admin = connection->admin().indexes();
  if (!admin.ok()) {
    return list;
  }
  if (const Expected<std::vector<IndexInfo>> indexes = (*admin)->ListIndexes(table); indexes.ok()) {
    for (const IndexInfo& info : *indexes) {
      list.push_back({{"name", info.index.name},
                      {"on", info.index.ToString()},
                      {"building", info.building},
                      {"unusable", info.unusable}});
    }
  }
  return list;
}

Json DescriptorJson(const TableDescriptor& table) {
  Json families = Json::array();
  for (const FamilyDescriptor& family : table.families) {
    families.push_back(FamilyJson(family));
  }
  return {{"name", table.name},
          {"families", std::move(families)},
          {"key", Attribute(table, RowKeySchema::kTableAttribute)}};
}

}  // namespace

Expected<Json> Tables(Connection* connection, const Parameters& /*parameters*/) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> tables, connection->admin().ListTables());
  Json list = Json::array();
  for (const TableDescriptor& table : tables) {
    if (list.size() == kMaxTables) {
      break;
    }
    list.push_back(DescriptorJson(table));
  }
  return Json{{"tables", std::move(list)}, {"count", tables.size()}};
}

Expected<Json> OneTable(Connection* connection, const Parameters& parameters) {
  const std::string name = Text(parameters, "table");
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, connection->admin().GetDescriptor(name));
  Json json = DescriptorJson(descriptor);
  Json attributes = Json::object();
  Json coprocessors = Json::array();
  for (const auto& [key, value] : descriptor.attributes) {
    (key.starts_with("coprocessor$") ? coprocessors.emplace_back() : attributes[Shown(key)]) = Shown(value);
  }
  json["attributes"] = std::move(attributes);
  json["coprocessors"] = std::move(coprocessors);
  KLIP_ASSIGN_OR_RETURN(const bool enabled, connection->admin().IsTableEnabled(name));
  json["enabled"] = enabled;
  json["regions"] = RegionsJson(connection, name);
  json["indexes"] = IndexesJson(connection, name);
  if (!enabled) {
    return json;
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection->GetTable(name));
  if (const std::optional<RowKeySchema> schema = table->row_key_schema(); schema.has_value()) {
    json["fields"] = FieldsJson(*schema);
  }
  KLIP_ASSIGN_OR_RETURN(const TableStatistics statistics, table->Statistics());
  json["statistics"] = StatisticsJson(statistics);
  return json;
}

}  // namespace klip::console
