// Protects tables with Java coprocessors in a process that does not run these (src/coprocessor): they are not writable,
// and none of their cells are dropped, since only the coprocessors know what should happen.
#pragma once

#include "engine/store/storage_hooks.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::table {

// The error for writes to such a table (TableInfo::CheckWritable); ok for all others.
Status RefuseUnhosted(const TableDescriptor& table);
// Hooks that keep all cells of such tables. They live until the process ends.
engine::StorageHooks* KeepUnhosted();

}  // namespace klip::table
