// What a store does with tables that have Java coprocessors when nobody runs these (src/coprocessor): they are not written, and of
// their cells nothing is dropped, since nobody knows what the coprocessors would have done.
#pragma once

#include "engine/store/storage_hooks.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::table {

// Why such a table is not written (TableInfo::CheckWritable); ok for all others.
Status RefuseUnhosted(const TableDescriptor& table);
// Hooks that keep all of such tables. They live as long as the process.
engine::StorageHooks* KeepUnhosted();

}  // namespace klip::table
