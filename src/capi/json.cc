#include "capi/json.h"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/family_attributes.h"
#include "base/json.h"
#include "capi/call.h"
#include "klip/bytes.h"

namespace klip::capi {
namespace {

using Json = nlohmann::ordered_json;

// Replaces invalid UTF-8 by U+FFFD, since JSON allows no other bytes.
std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

using base::Invalid;

// A text, number or boolean as the text of an attribute.
Expected<std::string> TextOf(const base::Json& value, const std::string& name) {
  if (value.is_null() || value.is_structured()) {
    return Invalid("descriptor: " + name + " must be a text, a number or a boolean");
  }
  return base::ScalarText(value, name);
}

Status ReadTexts(const base::Json& object, const std::string& member, std::map<std::string, std::string>* texts) {
  const auto found = object.find(member);
  if (found == object.end()) {
    return Status::Ok();
  }
  if (!found->is_object()) {
    return Invalid("descriptor: " + member + " must be an object");
  }
  for (const auto& [name, value] : found->items()) {
    KLIP_ASSIGN_OR_RETURN((*texts)[name], TextOf(value, name));
  }
  return Status::Ok();
}

Expected<base::Json> Parse(std::string_view text) {
  KLIP_ASSIGN_OR_RETURN(base::Json parsed, base::ParseJson(text, "descriptor:"));
  if (!parsed.is_object()) {
    return Invalid("descriptor: not a JSON object");
  }
  return parsed;
}

Expected<std::string> NameOf(const base::Json& object) {
  const auto name = object.find("name");
  if (name == object.end() || !name->is_string()) {
    return Invalid("descriptor: \"name\" must be a text");
  }
  return name->get<std::string>();
}

Expected<FamilyDescriptor> FamilyOf(const base::Json& object) {
  if (!object.is_object()) {
    return Invalid("descriptor: a family must be an object");
  }
  FamilyDescriptor family;
  KLIP_ASSIGN_OR_RETURN(family.name, NameOf(object));
  for (const auto& [name, value] : object.items()) {
    if (name != "name" && name != "configuration") {
      KLIP_ASSIGN_OR_RETURN(const std::string text, TextOf(value, name));
      KLIP_RETURN_IF_ERROR(base::SetAttribute(name, text, &family));
    }
  }
  KLIP_RETURN_IF_ERROR(ReadTexts(object, "configuration", &family.configuration));
  return family;
}

Json FromFamily(const FamilyDescriptor& family) {
  Json json = {{"name", family.name}};
  for (const auto& [name, text] : base::AttributesOf(family)) {
    json[name] = text;
  }
  json["configuration"] = family.configuration;
  return json;
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
      return "timestamp";
    case KeyFieldType::kReverseTimestamp:
      return "reverse_timestamp";
    case KeyFieldType::kHash:
      return "hash";
    case KeyFieldType::kSalt:
      return "salt";
    case KeyFieldType::kLiteral:
      return "literal";
  }
  return "";
}

template <typename T, typename Convert>
std::string DumpAll(const std::vector<T>& all, Convert convert) {
  Json json = Json::array();
  for (const T& one : all) {
    json.push_back(convert(one));
  }
  return Dump(json);
}

}  // namespace

Status GiveText(std::string_view text, char** out) {
  if (out == nullptr) {
    return Missing("the place for the text");
  }
  *out = CopyText(text);
  return Status::Ok();
}

Expected<TableDescriptor> ParseTable(std::string_view json) {
  KLIP_ASSIGN_OR_RETURN(const base::Json object, Parse(json));
  TableDescriptor table;
  KLIP_ASSIGN_OR_RETURN(table.name, NameOf(object));
  const auto families = object.find("families");
  if (families == object.end() || !families->is_array()) {
    return Invalid("descriptor: \"families\" must be an array");
  }
  for (const base::Json& one : *families) {
    KLIP_ASSIGN_OR_RETURN(FamilyDescriptor family, FamilyOf(one));
    table.families.push_back(std::move(family));
  }
  for (const auto& [name, value] : object.items()) {
    if (name != "name" && name != "families" && name != "attributes" && name != "configuration") {
      return Invalid("descriptor: unknown member \"" + name + "\"; attributes of the table belong in \"attributes\"");
    }
  }
  KLIP_RETURN_IF_ERROR(ReadTexts(object, "attributes", &table.attributes));
  KLIP_RETURN_IF_ERROR(ReadTexts(object, "configuration", &table.configuration));
  return table;
}

