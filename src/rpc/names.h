// HBase's names of tables and regions, between text and message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/HBase.pb.h"

namespace klip::rpc {

inline constexpr std::string_view kMetaTable = "hbase:meta";
inline constexpr std::string_view kMetaRegion = "hbase:meta,,1";
inline constexpr std::string_view kMetaEncodedName = "1588230740";

// "ns:table", or "table" in the default namespace, as klip calls tables.
std::string TableNameOf(const hbase::pb::TableName& name);
void FillTableName(std::string_view table, hbase::pb::TableName* name);

// The number of a region's replica as HBase appends it to names: "_0001"; "" for 0, the region itself.
std::string ReplicaSuffix(int32_t replica_id);
// The MD5 of "table,start,id" in hex; of "table,start,id_0001" for a replica.
std::string EncodedRegionName(std::string_view table, std::string_view start_key, int64_t region_id,
                              int32_t replica_id = 0);
// "table,start,id.encoded."
std::string RegionName(std::string_view table, std::string_view start_key, int64_t region_id, int32_t replica_id = 0);

}  // namespace klip::rpc
