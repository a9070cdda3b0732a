// Store file trackers: how HBase finds the files of a family. RocksDB tracks its own files, so here they are only
// settings of tables and families. But they change only as in HBase: a table that is copied to a cluster must be valid
// there.
#pragma once

#include <string_view>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::table {

// Errors: kDoNotRetry, a family with a tracker that a new family cannot have.
Status CheckTrackersOfNewTable(const TableDescriptor& table);

// A change to another tracker goes through MIGRATION, from the current one to the new one. Errors: kDoNotRetry;
// kTableNotEnabled, a migration that ends while no region is open to perform it.
Status CheckChangeOfTrackers(const TableDescriptor& before, const TableDescriptor& after, bool enabled);

// Changes the tracker in one step, for a table or, if `family` is not null, for one of its families. True: *table was
// changed. Errors: kDoNotRetry, no valid change.
Expected<bool> SetTracker(std::string_view tracker, TableDescriptor* table, FamilyDescriptor* family);

}  // namespace klip::table
