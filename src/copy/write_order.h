// The order of writes for tables with NEW_VERSION_BEHAVIOR, in which a delete masks earlier writes, whatever the
// timestamps. That order is stored with the cells, but no read returns it. It suffices to reproduce what readers see. So
// the cells of a row are written in three steps: puts that are masked or surplus, delete markers, visible puts.
//
// Example: put v1, delete of the column, put v0 with an older timestamp: readers see v0. The copy writes v1, then the
// delete, then v0, which the delete would mask if it were written later.
//
// A masked version counts as a version for what was written before its marker, so a surplus put can become visible in that
// order: max_versions 2, puts 1, 2, 3, then a delete of version 3. Readers see 2, and not 1, before which there were two others
// at the time of the delete. In three steps, there would be one. Then visible puts that no marker covers come in the first step
// too; and if that does not help, the surplus put is left out, since readers never see it again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "copy/copier.h"
#include "klip/query.h"
#include "klip/table.h"

namespace klip::copy {

// The families with NEW_VERSION_BEHAVIOR, and their max_versions.
using NewVersionFamilies = std::map<std::string, int32_t, std::less<>>;
NewVersionFamilies NewVersionFamiliesIn(const TableDescriptor& descriptor);

bool NeedsWriteOrder(const TableDescriptor& descriptor);

// Whole rows, in up to three pieces. `scan` is raw. A row must fit into memory twice.
Expected<std::unique_ptr<CellReader>> OpenInWriteOrder(Table* table, Scan scan, NewVersionFamilies families);

}  // namespace klip::copy