Expected<FamilyDescriptor> ParseFamily(std::string_view json) {
  KLIP_ASSIGN_OR_RETURN(const base::Json object, Parse(json));
  return FamilyOf(object);
}

std::string ToJson(const TableDescriptor& table) {
  Json families = Json::array();
  for (const FamilyDescriptor& family : table.families) {
    families.push_back(FromFamily(family));
  }
  return Dump({{"name", table.name},
               {"families", families},
               {"attributes", table.attributes},
               {"configuration", table.configuration}});
}

std::string ToJson(const std::vector<RegionInfo>& regions) {
  return DumpAll(regions, [](const RegionInfo& region) {
    return Json{{"table", region.table},
                {"start_key", ToStringBinary(region.start_key)},
                {"end_key", ToStringBinary(region.end_key)},
                {"region_id", region.region_id},
                {"size_bytes", region.size_bytes},
                {"encoded_name", region.encoded_name},
                {"name", ToStringBinary(region.Name())},
                {"server", region.server.host.empty() ? Json() : Json(region.server.ToString())}};
  });
}

std::string ToJson(const std::vector<SnapshotInfo>& snapshots) {
  return DumpAll(snapshots, [](const SnapshotInfo& snapshot) {
    return Json{{"name", snapshot.name}, {"table", snapshot.table}, {"created_ms", snapshot.created_ms}};
  });
}

std::string ToJson(const StoreMetrics& metrics) {
  return Dump({{"bloom_useful", metrics.bloom_useful},
               {"block_cache_hits", metrics.block_cache_hits},
               {"block_cache_misses", metrics.block_cache_misses},
               {"block_cache_bytes", metrics.block_cache_bytes},
               {"memtable_bytes", metrics.memtable_bytes},
               {"table_reader_bytes", metrics.table_reader_bytes},
               {"files", metrics.files},
               {"bytes_on_disk", metrics.bytes_on_disk},
               {"wal_syncs", metrics.wal_syncs},
               {"running_compactions", metrics.running_compactions}});
}

std::string ToJson(const TableStatistics& statistics) {
  Json fields = Json::array();
  for (const TableStatistics::Field& field : statistics.fields) {
    fields.push_back({{"name", field.name}, {"distinct_prefixes", field.distinct_prefixes}});
  }
  return Dump({{"rows", statistics.rows},
               {"cells", statistics.cells},
               {"bytes_on_disk", statistics.bytes_on_disk},
               {"bytes_in_memory", statistics.bytes_in_memory},
               {"delete_markers", statistics.delete_markers},
               {"sorted_runs", statistics.sorted_runs},
               {"fields", fields}});
}

std::string ToJson(const std::vector<KeyCount>& keys) {
  return DumpAll(keys, [](const KeyCount& key) { return Json{{"values", key.values}, {"rows", key.rows}}; });
}

std::string ToJson(const std::vector<KeyField>& fields) {
  return DumpAll(fields, [](const KeyField& field) {
    return Json{{"name", field.name},
                {"type", TypeName(field.type)},
                {"width_bytes", field.width_bytes},
                {"derived", field.derived()},
                {"descending", field.descending}};
  });
}

std::string ToJson(const std::vector<sql::Column>& columns) {
  Json out = Json::array();
  for (const sql::Column& column : columns) {
    out.push_back({{"label", column.label},
                   {"type", sql::ToString(column.type)},
                   {"nullable", column.nullable},
                   {"table", column.table},
                   {"schema", column.schema},
                   {"name", column.name}});
  }
  return Dump(out);
}

}  // namespace klip::capi
