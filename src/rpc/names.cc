#include "rpc/names.h"

#include <array>
#include <cstdio>

#include "base/digest.h"
#include "base/names.h"

namespace klip::rpc {

std::string TableNameOf(const hbase::pb::TableName& name) {
  if (name.namespace_().empty() || name.namespace_() == kDefaultNamespace) {
    return name.qualifier();
  }
  return name.namespace_() + ":" + name.qualifier();
}

void FillTableName(std::string_view table, hbase::pb::TableName* name) {
  const size_t colon = table.find(':');
  name->set_namespace_(std::string(NamespaceOf(table)));
  name->set_qualifier(std::string(colon == std::string_view::npos ? table : table.substr(colon + 1)));
}

namespace {

std::string PlainRegionName(std::string_view table, std::string_view start_key, int64_t region_id, int32_t replica_id) {
  std::string name(table);
  name += ',';
  name += start_key;
  name += ',';
  name += std::to_string(region_id);
  name += ReplicaSuffix(replica_id);
  return name;
}

}  // namespace

std::string ReplicaSuffix(int32_t replica_id) {
  if (replica_id == 0) {
    return {};
  }
  std::array<char, 16> text = {};
  const int length = std::snprintf(text.data(), text.size(), "_%04X", static_cast<unsigned>(replica_id));
  return {text.data(), static_cast<size_t>(length)};
}

std::string EncodedRegionName(std::string_view table, std::string_view start_key, int64_t region_id,
                              int32_t replica_id) {
  return base::Hex(base::Md5(PlainRegionName(table, start_key, region_id, replica_id)));
}

std::string RegionName(std::string_view table, std::string_view start_key, int64_t region_id, int32_t replica_id) {
  return PlainRegionName(table, start_key, region_id, replica_id) + "." +
         EncodedRegionName(table, start_key, region_id, replica_id) + ".";
}

}  // namespace klip::rpc
