// The JSON of klip.h: descriptors, regions, snapshots, statistics, fields of schemas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/row_key.h"
#include "klip/sql.h"
#include "klip/table.h"

namespace klip::capi {

// *out becomes a copy of the text. Errors: `out` is NULL.
Status GiveText(std::string_view text, char** out);

// Errors: kInvalidArgument, naming what is wrong and where.
Expected<TableDescriptor> ParseTable(std::string_view json);
Expected<FamilyDescriptor> ParseFamily(std::string_view json);

std::string ToJson(const TableDescriptor& table);
std::string ToJson(const std::vector<RegionInfo>& regions);
std::string ToJson(const std::vector<SnapshotInfo>& snapshots);
std::string ToJson(const StoreMetrics& metrics);
std::string ToJson(const TableStatistics& statistics);
std::string ToJson(const std::vector<KeyCount>& keys);
std::string ToJson(const std::vector<KeyField>& fields);
std::string ToJson(const std::vector<sql::Column>& columns);

}  // namespace klip::capi
