// Tables as services keep them, with what their programs ask: events of users, readings of devices, orders, sessions, pages, mail, places,
// jobs, edges, geohashes, inventories, attributes. The users are zipfian, devices report at their own pace, sessions are random texts, pages
// lie at varying depths, a city decides its postal codes, columns are sparse. Values that are asked for are those of a row, of a rare kind,
// or of no row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/mixed_tables.h"

namespace klip::ops {

// Some two-thirds have `rows` rows.
std::vector<MixedTable> MakeServiceTables(size_t rows, uint64_t seed);

}  // namespace klip::ops
