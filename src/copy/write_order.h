// The order of writes for tables with NEW_VERSION_BEHAVIOR, in which a delete masks earlier writes, whatever the
// timestamps. That order is stored with the cells, but no read returns it. It suffices to reproduce what readers see. So
// the cells of a row are written in three steps: puts that are masked or surplus, delete markers, visible puts.
//
// Example: put v1, delete of the column, put v0 with an older timestamp: readers see v0. The copy writes v1, then the
// delete, then v0, which the delete would mask if it were written later.
#pragma once

#include <memory>

#include "copy/copier.h"
#include "klip/query.h"
#include "klip/table.h"

namespace klip::copy {

bool NeedsWriteOrder(const TableDescriptor& descriptor);

// Whole rows, in up to three pieces. `scan` is raw. A row must fit into memory twice.
Expected<std::unique_ptr<CellReader>> OpenInWriteOrder(Table* table, Scan scan);

}  // namespace klip::copy
