// Tables with NEW_VERSION_BEHAVIOR: there a delete masks what was written before it, whatever the timestamps. The order of writes
// is stored with the cells, but no read shows it. What readers see does: so the cells of a row come as puts that are masked or
// surplus, delete markers, puts that are seen, and are written in these three steps.
#pragma once

#include <memory>

#include "copy/copier.h"
#include "klip/query.h"
#include "klip/table.h"

namespace klip::copy {

bool NeedsWriteOrder(const TableDescriptor& descriptor);

// Whole rows, in up to three pieces. `scan` is a raw one. A row must fit into memory, twice.
Expected<std::unique_ptr<CellReader>> OpenInWriteOrder(Table* table, Scan scan);

}  // namespace klip::copy
